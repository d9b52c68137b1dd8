import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Everything that is true in a room at one instant.
public struct Moment: Sendable {
  public let state: RoomState

  public init(_ state: RoomState) { self.state = state }

  /// The last event folded in; zero before the first.
  public var revision: Revision { state.revision }
  /// The time of that event, by the server's clock.
  public var time: Timestamp { state.time }
  public var roster: [Member] { state.roster }
  /// 32 bytes, the same on server, mirror and replay (docs/PROTOCOL.md, section 7).
  public var stateHash: [UInt8] { StateEncoder.hash(of: state) }
}

/// What differs between two moments of one room, as one combined change (RP-61).
public struct MomentChange: Sendable, Hashable {
  public var from: Revision
  public var to: Revision
  /// Top-level keys of globalState that were set, changed or removed, sorted.
  public var globalState: [String]
  public var joined: [MemberID]
  public var left: [MemberID]
  /// Members who are present at both moments and differ.
  public var changed: [MemberID]
  public var scenes: Bool
  public var currentScene: Bool
  public var broadcaster: Bool
  /// Names of stores that differ, sorted (SS-1).
  public var stores: [String]
  /// Whether the room's ban, its end, its lock or its limits differ.
  public var moderation: Bool
  public var put: Int
  public var erased: Int

  public init(from old: Moment, to new: Moment) {
    let (before, after) = (old.state, new.state)
    from = old.revision
    to = new.revision
    globalState = Self.keys(before.globalState, after.globalState)
    stores = Self.keys(before.stores, after.stores)
    moderation =
      before.isBanned != after.isBanned || before.isDeleted != after.isDeleted
      || before.limits != after.limits || before.bans != after.bans || before.lock != after.lock
    joined = after.members.keys.filter { before.members[$0] == nil }.sorted()
    left = before.members.keys.filter { after.members[$0] == nil }.sorted()
    changed = after.roster.filter { before.members[$0.id] != nil && before.members[$0.id] != $0 }.map(\.id)
    scenes = before.scenes != after.scenes
    currentScene = before.currentScene != after.currentScene
    broadcaster = before.broadcaster != after.broadcaster
    (put, erased) = after.elements.changes(since: before.elements)
  }

  /// Keys whose values differ, sorted.
  private static func keys<Value: Equatable>(_ old: [String: Value], _ new: [String: Value]) -> [String] {
    Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
  }

  /// Whether nothing but the revision differs.
  public var isEmpty: Bool {
    globalState.isEmpty && joined.isEmpty && left.isEmpty && changed.isEmpty && !scenes && !currentScene
      && !broadcaster && stores.isEmpty && !moderation && put == 0 && erased == 0
  }
}
