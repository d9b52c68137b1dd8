import BoardroomModel
import EventLogModel

/// A room that decides. It runs ahead of the log: its state includes events that are decided and not yet
/// durable, so that one command can build on the one before it. Pure: no clock, no socket, no file.
///
/// The driver's round, for each input: ask (`decide`, `join`, `leave`, …), append the events proposed, then
/// `apply` each with the revision that it got, and only then ask again.
public struct Room: Sendable {
  public private(set) var state: RoomState
  public let policy: RoomPolicy
  var ledgers: [MemberID: MemberLedger] = [:]
  var positions: [MemberID: HeldPositions] = [:]
  /// Bytes of the whole globalState, kept so that a patch is judged without adding up all of it.
  private(set) var globalStateSize: Int

  /// A room at some revision of its log: empty before its first event, or folded from what there is.
  public init(state: RoomState = RoomState(), policy: RoomPolicy = RoomPolicy()) {
    self.state = state
    self.policy = policy
    globalStateSize = state.globalState.reduce(2) { $0 + $1.value.size(under: $1.key) }
  }

  /// Takes an event in that this room proposed and the appender has given a revision.
  /// The anomaly is nil unless the driver let something come between (DEC-1).
  @discardableResult
  public mutating func apply(_ proposed: Proposed, revision: Revision, at time: Timestamp) -> Anomaly? {
    if case .globalState(let patch) = proposed.event { globalStateSize = size(after: patch) }
    if case .memberLeft = proposed.event, let member = proposed.actor.member {
      ledgers[member] = nil
      positions[member] = nil
    }
    return state.apply(
      RoomEvent(
        revision: revision, time: time, actor: proposed.actor, counter: proposed.counter,
        event: proposed.event))
  }

  /// What every command is asked for, read in place: a member copied out of the dictionary costs a dozen
  /// reference counts.
  mutating func standing(of member: MemberID) -> Standing? {
    var standing: Standing?
    state.change(member) { standing = Standing(isWritable: $0.writable, lastCounter: $0.lastCounter) }
    return standing
  }

  /// Bytes of the globalState once the patch is applied.
  func size(after patch: JSONPatch) -> Int {
    var sizes: [String: Int] = [:]
    for (key, value) in patch.fields { sizes[key] = value?.size(under: key) ?? 0 }
    return sizes.reduce(globalStateSize) { total, field in
      total + field.value - (state.globalState[field.key]?.size(under: field.key) ?? 0)
    }
  }
}

struct Standing {
  var isWritable: Bool
  var lastCounter: CommandCounter
}

extension JSONText {
  /// Bytes of a field in an object: the key in its quotes, colon, value and comma.
  func size(under key: String) -> Int { key.utf8.count + bytes.count + 4 }
}
