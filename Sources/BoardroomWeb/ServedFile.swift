import BoardroomAccess
import Crypto
import NIOCore
import Synchronization

/// One file of the page, as the program contains it. The build writes the list of all, by the plugin EmbedPage (ADR 0041).
struct BuiltInFile: Sendable {
  /// Below the page's folder.
  let path: StaticString
  let text: StaticString
}

/// One file of the page, ready to be sent.
final class ServedFile: Sendable {
  let type: String
  /// Names the content, packed or not: weak, as for bytes that differ and mean the same (RFC 9110, 8.8.1).
  let tag: String
  let bytes: ByteBuffer
  private let kept = Mutex<ByteBuffer?>(nil)

  private init?(path: String, bytes: ByteBuffer) {
    guard let type = Self.type(of: path) else { return nil }
    self.type = type
    // 128 bits of the hash of the content are enough to tell two versions apart.
    tag = "W/\"\(TokenText.hex(SHA256.hash(data: bytes.readableBytesView).prefix(16)))\""
    self.bytes = bytes
  }

  convenience init?(_ file: BuiltInFile) {
    self.init(path: file.path.description, bytes: ByteBuffer(staticString: file.text))
  }

  convenience init?(path: String, bytes: [UInt8]) {
    self.init(path: path, bytes: ByteBuffer(bytes: bytes))
  }

  /// As gzip, made when it is asked for the first time; nil: there is no memory to make it.
  var packed: ByteBuffer? {
    kept.withLock { kept in
      if let kept { return kept }
      guard let packed = Gzip.pack(Array(bytes.readableBytesView)) else { return nil }
      let made = ByteBuffer(bytes: packed)
      kept = made
      return made
    }
  }

  /// What a browser is told a file is; nil: no kind of file that the page has.
  static func type(of path: String) -> String? {
    switch path.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "json": "application/json; charset=utf-8"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    default: nil
    }
  }

  /// Whether a path stays below the page's folder and names no hidden file: parts of letters, digits, `-`, `_` and
  /// `.`, none of which begins with a dot. What is percent-encoded is none, so nothing has to be decoded first.
  static func isPlain(_ path: some StringProtocol) -> Bool {
    path.utf8.count <= 256
      && path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
        !part.isEmpty && !part.hasPrefix(".")
          && part.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
              UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
              true
            default: false
            }
          }
      }
  }
}
