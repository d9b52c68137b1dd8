import Crypto

/// The settings of webhooks (docs/WEBHOOKS.md).
public struct WebhookSettings: Sendable {
  /// Where a new endpoint begins: at the present end of each log, or at its beginning.
  public enum Beginning: String, Sendable, Hashable, CaseIterable { case now, beginning }

  /// The most endpoints, because each commit is noted for each of them.
  package static let mostEndpoints = 16

  /// The text of the setting; `endpoints` parses it.
  public package(set) var urls = WebhookSettings.none
  public package(set) var secret = WebhookSettings.none
  public package(set) var secretFile = WebhookSettings.none
  public package(set) var kinds = WebhookKinds.standardName
  public var from = Beginning.now
  /// 3 days: a receiver that fails on a Friday evening is fixed on Monday.
  public var retention: Duration = .seconds(259_200)
  /// 10 s: longer than a receiver needs to store an event.
  public var timeout: Duration = .seconds(10)
  public var batch = 1

  package init() {}

  /// How an empty value is written: a key without a value is an error.
  package static let none = "none"

  package var endpoints: [WebhookEndpoint] { Self.list(urls).compactMap { WebhookEndpoint($0) } }
  var wanted: WebhookKinds { WebhookKinds(names: Self.list(kinds)) ?? .standard }

  /// The parts between commas, without the spaces around them; nothing for `none`.
  package static func list(_ text: String) -> [String] {
    text == none ? [] : text.split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
  }
}

/// One receiver. Its address may contain secrets, so logs and files name it by `id` and `place`.
package struct WebhookEndpoint: Sendable, Hashable {
  let url: String
  /// 16 hexadecimal digits of the address's hash: the name of its cursor file.
  let id: String
  /// Scheme, host and port.
  let place: String

  /// Nil unless it is an http or https address with a host and without a user's name.
  package init?(_ url: String) {
    guard let scheme = ["https://", "http://"].first(where: { url.lowercased().hasPrefix($0) }) else {
      return nil
    }
    let authority = url.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    guard !authority.isEmpty, !authority.contains("@"), authority.first != ":",
      url.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { return nil }
    self.url = url
    place = scheme + authority
    id = Hexadecimal.text(SHA256.hash(data: Array(url.utf8)).prefix(8))
  }
}

extension StringProtocol {
  /// Without white space at its ends.
  var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}

enum Hexadecimal {
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
