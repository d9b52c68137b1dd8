import BoardroomModel
import EventLogModel
import Foundation
import Testing

@testable import BoardroomHosting
@testable import BoardroomServer
@testable import BoardroomWebhooks

private func settings(_ flags: [String: String]) throws(SettingError) -> WebhookSettings {
  try ServerSettings(flags: flags).webhooks
}

@Test(
  "HOOK-7: endpoints come from the operator's settings as http and https addresses, and nothing else is taken"
)
func addresses() throws {
  let set = try settings(["webhooks.urls": "https://a.example/x?y=1, http://127.0.0.1:9000/hook"])
  #expect(set.endpoints.map(\.place) == ["https://a.example", "http://127.0.0.1:9000"])
  #expect(set.endpoints.map(\.id.count) == [16, 16])
  let wrong = [
    "ftp://a.example", "a.example", "file:///etc/passwd", "https://", "https://u:p@a.example/", "http://a b",
    "http:///x", "http://:80/", "https://a.example,https://a.example", "unix:/x", "http://ä.example",
  ]
  for text in wrong {
    #expect(throws: SettingError.self, "\(text)") { try settings(["webhooks.urls": text]) }
  }
  let many = (0...16).map { "http://a\($0).example" }.joined(separator: ",")
  #expect(throws: SettingError.self) { try settings(["webhooks.urls": many]) }
  #expect(try settings([:]).endpoints.isEmpty)
}

@Test("A secret is never shown")
func secretsAreHidden() throws {
  let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  let all = try ServerSettings(flags: ["webhooks.secret": secret])
  #expect(Setting.named("webhooks.secret")?.text(in: all) == "(set)")
  for setting in Setting.all { #expect(!setting.text(in: all).contains(secret)) }
  for wrong in ["short", "a,b,c", "\(secret),\(secret),\(secret)"] {
    #expect(throws: SettingError.self) { try settings(["webhooks.secret": wrong]) }
  }
}

@Test("Kinds are those of the log by name; one that is none is an error")
func kindNames() throws {
  let set = try settings(["webhooks.kinds": "standard,magix"]).wanted
  let room = RoomID(high: 1, low: 1)
  #expect(set.concerns(30, in: room))
  #expect(set.concerns(17, in: room))
  #expect(!set.concerns(1, in: room))
  #expect(set.emptied)
  let one = try settings(["webhooks.kinds": "roomEmptied"]).wanted
  #expect(one.concerns(18, in: room))
  #expect(one.type(of: 18, in: room) == nil)
  // Damage is standard, and is told by no other kind's name.
  for (kinds, isTold) in [("standard", true), ("damageFound", true), ("magix", false)] {
    let wanted = try settings(["webhooks.kinds": kinds]).wanted
    #expect(wanted.concerns(30, in: .operators) == isTold, "\(kinds)")
    #expect(
      wanted.type(of: 30, in: .operators)?.name == (isTold ? "net.boardroom.server.damage" : nil), "\(kinds)")
  }
  #expect(throws: SettingError.self) { try settings(["webhooks.kinds": "standard,stroked"]) }
}

@Test("docs/WEBHOOKS.md has the table of types as the code has it")
func typesAreDocumented() throws {
  let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  let page = try String(contentsOf: root.appending(path: "docs/WEBHOOKS.md"), encoding: .utf8)
  #expect(page.contains(WebhookType.markdown))
}
