import BoardroomCodec
import BoardroomModel
import EventLog
import EventLogModel
import Foundation
import Testing

@Suite("Command line: what a member's client was told")
struct HeardTests {
  private static let room = "0123456789abcdef0123456789abcdef"
  private let folder: Folder
  init() throws { folder = try Folder() }

  /// Ada has an outage and is thrown out; Ben says something that a terminal would obey.
  private func writeLog() async throws {
    let (ada, ben) = (Actor.member(0), Actor.member(1))
    let hidden = MagixEvent(name: "say", payload: JSONText(unchecked: "\"\u{9b}31mred\u{202e}\""))
    let events: [(Actor, Event)] = [
      (.server, .room(.created(RoomCreated(name: "heard")))), joined(ada, "ada"),
      (ada, .members(.phase(MemberPhaseChange(phase: .reconnecting, generation: 1)))),
      (ada, .members(.phase(MemberPhaseChange(phase: .connected, generation: 2)))), joined(ben, "ben"),
      (ben, .magix(hidden)),
      (.server, .members(.kicked(MemberKicked(member: 0, reason: .kickByAdmin)))),
      (ada, .members(.left(.kicked))),
    ]
    let store = try EmbeddedLogStore.open(folder: folder.path + "/data")
    let room = try #require(RoomID(Self.room))
    let start = Timestamp(milliseconds: SampleLog.start)
    let info = try await store.create(room, at: start)
    let records = events.enumerated().map { place, one in
      Record(
        kind: one.1.kind, time: start + .milliseconds(Int64(place) * 100), actor: one.0.code,
        body: EventCodec.encodeBody(one.1, counter: 0))
    }
    try await store.append(records, to: room, expecting: .zero, epoch: info.epoch)
    await store.shutdown()
  }

  private func joined(_ actor: Actor, _ uid: String) -> (Actor, Event) {
    let joined = MemberJoined(
      session: SessionID(high: 1, low: uid == "ada" ? 2 : 3), uid: uid, role: .writer, writable: true,
      payload: nil, client: nil)
    return (actor, .members(.joined(joined)))
  }

  private func heard(_ options: String...) async throws -> Program.Answer {
    try await Program.run(["replay", Self.room, "--heard"] + options, in: folder)
  }

  @Test("RP-71: a line for each callback, in order: entry, outage, return, what others did, the kick")
  func text() async throws {
    try await writeLog()
    let answer = try await heard("--member", "0")
    #expect(answer.status == 0, "\(answer.errors)")
    let names = ["firePhaseChanged", "fireBeingAbleToCommitChange", "fireMagixEvent", "fireKickedWithReason"]
    let lines = answer.lines.filter { line in names.contains { line.hasPrefix($0 + "(") } }
    #expect(
      lines == [
        #"firePhaseChanged("connecting")"#, #"firePhaseChanged("connected")"#,
        "fireBeingAbleToCommitChange(true)", #"firePhaseChanged("reconnecting")"#,
        "fireBeingAbleToCommitChange(false)", #"firePhaseChanged("connected")"#,
        "fireBeingAbleToCommitChange(true)",
        #"fireMagixEvent({"eventName":"say","payload":"\u{9b}31mred\u{202e}","scope":"custom","#
          + #""authorId":1,"isLate":false})"#,
        #"fireKickedWithReason("kickByAdmin")"#, #"firePhaseChanged("disconnected")"#,
        "fireBeingAbleToCommitChange(false)",
      ], "\(answer.output)")
    let members = answer.lines.filter { $0.hasPrefix("fireRoomStateChanged({\"roomMembers\":[") }
    #expect(members.contains { $0.contains(#""uid":"ben""#) }, "\(answer.output)")
    #expect(!answer.output.unicodeScalars.contains { ["\u{9b}", "\u{202e}"].contains($0) })
  }

  @Test("RP-71: as JSON each callback is an object with the time of its cause by the log, name and arguments")
  func json() async throws {
    try await writeLog()
    let answer = try await heard("--member", "0", "--json")
    #expect(answer.status == 0, "\(answer.errors)")
    let objects = try answer.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    let times = try #require(objects.map { $0["time"] as? Int64 } as? [Int64])
    #expect(times == times.sorted())
    let kick = try #require(objects.first { $0["callback"] as? String == "fireKickedWithReason" })
    #expect(kick["time"] as? Int64 == SampleLog.start + 700)
    #expect(kick["arguments"] as? [String] == ["kickByAdmin"])
    let said = try #require(objects.first { $0["callback"] as? String == "fireMagixEvent" })
    let event = try #require((said["arguments"] as? [[String: Any]])?.first)
    #expect(event["payload"] as? String == "\u{9b}31mred\u{202e}")
  }

  @Test(
    "RP-71: a member that was never there, and command lines that name none or too many, have their statuses")
  func wrong() async throws {
    try await writeLog()
    let nobody = try await heard("--member", "9")
    #expect(nobody.status == 66)
    #expect(nobody.errors.contains("Member 9 has not joined this room."), "\(nobody.errors)")
    for options in [
      [], ["--member", "0", "1"], ["--member", "0", "--kind", "stroke"], ["--member", "0", "--play"],
    ] {
      let answer = try await Program.run(["replay", Self.room, "--heard"] + options, in: folder)
      #expect(answer.status == 64, "\(options): \(answer.errors)")
    }
    let account = try await Program.run("replay", "--account", "ada", "--heard", "--member", "0", in: folder)
    #expect(account.status == 64)
    let missing = "0123456789abcdef0123456789abcde0"
    #expect(try await Program.run("replay", missing, "--heard", "--member", "0", in: folder).status == 66)
  }
}
