import Foundation
import Testing

@Suite("Command line: accounts", .serialized)
struct SignalingTests {
  private let folder: Folder
  private let server: LiveServer

  init() async throws {
    folder = try Folder()
    server = LiveServer(in: folder)
    try await server.start()
  }

  private func talk(_ account: String, _ more: String..., script: String) async throws -> Program.Answer {
    try await Program.run(
      ["signaling", account, "--server", server.url] + more, input: script, in: folder)
  }

  private static let script = """
    channelJoin lobby
    wait onChannelUserList
    repeat 2 messageChannelSend lobby line {n}
    wait onMessageChannelReceive line 2
    channelSetAttr lobby topic tea and cake
    wait onChannelAttrUpdated tea
    getAttr mood
    wait onUserAttrResult
    """

  @Test(
    "A script signs in, waits for what it is told, signs out at its end; the log tells the same but for answers"
  )
  func script() async throws {
    let answer = try await talk("anna", script: Self.script)
    #expect(answer.status == 0, "\(answer.errors)")
    let lines = [
      "onLoginSuccess(0, 1)", "onChannelJoined(\"lobby\")", "onChannelUserList([\"anna\"], [0])",
      "onMessageSendSuccess(\"msg1\")", "onMessageChannelReceive(\"lobby\", \"anna\", 0, \"line 1\")",
      "onMessageSendSuccess(\"msg2\")", "onMessageChannelReceive(\"lobby\", \"anna\", 0, \"line 2\")",
      "onChannelAttrUpdated(\"lobby\", \"topic\", \"tea and cake\", \"update\")",
      "onUserAttrResult(\"anna\", \"mood\", \"\")",
    ]
    #expect(answer.lines.starts(with: lines), "\(answer.lines)")
    #expect(answer.lines.last == "onLogout(101)")
    #expect(try await server.interrupt() == 0)
    let told = try await Program.run("replay", "--account", "anna", "--heard", in: folder)
    #expect(told.lines.prefix(8) == lines.prefix(8), "\(told.output) \(told.errors)")
    #expect(told.lines.last == "onLogout(101)")
    #expect(!told.output.contains("onUserAttrResult"))
  }

  @Test("As JSON each callback is an object with time, name and arguments")
  func json() async throws {
    let answer = try await talk(
      "anna", "--json", script: "queryUserStatus bert\nwait onQueryUserStatusResult\n")
    #expect(answer.status == 0, "\(answer.errors)")
    let objects = try answer.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(
      objects.map { $0["callback"] as? String } == ["onLoginSuccess", "onQueryUserStatusResult", "onLogout"])
    #expect(objects[1]["arguments"] as? [String] == ["bert", "0"])
    #expect(objects.allSatisfy { $0["time"] is Int })
  }

  @Test("A script that is wrong, a wait in vain and a token that is none end it with their statuses")
  func wrong() async throws {
    #expect(try await talk("anna", script: "channelJion lobby\n").status == 64)
    #expect(try await talk("anna", script: "channelSetAttr lobby topic\n").status == 64)
    #expect(try await talk("anna", "--patience", "0", script: "wait onLogout\n").status == 1)
    let token = try await talk("anna", "--token", "nothing", script: "")
    #expect(token.status == 77, "\(token.output) \(token.errors)")
    #expect(token.lines == ["onLoginFailed(206)"], "\(token.output) \(token.errors)")
    #expect(try await talk("an na", script: "").status == 64)
    try folder.write("[]", to: "other.json")
    #expect(try await talk("anna", "--stay", "other.json", script: "").status == 65)
    let heard = try await Program.run("replay", "--channel", "signaling/lobby", "--heard", in: folder)
    #expect(heard.status == 64)
  }

  @Test("Stays are kept for their owner alone, and not beyond a goodbye")
  func stays() async throws {
    let answer = try await talk(
      "anna", "--stay", "anna.stay", script: "channelJoin lobby\nwait onChannelUserList\n")
    #expect(answer.status == 0, "\(answer.errors)")
    let file = folder.path + "/anna.stay"
    let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(rights == 0o600)
    #expect(try folder.text("anna.stay") == "{}\n")
  }
}
