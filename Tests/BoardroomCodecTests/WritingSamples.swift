import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Golden messages of what came later: who may write, raised hands, pages in another order.
enum WritingSamples {
  private static let time = Timestamp(milliseconds: 1_764_000_000_000)

  static let client: [(name: String, notice: ClientNotice)] = [
    (
      "commands-writing",
      .commands([
        NumberedCommand(counter: 1, command: .moderation(.hand(true))),
        NumberedCommand(counter: 2, command: .moderation(.writing(300, isAllowed: false))),
        NumberedCommand(counter: 3, command: .moderation(.lock(true))),
        NumberedCommand(counter: 4, command: .scenes(.move(path: "/d/a", target: "/d", index: 2))),
      ])
    )
  ]

  private static var run: Run {
    var builder = RunBuilder(first: 310, base: time)
    let events: [(UInt64, Event)] = [
      (2, .moderation(.hand(true))), (0, .moderation(.writing(1, isAllowed: false))),
      (1, .moderation(.lock(true))), (1, .moderation(.lock(false))),
      (1, .scenes(.moved(SceneMoved(scene: 4, directory: "/d", name: "a", index: 2)))),
    ]
    for (place, (actor, event)) in events.enumerated() {
      builder.append(
        Record(
          kind: event.kind, time: time + .milliseconds(20 * place), actor: actor,
          body: EventCodec.encodeBody(event, counter: actor)))
    }
    return builder.takeRun()!
  }

  /// A store that was not there was to be deleted, a hand raised that was up.
  private static var idle: Run {
    var builder = RunBuilder(first: 320, base: time)
    for (counter, kind) in [(5, EventKind.storeDeleted), (6, .handRaised)] as [(CommandCounter, EventKind)] {
      let event = Event.diagnostics(.nothingChanged(kind: kind.rawValue))
      builder.append(
        Record(
          kind: event.kind, time: time, actor: 1, body: EventCodec.encodeBody(event, counter: counter)))
    }
    return builder.takeRun()!
  }

  /// Locked by member 0; member 1 is not let write and has its hand up; another user who is not has left.
  private static var root: Snapshot {
    var state = RoomState()
    (state.revision, state.time, state.createdAt, state.nextMember) = (314, time, time, 3)
    state.created = RoomCreated(name: "Sample")
    (state.scenes, state.currentScene, state.nextScene) = ([Scene(id: 1, directory: "/", name: "init")], 1, 2)
    (state.lock, state.barredUsers) = (RoomLock(by: 0), ["bob"])
    for (number, role) in [(0, Role.admin), (1, .writer)] as [(UInt64, Role)] {
      state.members[MemberID(number)] = Member(
        id: MemberID(number), session: LogID(high: 7, low: number), uid: nil, role: role,
        writable: number == 0,
        payload: nil, client: nil, joined: time)
    }
    state.members[1]?.isKept = true
    state.members[1]?.isBarred = true
    state.members[1]?.hand = time
    var encoder = StateEncoder()
    return encoder.snapshot(of: state)
  }

  static let server: [(name: String, notice: Notice)] = [
    ("run-writing", .run(run)), ("run-nothingChanged", .run(idle)),
    (
      "snapshotRoot-writing",
      .snapshotRoot(
        revision: root.revision, time: root.time, stateHash: root.stateHash, parts: root.parts.count,
        bytes: root.root)
    ),
  ]
}
