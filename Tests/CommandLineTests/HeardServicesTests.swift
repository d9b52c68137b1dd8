import BoardroomCodec
import BoardroomModel
import EventLog
import EventLogModel
import Foundation
import Testing

@Suite("Command line: what clients of RTC and RTM were told")
struct HeardServicesTests {
  private static let lesson = SpaceName.channel(.rtc, "lesson")
  private static let lobby = SpaceName.channel(.rtm, "lobby")
  private static let start = Timestamp(milliseconds: SampleLog.start)
  private let folder: Folder
  init() throws { folder = try Folder() }

  private typealias LogEntry = (ms: Int64, actor: Actor, event: Event)

  private func write(_ entries: [LogEntry], to space: SpaceName, in store: EmbeddedLogStore) async throws {
    let info = try await store.create(space.log, at: Self.start)
    let first: LogEntry = (0, .server, .space(.created(space)))
    let records = ([first] + entries).map { entry in
      Record(
        kind: entry.event.kind, time: Self.start + .milliseconds(entry.ms), actor: entry.actor.code,
        body: EventCodec.encodeBody(entry.event, counter: 0))
    }
    try await store.append(records, to: space.log, expecting: .zero, epoch: info.epoch)
  }

  private func joined(_ ms: Int64, _ member: UInt64, _ uid: String) -> LogEntry {
    let joined = MemberJoined(
      session: SessionID(high: 1, low: member), uid: uid, role: .writer, writable: true, payload: nil,
      client: nil)
    return (ms, .member(MemberID(member)), .members(.joined(joined)))
  }

  /// User 7 has an outage of which it told the log, and is removed; user 8 is taken over meanwhile, and says goodbye.
  private func writeLesson(in store: EmbeddedLogStore) async throws {
    let (seven, eight, again) = (Actor.member(0), Actor.member(1), Actor.member(2))
    let told = [
      ClientPhase(phase: "reconnecting", ago: 8_000, revision: 3), ClientPhase(phase: "connected", ago: 0),
    ]
    try await write(
      [
        joined(0, 0, "7"), joined(1_000, 1, "8"),
        (4_000, seven, .members(.phase(MemberPhaseChange(phase: .reconnecting, generation: 1)))),
        (6_000, eight, .members(.replaced(MemberReplaced(by: SessionID(high: 1, low: 2))))),
        (6_000, eight, .members(.left(.replaced))),
        joined(6_000, 2, "8"),
        (12_000, seven, .members(.phase(MemberPhaseChange(phase: .connected, generation: 2)))),
        (12_000, seven, .diagnostics(.clientPhases(told))), (14_000, again, .members(.left(.left))),
        (20_000, .server, .members(.kicked(MemberKicked(member: 0, reason: .kickByAdmin)))),
        (20_000, seven, .members(.left(.kicked))),
      ], to: Self.lesson, in: store)
  }

  /// Anna talks in the lobby, where Ben says something that a terminal would obey.
  private func writeLobby(in store: EmbeddedLogStore) async throws {
    let (login, anna, ben) = (Actor.member(0), Actor.member(0), Actor.member(1))
    let letter = InboxMessage(version: 1, service: .rtm, from: "ben", id: "m", text: "psst")
    try await write(
      [
        joined(0, 0, "rtm"), (1_000, login, .space(.channelEntered("lobby"))),
        (4_000, .server, .space(.inboxMessage(letter))), (9_000, login, .members(.left(.left))),
      ], to: .account("anna"), in: store)
    try await write(
      [
        joined(1_000, 0, "anna"), joined(2_000, 1, "ben"),
        (3_000, ben, .space(.channelMessage(ChannelMessage(id: "1", text: "\u{9b}31mred\u{202e}")))),
        (5_000, anna, .space(.attributesSet(AttributesSet([.init(name: "topic", value: "tea")])))),
        (6_000, ben, .members(.left(.left))), (9_000, anna, .members(.left(.left))),
      ], to: Self.lobby, in: store)
  }

  private func writeLogs() async throws {
    let store = try EmbeddedLogStore.open(folder: folder.path + "/data")
    try await writeLesson(in: store)
    try await writeLobby(in: store)
    await store.shutdown()
  }

  private func heard(_ options: String...) async throws -> Program.Answer {
    try await Program.run(["replay", "--heard"] + options, in: folder)
  }

