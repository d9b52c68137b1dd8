import BoardroomCodec
import Crypto
import EventLogModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The key ring of one server as a JSON file that only its owner may read:
///
///     {"team":"…","app":"…","keys":[{"ak":"…","secret":"…"}],"check":"sha256:…"}
///
/// `check` is the first 16 hexadecimal digits of the SHA-256 of the file without that field. A file without
/// it, from an older build or written by hand, is accepted as it is (FILE-3).
///
/// The first pair signs. An operator changes keys by putting a new pair first and, once the old tokens have
/// expired, removing the old one.
public enum KeyFile {
  /// Its name in the data folder.
  public static let name = "keys.json"

  /// Why a key file cannot be used.
  public enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A call to the operating system failed.
    case io(operation: String, path: String, code: Int32)
    /// The file is not of the form above.
    case malformed(path: String)
    /// The check of the file is not that of its content.
    case changed(path: String)
    /// Two pairs have the same access key, so that only one of their secrets would be used. `first` and
    /// `second` count from 1.
    case duplicate(path: String, first: Int, second: Int)

    public var description: String {
      switch self {
      case .io(let operation, let path, let code):
        "\(operation) failed on \(path): \(String(cString: strerror(code))). Check the folder's owner and rights."
      case .malformed(let path):
        "\(path) is not a key file. Restore it, or move it away: a new one is made, and old tokens stop working."
      case .changed(let path):
        "\(path) is damaged, or was changed by hand: its check is not that of its content. "
          + "Restore it; or, if you have changed it, take the field `check` out of it."
      case .duplicate(let path, let first, let second):
        "In \(path) the pairs \(first) and \(second) have the same ak. Remove one, or give it another ak."
      }
    }
  }

  /// Reads the ring in `folder`. Makes it with one random pair at the first use.
  public static func open(inFolder folder: String) throws(Failure) -> KeyRing {
    let path = folder + "/" + name
    if let ring = try read(path) { return ring }
    let ring = KeyRing(pairs: [.random()])
    do throws(Failure) {
      try write(ring, to: path)
      return ring
    } catch .io(_, _, EEXIST) {
      guard let other = try read(path) else { throw .io(operation: "open", path: path, code: ENOENT) }
      return other
    }
  }

  /// Nil if there is no file.
  public static func read(_ path: String) throws(Failure) -> KeyRing? {
    guard let file = fopen(path, "r") else {
      guard errno == ENOENT else { throw .io(operation: "open", path: path, code: errno) }
      return nil
    }
    defer { fclose(file) }
    // 64 KiB: some hundreds of pairs.
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = fread(&bytes, 1, bytes.count, file)
    let content = Array(bytes[..<count])
    guard let ring = ring(content) else { throw .malformed(path: path) }
    for (place, pair) in ring.pairs.enumerated() {
      guard let first = ring.pairs[..<place].firstIndex(where: { $0.id == pair.id }) else { continue }
      throw .duplicate(path: path, first: first + 1, second: place + 1)
    }
    guard isSound(content, ring) else { throw .changed(path: path) }
    return ring
  }

  static func ring(_ bytes: [UInt8]) -> KeyRing? {
    guard let root = try? JSONValue.parse(bytes), let keys = root["keys"]?.array, !keys.isEmpty,
      let team = root["team"]?.string.flatMap({ LogID($0) }),
      let app = root["app"]?.string.flatMap({ LogID($0) })
    else { return nil }
    let pairs = keys.compactMap { key -> KeyPair? in
      guard let id = key["ak"]?.string, let secret = key["secret"]?.string, !id.isEmpty, !secret.isEmpty
      else { return nil }
      return KeyPair(id: id, secret: secret)
    }
    return pairs.count == keys.count ? KeyRing(pairs: pairs, team: team, app: app) : nil
  }

  /// Whether the check, if there is one, fits the content. A value that begins with `sha256:` counts as the
  /// check whatever its key is, so that a flipped bit in the key is found, too.
  private static func isSound(_ bytes: [UInt8], _ ring: KeyRing) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.contains(checkStart) || text.contains("\"check\"") else { return true }
    return bytes == self.bytes(of: ring)
  }

  private static let checkStart = "sha256:"

  static func bytes(of ring: KeyRing) -> [UInt8] {
    let plain = fields(of: ring)
    let digest = TokenText.hex(SHA256.hash(data: JSONValue.object(plain).compact)).prefix(16)
    return JSONValue.object(plain + [("check", .string(checkStart + digest))]).compact
      + [UInt8(ascii: "\n")]
  }

  private static func fields(of ring: KeyRing) -> [(String, JSONValue)] {
    let keys = ring.pairs.map { JSONValue.object([("ak", .string($0.id)), ("secret", .string($0.secret))]) }
    return [
      ("team", .string(ring.team.description)), ("app", .string(ring.app.description)),
      ("keys", .array(keys)),
    ]
  }

  /// Never replaces a file that is there.
  private static func write(_ ring: KeyRing, to path: String) throws(Failure) {
    do throws(PlainFile.Failure) {
      try PlainFile.create(bytes(of: ring), at: path)
    } catch {
      switch error {
      case .io(let operation, let path, let code): throw .io(operation: operation, path: path, code: code)
      }
    }
  }
}
