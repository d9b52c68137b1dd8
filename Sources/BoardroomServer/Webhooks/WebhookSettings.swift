import Crypto

/// Where room and member events are told, and how (docs/WEBHOOKS.md).
public struct WebhookSettings: Sendable {
  public enum Beginning: String, Sendable, Hashable, CaseIterable { case now, beginning }

  /// No more, so that a commit is noted for a handful of endpoints only.
  static let mostEndpoints = 16

  /// Written as it was set; `endpoints` takes it apart.
  public internal(set) var urls = WebhookSettings.none
  public internal(set) var secret = WebhookSettings.none
  public internal(set) var secretFile = WebhookSettings.none
  public internal(set) var kinds = WebhookKinds.standardName
  public var from = Beginning.now
  /// 3 days: a receiver that fails on a Friday evening is mended on Monday.
  public var retention: Duration = .seconds(259_200)
  /// 10 s: longer than a receiver needs that only writes the event down.
  public var timeout: Duration = .seconds(10)
  public var batch = 1

  /// How an empty value is written: a key without a value is an error.
  static let none = "none"

  var endpoints: [WebhookEndpoint] { Self.list(urls).compactMap { WebhookEndpoint($0) } }
  var wanted: WebhookKinds { WebhookKinds(names: Self.list(kinds)) ?? .standard }

  /// The parts between commas, without the spaces around them; nothing for `none`.
  static func list(_ text: String) -> [String] {
    text == none ? [] : text.split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
  }
}

/// One receiver. Its address may hold secrets, so that logs and files call it by `id` and `place`.
struct WebhookEndpoint: Sendable, Hashable {
  let url: String
  /// 16 hexadecimal digits of the address's hash: the name of its cursor file.
  let id: String
  /// Scheme, host and port.
  let place: String

  /// Nil unless it is an http or https address with a host and without a user's name.
  init?(_ url: String) {
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

extension Setting {
  static let webhooks: [Setting] = [
    Setting(
      key: "webhooks.urls", meaning: "where room and member events are told (docs/WEBHOOKS.md)",
      form: "none, or http and https addresses with commas",
      set: { settings, text in
        let urls = WebhookSettings.list(text)
        guard !text.isEmpty, urls.allSatisfy({ WebhookEndpoint($0) != nil }) else {
          return "is not a list of http or https addresses without user names"
        }
        guard Set(urls).count == urls.count, urls.count <= WebhookSettings.mostEndpoints else {
          return "names an address twice, or more than \(WebhookSettings.mostEndpoints)"
        }
        settings.webhooks.urls = text
        return nil
      }, read: { $0.webhooks.urls }),
    Setting(
      key: "webhooks.secret", meaning: "what deliveries are signed with; two while one replaces the other",
      form: "none, or one or two secrets with commas",
      set: { settings, text in
        let secrets = WebhookSettings.list(text)
        guard !text.isEmpty, secrets.count <= 2, secrets.allSatisfy({ WebhookSecret($0) != nil }) else {
          return "is not one or two secrets of at least \(WebhookSecret.least) bytes"
        }
        settings.webhooks.secret = text
        return nil
      }, read: { $0.webhooks.secret == WebhookSettings.none ? WebhookSettings.none : "(set)" }),
    .text(
      "webhooks.secretFile", \.webhooks.secretFile,
      "file with the secrets, one a line; none: made in the data folder"),
    Setting(
      key: "webhooks.kinds", meaning: "which kinds of events are told", form: "standard and names of kinds",
      set: { settings, text in
        let names = WebhookSettings.list(text)
        guard !names.isEmpty, WebhookKinds(names: names) != nil else {
          return "is not a list of kinds as docs/WEBHOOKS.md has them"
        }
        settings.webhooks.kinds = text
        return nil
      }, read: { $0.webhooks.kinds }),
    .choice("webhooks.from", \.webhooks.from, "where a new endpoint begins in each room"),
    .duration(
      "webhooks.retention", \.webhooks.retention, .seconds(60)...(.seconds(31_536_000)),
      "how long an endpoint may fail before events are given up; 3 days"),
    .duration(
      "webhooks.timeout", \.webhooks.timeout, .milliseconds(100)...(.seconds(60)),
      "time for an endpoint to answer"),
    .count("webhooks.batch", \.webhooks.batch, 1...1_000, "events in one request; above 1: a JSON array"),
  ]
}
