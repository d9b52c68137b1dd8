import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

@Suite("View modes")
struct ViewModeTests {
  private func trial() throws -> Trial {
    var trial = Trial(RoomPolicy(cameras: .all))
    for _ in 0..<3 { try trial.join() }
    return trial
  }

  private func modes(_ trial: Trial) -> [ViewMode] { trial.state.roster.map(\.viewMode) }

  enum Step: Sendable {
    case mode(ViewMode, MemberID)
    case camera(MemberID)
    case leaves(MemberID)
    case joins
    case readOnly(MemberID)
  }

  static let table: [(rule: String, steps: [Step], broadcaster: MemberID?, modes: [ViewMode])] = [
    ("V-1: everybody is free at first", [], nil, [.freedom, .freedom, .freedom]),
    (
      "V-3: everybody else follows a broadcaster", [.mode(.broadcaster, 1)], 1,
      [.follower, .broadcaster, .follower]
    ),
    (
      "V-2: a later broadcaster takes over", [.mode(.broadcaster, 1), .mode(.broadcaster, 2)], 2,
      [.follower, .follower, .broadcaster]
    ),
    (
      "V-3: who joins later follows too", [.mode(.broadcaster, 0), .joins], 0,
      [.broadcaster, .follower, .follower, .follower]
    ),
    (
      "V-4: a follower who moves its camera is free", [.mode(.broadcaster, 0), .camera(2)], 0,
      [.broadcaster, .follower, .freedom]
    ),
    (
      "V-4: the broadcaster's camera frees nobody", [.mode(.broadcaster, 0), .camera(0)], 0,
      [.broadcaster, .follower, .follower]
    ),
    (
      "V-5: a free member can follow again",
      [.mode(.broadcaster, 0), .mode(.freedom, 1), .mode(.follower, 1)], 0,
      [.broadcaster, .follower, .follower]
    ),
    ("V-5: nobody to follow, so it stays free", [.mode(.follower, 1)], nil, [.freedom, .freedom, .freedom]),
    (
      "V-6: the broadcaster goes free, and all with it", [.mode(.broadcaster, 0), .mode(.freedom, 0)], nil,
      [.freedom, .freedom, .freedom]
    ),
    (
      "V-6: the broadcaster leaves, and all are free", [.mode(.broadcaster, 0), .leaves(0)], nil,
      [.freedom, .freedom]
    ),
    (
      "V-6: a broadcaster that becomes read-only ends the broadcast",
      [.mode(.broadcaster, 0), .readOnly(0)], nil, [.freedom, .freedom, .freedom]
    ),
    (
      "V-6: another's leaving ends nothing", [.mode(.broadcaster, 0), .leaves(1)], 0,
      [.broadcaster, .follower]
    ),
  ]

  @Test("V-1 to V-6: modes after each step", arguments: table.indices)
  func tableHolds(row: Int) throws {
    var trial = try trial()
    for step in Self.table[row].steps {
      switch step {
      case .mode(let mode, let member): trial.say(.members(.viewMode(mode)), member)
      case .camera(let member): trial.say(camera(3), member)
      case .leaves(let member): trial.record(trial.room.leave(member, .left))
      case .joins: try trial.join()
      case .readOnly(let member): trial.say(.members(.setWritable(false)), member)
      }
    }
    #expect(trial.state.broadcaster == Self.table[row].broadcaster, "\(Self.table[row].rule)")
    #expect(modes(trial) == Self.table[row].modes, "\(Self.table[row].rule)")
  }

  @Test("V-5: follower is refused as noBroadcaster without another one to follow")
  func refusal() throws {
    var trial = try trial()
    #expect(trial.say(.members(.viewMode(.follower)), 0).code == .noBroadcaster)
    trial.say(.members(.viewMode(.broadcaster)), 0)
    #expect(trial.say(.members(.viewMode(.follower)), 0).code == .noBroadcaster)
    #expect(trial.say(.members(.viewMode(.follower)), 1).isDone)
  }

  @Test("V-5: even an event that says otherwise leaves nobody following nobody")
  func foldOnItsOwn() throws {
    var trial = try trial()
    trial.say(.members(.viewMode(.broadcaster)), 0)
    trial.record([Proposed(actor: .member(0), event: .members(.viewMode(.follower)))])
    #expect(trial.anomalies.count == 1)
    #expect(modes(trial) == [.freedom, .freedom, .freedom])
    #expect(trial.state.broadcaster == nil)
  }
}
