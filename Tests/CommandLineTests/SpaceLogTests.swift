import BoardroomCodec
import BoardroomModel
import EventLog
import EventLogModel
import Foundation
import Testing

/// A channel's and an account's log in an embedded store.
private struct Sample: Sendable, CustomTestStringConvertible {
  var name: SpaceName
  var options: [String]
  var events: [(Actor, Event)]
  var words: [String]
  var testDescription: String { options.joined(separator: " ") }

  static let all = [
    Sample(
      name: .channel(.signaling, "the/lobby"), options: ["--channel", "signaling/the/lobby"],
      events: [
        joined("ada"), (.member(0), .space(.attributesSet(AttributesSet([.init(name: "a", value: "1")])))),
        (.member(0), .space(.channelMessage(ChannelMessage(id: "1", text: "a secret")))),
        (.member(0), .members(.left(.left))), (.server, .space(.expired)),
      ], words: ["the/lobby", "set a", "8 bytes"]),
    Sample(
      name: .account("ada"), options: ["--account", "ada"],
      events: [
        joined("signaling"), (.member(0), .space(.channelEntered("lobby"))),
        (
          .server,
          .space(
            .inboxMessage(
              InboxMessage(version: 1, service: .signaling, from: "bob", id: "1", text: "a secret")))
        ), (.member(0), .space(.inboxAcked(1))),
      ], words: ["account ada", "channel lobby", "from bob"]),
  ]

  private static func joined(_ uid: String) -> (Actor, Event) {
    let joined = MemberJoined(
      session: SessionID(high: 1, low: 2), uid: uid, role: .writer, writable: true, payload: nil, client: nil)
    return (.member(0), .members(.joined(joined)))
  }

  func write(to folder: String) async throws {
    let store = try EmbeddedLogStore.open(folder: folder)
    let start = Timestamp(milliseconds: SampleLog.start)
    let info = try await store.create(name.log, at: start)
    let records = ([(Actor.server, .space(.created(name)))] + events).enumerated().map { place, one in
      Record(
        kind: one.1.kind, time: start + .milliseconds(Int64(place) * 100), actor: one.0.code,
        body: EventCodec.encodeBody(one.1, counter: 0))
    }
    try await store.append(records, to: name.log, expecting: .zero, epoch: info.epoch)
    await store.shutdown()
  }
}

@Suite("Command line: logs of channels and accounts")
struct SpaceLogTests {
  private let folder: Folder
  init() throws { folder = try Folder() }

  private func run(_ words: String, _ options: [String]) async throws -> Program.Answer {
    let answer = try await Program.run(words.split(separator: " ").map(String.init) + options, in: folder)
    #expect(answer.status == 0, "\(words): \(answer.errors)")
    return answer
  }

  private func stateHash(_ options: [String]) async throws -> String {
    let answer = try await run("replay --at end --json", options)
    let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
    return try #require(object?["stateHash"] as? String)
  }

  @Test(
    "SPC-12: fold, state hash, export, verify, inspect and replay work for them as for rooms",
    arguments: Sample.all)
  private func all(_ sample: Sample) async throws {
    try await sample.write(to: folder.path + "/data")
    let log = sample.name.log.description
    let count = sample.events.count + 1
    let hash = try await stateHash(sample.options)
    #expect(try await stateHash([log]) == hash, "its log is named by a hash of its name")

    let exported = try await run("export --quiet", sample.options)
    #expect(exported.lines.count == count)
    try folder.write(exported.output, to: "space.jsonl")
    _ = try await run("import space.jsonl --data copy --room", [log])
    #expect(try await stateHash(sample.options + ["--data", "copy"]) == hash)

    let verified = try await run("verify --level deep --quiet", sample.options)
    #expect(verified.output.contains("\(count) events folded"))
    #expect(verified.output.contains(hash))
    #expect(verified.output.contains("All is well."))
    #expect(try await run("inspect --json", sample.options).output.contains("\"last\":\(count)"))
    let played = try await run("replay --play --speed 0", sample.options)
    #expect(played.lines.count == count)
    #expect(!played.output.contains("secret"))
    for words in sample.words { #expect(played.output.contains(words), "no \(words) in \(played.output)") }
  }

  @Test("A log is named once, and as docs say")
  func wrongNames() async throws {
    try await Sample.all[0].write(to: folder.path + "/data")
    for options in [
      [], ["--channel", "lobby"], ["--channel", "white/lobby"], ["--channel", "rtm/"],
      ["--account", "ada", "--channel", "rtm/x"], [SampleLog.room, "--account", "ada"],
    ] {
      let answer = try await Program.run(["export"] + options, in: folder)
      #expect(answer.status == 64, "\(options): \(answer.status) \(answer.errors)")
    }
    #expect(try await Program.run("export", "--account", "nobody", in: folder).status != 0)
  }
}
