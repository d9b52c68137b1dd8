/// Which web pages may use the server from a browser, by their origin (`https://example.org`).
public enum OriginRule: Sendable, Hashable {
  case none
  case any
  case listed([String])

  /// `none`, `*`, or origins with commas between them; nil if one of them is none.
  public init?(_ text: String) {
    switch text {
    case "none": self = .none
    case "*": self = .any
    default:
      let origins = text.split(separator: ",", omittingEmptySubsequences: false).map {
        String($0.drop { $0 == " " }).lowercased()
      }
      guard origins.allSatisfy(Self.isOrigin) else { return nil }
      self = .listed(origins)
    }
  }

  /// Scheme, host and perhaps a port, as browsers send it.
  private static func isOrigin(_ text: String) -> Bool {
    guard let start = ["http://", "https://"].first(where: text.hasPrefix) else { return false }
    let host = text.utf8.dropFirst(start.utf8.count)
    return !host.isEmpty
      && host.allSatisfy { byte in
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "*")
          && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: ";")
      }
  }

  public var text: String {
    switch self {
    case .none: "none"
    case .any: "*"
    case .listed(let origins): origins.joined(separator: ",")
    }
  }

  /// The origins that the operator has named; empty if all may.
  package var named: [String] { if case .listed(let origins) = self { origins } else { [] } }

  /// Whether a page of this origin may. Origins are compared as whole texts.
  public func allows(_ origin: String) -> Bool {
    switch self {
    case .none: false
    case .any: true
    case .listed(let origins): origins.contains(origin.lowercased())
    }
  }
}
