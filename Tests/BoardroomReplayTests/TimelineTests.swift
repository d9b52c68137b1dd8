import BoardroomModel
import BoardroomReplay
import EventLogModel
import Testing

@Suite("Timeline")
struct TimelineTests {
  private func session() -> RecordedSession {
    var session = RecordedSession(seed: 1, events: 4)
    session.add(.members(.phase(MemberPhaseChange(phase: .reconnecting, generation: 1))), by: 1)
    session.wait(.seconds(6))
    session.add(.members(.phase(MemberPhaseChange(phase: .connected, generation: 2))), by: 1)
    session.command(
      .diagnostics(
        .clientPhases([
          ClientPhase(phase: "reconnecting", ago: 5_000), ClientPhase(phase: "connected", ago: 0),
        ])), by: 1)
    session.command(.members(.writable(false)), by: 2)
    session.command(.moderation(.writing(0, isAllowed: false)), by: 1)
    session.command(.moderation(.hand(true)), by: 0)
    session.add(.members(.kicked(MemberKicked(member: 2, reason: .kickByAdmin))), by: nil)
    session.add(.members(.left(.kicked)), by: 2)
    session.add(.members(.replaced(MemberReplaced(by: SessionID(high: 1, low: 2)))), by: 0)
    session.add(.members(.left(.replaced)), by: 0)
    return session
  }

  @Test("RP-64: joins, phases, kicks and leaves stand beside the board, each with its member and time")
  func everyChangeIsThere() async throws {
    let session = session()
    let timeline = try await Timeline.of(session.stored())
    let expected: [(UInt64, MemberID, Timeline.What)] = [
      (2, 0, .joined(uid: "user0", role: .writer, client: "tests/1")),
      (3, 1, .joined(uid: "user1", role: .writer, client: "tests/1")),
      (4, 2, .joined(uid: "user2", role: .writer, client: "tests/1")),
      (5, 1, .phase(.reconnecting, generation: 1)), (6, 1, .phase(.connected, generation: 2)),
      (7, 1, .clientPhase("reconnecting")), (7, 1, .clientPhase("connected")), (8, 2, .writable(false)),
      (9, 0, .allowed(false, by: .member(1))), (10, 0, .hand(true)),
      (11, 2, .kicked(.kickByAdmin, by: .server)), (12, 2, .left(.kicked)),
      (13, 0, .replaced(by: SessionID(high: 1, low: 2))), (14, 0, .left(.replaced)),
    ]
    #expect(timeline.entries.map(\.revision.rawValue) == expected.map(\.0))
    #expect(timeline.entries.map(\.member) == expected.map(\.1))
    #expect(timeline.entries.map(\.what) == expected.map(\.2))
    let told = timeline.entries[5].time
    #expect(told == session.records[6].time + .milliseconds(-5_000))
    #expect(timeline.entries[10].time == session.records[10].time)
  }

  @Test("RP-64: the track up to a moment holds nothing of what came later")
  func upToAMoment() async throws {
    let timeline = try await Timeline.of(session().stored(), through: 6)
    #expect(timeline.entries.map(\.revision) == [2, 3, 4, 5, 6])
    #expect(timeline.only(EventFilter(members: [1])).entries.map(\.revision) == [3, 5, 6])
    #expect(timeline.entries(of: 0).count == 1)
  }

  @Test("RP-64: the roster at each moment agrees with the track")
  func rosterAgrees() async throws {
    let recording = try await session().stored()
    var replay = try await Replay(recording)
    for revision in 1...recording.info.last.rawValue {
      try await replay.seek(to: Revision(revision))
      let track = try await Timeline.of(recording, through: Revision(revision))
      var present: Set<MemberID> = []
      for entry in track.entries {
        switch entry.what {
        case .joined: present.insert(entry.member)
        case .left: present.remove(entry.member)
        case .phase, .clientPhase, .writable, .allowed, .hand, .kicked, .replaced: break
        }
      }
      #expect(Set(replay.moment.roster.map(\.id)) == present, "revision \(revision)")
    }
  }
}
