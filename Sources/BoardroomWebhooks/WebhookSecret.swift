import BoardroomAccess
import Crypto
import EventLogModel

/// A secret for signing deliveries by Standard Webhooks: `whsec_` and base64, or any other text as it is.
package struct WebhookSecret: Sendable, Hashable {
  static let prefix = "whsec_"
  /// The shortest secret, 16 bytes: it cannot be guessed. 24 to 64 are usual.
  package static let least = 16

  let bytes: [UInt8]

  package init?(_ text: String) {
    let bytes =
      text.hasPrefix(Self.prefix) ? PlainBase64.decode(text.dropFirst(Self.prefix.count)) : Array(text.utf8)
    guard let bytes, bytes.count >= Self.least else { return nil }
    self.bytes = bytes
  }

  /// A random secret of 32 bytes, the length of the hash.
  package init() {
    var generator = SystemRandomNumberGenerator()
    bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  var text: String { Self.prefix + PlainBase64.encode(bytes) }

  /// The secrets of a file: one on each line, at most two, comments after `#`. Nil if there is none, or if
  /// one is not valid.
  static func read(lines text: String) -> [WebhookSecret]? {
    let lines = text.split(whereSeparator: \.isNewline).map(\.trimmed)
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    let secrets = lines.compactMap { WebhookSecret($0) }
    return secrets.count == lines.count && (1...2).contains(secrets.count) ? secrets : nil
  }
}

/// The three headers of Standard Webhooks.
struct WebhookSignature {
  static let idHeader = "webhook-id"
  static let timeHeader = "webhook-timestamp"
  static let signatureHeader = "webhook-signature"

  /// The headers with one signature for each secret, so that a receiver can change its secret at any time.
  static func headers(
    id: String, at now: Timestamp, body: [UInt8], secrets: [WebhookSecret]
  ) -> [(String, String)] {
    let seconds = String(now.milliseconds / 1_000)
    let signed = Array("\(id).\(seconds).".utf8) + body
    let signatures = secrets.map { secret in
      let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: secret.bytes))
      return "v1," + PlainBase64.encode(Array(code))
    }
    return [(idHeader, id), (timeHeader, seconds), (signatureHeader, signatures.joined(separator: " "))]
  }
}

/// Base64 with padding (RFC 4648, section 4).
enum PlainBase64 {
  static func encode(_ bytes: [UInt8]) -> String {
    let text = Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    return String(text) + String(repeating: "=", count: (3 - bytes.count % 3) % 3)
  }

  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    guard !text.contains(where: { $0 == "-" || $0 == "_" }) else { return nil }
    let bare = String(text).prefix { $0 != "=" }
    guard text.count - bare.count == (4 - bare.count % 4) % 4 || bare.count == text.count,
      text.dropFirst(bare.count).allSatisfy({ $0 == "=" })
    else { return nil }
    let letters = String(bare.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    return Base64URL.decode(letters[...])
  }
}
