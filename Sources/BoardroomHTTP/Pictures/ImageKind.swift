import BoardroomAccess
import Crypto

/// The kinds of images that a board may show. SVG is not one of them, because it can contain scripts.
package enum ImageKind: String, Sendable, Hashable, CaseIterable {
  case png, jpeg = "jpg", webp, gif

  /// Recognised by the first bytes of the file; the content type that the sender gives does not count.
  init?(_ bytes: some Collection<UInt8>) {
    func begins(_ start: [UInt8], at place: Int = 0) -> Bool {
      bytes.dropFirst(place).prefix(start.count).elementsEqual(start)
    }
    if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if begins([0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if begins(Array("RIFF".utf8)), begins(Array("WEBP".utf8), at: 8) {
      self = .webp
    } else if begins(Array("GIF87a".utf8)) || begins(Array("GIF89a".utf8)) {
      self = .gif
    } else {
      return nil
    }
  }

  var mediaType: String {
    switch self {
    case .png: "image/png"
    case .jpeg: "image/jpeg"
    case .webp: "image/webp"
    case .gif: "image/gif"
    }
  }
}

/// A stored image's name: the SHA-256 of its bytes. So equal images are one file, and a name always means the
/// same bytes.
package struct ImageName: Sendable, Hashable, CustomStringConvertible {
  /// 64 lower-case hexadecimal digits.
  package let digest: String
  let kind: ImageKind

  init(digest: String, kind: ImageKind) {
    self.digest = digest
    self.kind = kind
  }

  /// The name of these bytes.
  init(of bytes: [UInt8], kind: ImageKind) {
    self.init(digest: TokenText.hex(SHA256.hash(data: bytes)), kind: kind)
  }

  func stands(for bytes: [UInt8]) -> Bool { ImageName(of: bytes, kind: kind) == self }

  /// Nil for any other text, so that a name never contains a path.
  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 64, let kind = ImageKind(rawValue: String(parts[1])),
      parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    self.init(digest: String(parts[0]), kind: kind)
  }

  package var description: String { "\(digest).\(kind.rawValue)" }
}
