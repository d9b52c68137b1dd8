import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Golden messages of members whose token says who they are, beside one that only says so itself.
enum BoundSamples {
  private static let time = Timestamp(milliseconds: 1_764_000_000_000)

  private static var run: Run {
    var builder = RunBuilder(first: 320, base: time)
    for (number, isBound) in [(5, true), (6, false)] as [(UInt64, Bool)] {
      let joined = MemberJoined(
        session: LogID(high: 7, low: number), uid: "ana", role: .writer, writable: true, payload: nil,
        client: "sample/1", isBound: isBound)
      builder.append(
        Record(
          kind: EventKind.memberJoined.rawValue, time: time, actor: Actor.member(MemberID(number)).code,
          body: EventCodec.encodeBody(.members(.joined(joined)), counter: 0)))
    }
    return builder.takeRun()!
  }

  /// A member whose name and one of whose elements were erased.
  private static var erased: Run {
    var builder = RunBuilder(first: 330, base: time)
    let joined = MemberJoined(
      session: LogID(high: 7, low: 5), uid: nil, role: .writer, writable: true, payload: nil, client: nil,
      erased: String(repeating: "0a", count: 32))
    let erased = ErasedContent(
      kind: EventKind.elementPut.rawValue, hash: String(repeating: "0b", count: 32))
    for (counter, event) in [(0, .members(.joined(joined))), (9, .diagnostics(.contentErased(erased)))]
      as [(UInt64, Event)]
    {
      builder.append(
        Record(
          kind: event.kind, time: time, actor: Actor.member(5).code,
          body: EventCodec.encodeBody(event, counter: counter)))
    }
    return builder.takeRun()!
  }

  private static var root: Snapshot {
    var state = RoomState()
    (state.revision, state.time, state.createdAt, state.nextMember) = (321, time, time, 7)
    state.created = RoomCreated(name: "Sample")
    (state.scenes, state.currentScene, state.nextScene) = ([Scene(id: 1, directory: "/", name: "init")], 1, 2)
    for (number, uid) in [(5, "ana"), (6, "ben")] as [(UInt64, String)] {
      state.members[MemberID(number)] = Member(
        id: MemberID(number), session: LogID(high: 7, low: number), uid: uid, role: .reader, writable: false,
        payload: nil, client: nil, joined: time)
    }
    state.members[5]?.isBound = true
    var encoder = StateEncoder()
    return encoder.snapshot(of: state)
  }

  static let server: [(name: String, notice: Notice)] = [
    ("run-bound", .run(run)), ("run-contentErased", .run(erased)),
    (
      "snapshotRoot-bound",
      .snapshotRoot(
        revision: root.revision, time: root.time, stateHash: root.stateHash, parts: root.parts.count,
        bytes: root.root)
    ),
  ]
}
