import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

@Suite("State patches")
struct StateDeltaTests {
  /// Member 0 observes, 1 is another; what each is told of what 1 and 0 do.
  private func told(
    _ steps: [(Command, MemberID)], before: [(Command, MemberID)] = [], onlyRemote: Bool = true
  ) throws -> StateParts {
    var trial = Trial(RoomPolicy(cameras: .all))
    for _ in 0..<2 { try trial.join() }
    for (command, member) in before { trial.say(command, member) }
    var state = trial.state
    let start = trial.log.count
    for (command, member) in steps { trial.say(command, member) }
    var delta = StateDelta(for: 0)
    for event in trial.log[start...] {
      var touched: RoomParts = []
      state.apply(event, touching: &touched)
      delta.note(event, touched, in: state)
    }
    #expect(state == trial.state)
    return delta.told(onlyRemote: onlyRemote)
  }

  static let scene: StateParts = [.sceneState, .pageState]
  static let view: StateParts = [.cameraState, .zoomScale]
  static let state = Command.state(.global(patch([("a", "1")])))
  static let tool = Command.state(.member(patch([("a", "1")])))

  static let table: [(rule: String, [(Command, MemberID)], remote: StateParts, own: StateParts)] = [
    ("RS-1", [(state, 1)], .globalState, .globalState),
    ("CB-12", [(state, 0)], [], .globalState),
    ("RS-2", [(tool, 1)], .roomMembers, .roomMembers),
    ("CB-12", [(tool, 0)], [], [.memberState, .roomMembers]),
    ("CB-12: scenes echo", [(pages("/", ["a"]), 0)], scene, scene),
    ("RS-4: of this directory only", [(pages("/d", ["a"]), 1)], [], []),
    ("RS-4", [(pages("/d", ["a"]), 1), (.scenes(.switchTo(.path("/d"))), 1)], scene, scene),
    ("CB-11: nothing new", [(.scenes(.switchTo(.path("/init"))), 1)], [], []),
    (
      "RS-6: the broadcaster has no camera yet", [(.members(.viewMode(.broadcaster)), 1)], .broadcastState,
      .broadcastState
    ),
    (
      "RS-7: a follower sees by the broadcaster's camera",
      [(.members(.viewMode(.broadcaster)), 1), (camera(5), 1)],
      view.union(.broadcastState), view.union(.broadcastState)
    ),
    ("RS-7: another's camera is its own", [(camera(5), 1)], [], []),
    ("CB-12: one's own camera echoes", [(camera(5), 0)], view, view),
    ("another's mode is its own", [(.members(.viewMode(.freedom)), 1)], [], []),
    ("W-4", [(.members(.setWritable(false)), 1)], .roomMembers, .roomMembers),
    ("CB-5: strokes are no room state", [(begin(1), 1), (magix(), 1), (pointer(1), 1)], [], []),
  ]

  @Test(
    "CB-11, CB-12, X-6, RS-1, RS-2, RS-4, RS-6, RS-7: what the observer is told", arguments: table.indices)
  func tableHolds(row: Int) throws {
    let (rule, steps, remote, own) = Self.table[row]
    #expect(try told(steps) == remote, "\(rule)")
    #expect(try told(steps, onlyRemote: false) == own, "\(rule)")
  }

  @Test("CB-11: setting what is there already tells nobody anything")
  func unchanged() throws {
    #expect(try told([(Self.state, 1), (Self.tool, 1)], before: [(Self.state, 1), (Self.tool, 1)]) == [])
  }

  @Test("TL-22: what differs between two states is what a whole catch-up tells")
  func between() throws {
    var trial = Trial(RoomPolicy(cameras: .all))
    for _ in 0..<2 { try trial.join() }
    let old = trial.state
    #expect(StateDelta.between(old, old, for: 0).told() == [])
    trial.record(trial.room.silent(1))
    trial.say(begin(1), 1)
    #expect(StateDelta.between(old, trial.state, for: 0).told() == [], "phases and strokes are not told")
    trial.say(Self.state, 1)
    trial.say(.members(.viewMode(.broadcaster)), 1)
    trial.say(camera(5), 1)
    trial.say(pages("/", ["a"]), 1)
    trial.say(store("s", [("x", "1")]), 1)
    trial.say(.history(.keep(scenes: 1)), 0)
    trial.say(rectangle("0.1"), 0)
    try trial.join()
    let all = StateDelta.between(old, trial.state, for: 0).told()
    #expect(all == StateParts.all.subtracting(.memberState))
    try trial.join(role: .reader)
    var reader = trial.state
    reader.members[3] = nil
    #expect(StateDelta.between(reader, trial.state, for: 0).told() == [], "readers are not listed")
  }

  @Test("W-4, RS-3, RM-listing: only writable members are listed")
  func listing() throws {
    var trial = Trial()
    try trial.join()
    try trial.join(role: .reader)
    #expect(trial.state.listedMembers.map(\.id) == [0])
  }
}