  private func objects(_ answer: Program.Answer) throws -> [[String: Any]] {
    try answer.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  @Test(
    "RP-72: a line for each callback of a member of an RTC channel, named by its name or by its log's uuid")
  func rtc() async throws {
    try await writeLogs()
    let lines = [
      "connectionChangedToState(2, 0)", "connectionChangedToState(3, 1)", #"didJoinChannel("lesson", 7, 0)"#,
      "didJoinedOfUid(8, 1000)", "connectionChangedToState(4, 2)", "rtcEngineConnectionDidLost()",
      "connectionChangedToState(3, 15)", #"didRejoinChannel("lesson", 7, 8000)"#, "didOfflineOfUid(8, 0)",
      "connectionChangedToState(5, 3)",
    ]
    for name in [["--channel", "rtc/lesson"], [Self.lesson.log.description]] {
      let answer = try await Program.run(["replay"] + name + ["--heard", "--member", "0"], in: folder)
      #expect(answer.status == 0, "\(answer.errors)")
      #expect(answer.lines == lines)
    }
    let json = try await heard("--channel", "rtc/lesson", "--member", "0", "--json")
    let times = try objects(json).map { $0["time"] as? Int64 }
    #expect(
      times == [0, 0, 0, 1_000, 4_000, 10_000, 12_000, 12_000, 14_000, 20_000].map { SampleLog.start + $0 })
  }

  @Test("RP-72: a line for each callback of an account's RTM clients, those of its channels with the channel")
  func rtm() async throws {
    try await writeLogs()
    let answer = try await heard("--account", "anna", "--service", "rtm")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(
      answer.lines == [
        "connectionStateChanged(2, 1)", "connectionStateChanged(3, 2)", #"memberCount(1, "lobby")"#,
        #"memberJoined("ben", "lobby")"#, #"memberCount(2, "lobby")"#,
        #"messageReceivedFromMember("\u{9b}31mred\u{202e}", "ben", "lobby")"#,
        #"messageReceivedFromPeer("psst", "ben")"#, #"attributeUpdate({"topic":"tea"}, "lobby")"#,
        #"memberLeft("ben", "lobby")"#, #"memberCount(1, "lobby")"#, "connectionStateChanged(1, 6)",
      ])
    #expect(!answer.output.unicodeScalars.contains { ["\u{9b}", "\u{202e}"].contains($0) })
    let json = try await heard("--account", "anna", "--service", "rtm", "--json")
    let said = try #require(
      try objects(json).first { $0["callback"] as? String == "messageReceivedFromMember" })
    #expect(said["arguments"] as? [String] == ["\u{9b}31mred\u{202e}", "ben", "lobby"])
    #expect(said["time"] as? Int64 == SampleLog.start + 3_000)
    let signaling = try await heard("--account", "anna")
    #expect(signaling.status == 0)
    #expect(signaling.lines.isEmpty)
    #expect(signaling.errors.contains("--service rtm"), "\(signaling.errors)")
    #expect(!signaling.errors.contains("lobby"), "RTM's channels are none of Signaling")
  }

  @Test("RP-72: who was never there, and command lines that fit no log, are answered with what helps")
  func wrong() async throws {
    try await writeLogs()
    let nobody = try await heard("--channel", "rtc/lesson", "--member", "9")
    #expect(nobody.status == 66)
    #expect(nobody.errors.contains("Member 9 has not joined this channel."), "\(nobody.errors)")
    for (options, help) in [
      (["--channel", "rtc/lesson"], "--member"),
      (["--channel", "rtm/lobby", "--member", "0"], "--service rtm"),
      (["--channel", "signaling/lobby", "--member", "0"], "--account NAME"),
      ([Self.lobby.log.description, "--member", "0"], "--service rtm"),
      ([SpaceName.account("anna").log.description, "--member", "0"], "--account anna"),
      (["--account", "anna", "--service", "rtc"], "rtm"),
      (["--channel", "rtc/lesson", "--member", "0", "--service", "rtm"], "--account"),
    ] {
      let answer = try await Program.run(["replay", "--heard"] + options, in: folder)
      #expect(answer.status == 64, "\(options): \(answer.errors)")
      #expect(answer.errors.contains(help), "\(options): \(answer.errors)")
    }
    let idle = try await Program.run("replay", "--account", "anna", "--service", "rtm", in: folder)
    #expect(idle.status == 64)
    let missing = try await heard("--account", "nobody", "--service", "rtm")
    #expect(missing.status == 66, "\(missing.errors)")
  }
}
