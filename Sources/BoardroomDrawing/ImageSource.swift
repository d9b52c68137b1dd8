/// The source of an image that may be in a picture's `href`.
///
/// It is an `http` or `https` address, the path of an image that the server stores, or PNG or JPEG as base64 in
/// a `data:` address. All else is refused: scripts, SVG, which may contain scripts, and files of the viewer's
/// own machine. So opening a picture runs nothing and tells nobody anything.
public struct ImageSource: Hashable, Sendable {
  public let text: String

  public init?(_ text: String) {
    guard text.unicodeScalars.allSatisfy(Self.isAllowed) else { return nil }
    guard Self.isAddress(text) || Self.isStored(text) || Self.isEmbedded(text) else { return nil }
    self.text = text
  }

  /// The media type of an image that is in the address itself.
  public var embeddedType: String? {
    Self.embedded.first { text.hasPrefix("data:\($0);base64,") }
  }

  private static let embedded = ["image/png", "image/jpeg"]

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\"", "<", ">", "`", "\\": return false
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
      .spaceSeparator:
      return false
    default: return true
    }
  }

  private static func isAddress(_ text: String) -> Bool {
    for scheme in ["http://", "https://"] where text.prefix(scheme.count).lowercased() == scheme {
      return text.dropFirst(scheme.count).first.map { !"/?#.:@".contains($0) } ?? false
    }
    return false
  }

  /// `/v5/rooms/ROOM/images/NAME` (docs/HTTP.md): valid under every name by which the server is reached.
  private static func isStored(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0].isEmpty, parts[1] == "v5", parts[2] == "rooms", parts[4] == "images",
      isHex(parts[3], count: 32)
    else { return false }
    let name = parts[5].split(separator: ".", omittingEmptySubsequences: false)
    return name.count == 2 && isHex(name[0], count: 64) && stored.contains(String(name[1]))
  }

  private static let stored = ["png", "jpg", "webp", "gif"]

  private static func isHex(_ text: Substring, count: Int) -> Bool {
    text.utf8.count == count
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
      }
  }

  private static func isEmbedded(_ text: String) -> Bool {
    embedded.contains { type in
      let opening = "data:\(type);base64,"
      let rest = text.utf8.dropFirst(opening.utf8.count)
      return text.hasPrefix(opening) && !rest.isEmpty && rest.allSatisfy(isBase64)
    }
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
      true
    default: false
    }
  }
}
