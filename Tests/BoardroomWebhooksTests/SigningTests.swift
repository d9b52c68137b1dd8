import Crypto
import EventLogModel
import Foundation
import Testing

@testable import BoardroomWebhooks

/// The example of the Standard Webhooks specification and its reference libraries.
private let published = (
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  seconds: 1_614_265_330,
  body: "{\"test\": 2432232314}", signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

private func sign(_ secrets: [WebhookSecret], _ id: String, _ seconds: Int, _ body: String) -> [String:
  String]
{
  let now = Timestamp(milliseconds: Int64(seconds) * 1_000 + 999)
  let headers = WebhookSignature.headers(id: id, at: now, body: Array(body.utf8), secrets: secrets)
  return Dictionary(uniqueKeysWithValues: headers)
}

@Test("HOOK-9: a signature is the one that the published example of Standard Webhooks has")
func publishedExample() throws {
  let secret = try #require(WebhookSecret(published.secret))
  let headers = sign([secret], published.id, published.seconds, published.body)
  #expect(headers["webhook-signature"] == published.signature)
  #expect(headers["webhook-id"] == published.id)
  #expect(headers["webhook-timestamp"] == String(published.seconds))
}

/// HMAC-SHA256 by its definition (RFC 2104), so that the test does not ask the code under test.
private func hmac(_ key: [UInt8], _ text: [UInt8]) -> [UInt8] {
  let short = key.count > 64 ? Array(SHA256.hash(data: key)) : key
  let padded = short + [UInt8](repeating: 0, count: 64 - short.count)
  let inner = Array(SHA256.hash(data: padded.map { $0 ^ 0x36 } + text))
  return Array(SHA256.hash(data: padded.map { $0 ^ 0x5c } + inner))
}

@Test("HOOK-9: while secrets change, both sign, and each signature holds by itself")
func bothSecretsSign() throws {
  let texts = ["whsec_" + Data(repeating: 7, count: 32).base64EncodedString(), "a plain secret of our own"]
  let secrets = try texts.map { try #require(WebhookSecret($0)) }
  let signatures = try #require(sign(secrets, "id-1", 1_700_000_000, "{}")["webhook-signature"])
  let keys = [[UInt8](repeating: 7, count: 32), Array(texts[1].utf8)]
  let expected = keys.map { key in
    "v1," + Data(hmac(key, Array("id-1.1700000000.{}".utf8))).base64EncodedString()
  }
  #expect(signatures == expected.joined(separator: " "))
}

@Test("Secrets are read from text, and what is none is not taken")
func secretsAreRead() {
  #expect(WebhookSecret("short") == nil)
  #expect(WebhookSecret("whsec_not base64!") == nil)
  #expect(WebhookSecret("whsec_AAAA") == nil)
  let made = WebhookSecret()
  #expect(made.bytes.count == 32)
  #expect(WebhookSecret(made.text) == made)
  #expect(WebhookSecret() != made)
  #expect(WebhookSecret.read(lines: "# new\n\(made.text)\n\n  another secret of 20\n")?.count == 2)
  #expect(WebhookSecret.read(lines: "# none\n") == nil)
  #expect(WebhookSecret.read(lines: "\(made.text)\nshort\n") == nil)
  for count in 16...40 {
    let bytes = (0..<count).map { UInt8($0 * 7 & 255) }
    #expect(WebhookSecret("whsec_" + Data(bytes).base64EncodedString())?.bytes == bytes)
  }
}
