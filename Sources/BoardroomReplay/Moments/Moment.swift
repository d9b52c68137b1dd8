import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Everything true of a room at one instant.
public struct Moment: Sendable {
  public let state: RoomState

  public init(_ state: RoomState) { self.state = state }

  /// The last event folded in; zero before the first.
  public var revision: Revision { state.revision }
  /// When that was, by the server's clock.
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
  /// Members present at both moments of whom something differs.
  public var changed: [MemberID]
  public var scenes: Bool
  public var currentScene: Bool
  public var broadcaster: Bool
  public var put: Int
  public var erased: Int

  public init(from old: Moment, to new: Moment) {
    let (before, after) = (old.state, new.state)
    from = old.revision
    to = new.revision
    let keys = Set(before.globalState.keys).union(after.globalState.keys)
    globalState = keys.filter { before.globalState[$0] != after.globalState[$0] }.sorted()
    joined = after.members.keys.filter { before.members[$0] == nil }.sorted()
    left = before.members.keys.filter { after.members[$0] == nil }.sorted()
    changed = after.roster.filter { before.members[$0.id] != nil && before.members[$0.id] != $0 }.map(\.id)
    scenes = before.scenes != after.scenes
    currentScene = before.currentScene != after.currentScene
    broadcaster = before.broadcaster != after.broadcaster
    (put, erased) = Self.elements(from: before.elements, to: after.elements)
  }

  private static func elements(from old: ElementStore, to new: ElementStore) -> (put: Int, erased: Int) {
    var counts = (put: 0, erased: 0)
    for element in new.places where element != nil && old[element!.id] != element { counts.put += 1 }
    for element in old.places where element != nil && new[element!.id] == nil { counts.erased += 1 }
    return counts
  }

  /// Whether nothing but the revision differs.
  public var isEmpty: Bool {
    globalState.isEmpty && joined.isEmpty && left.isEmpty && changed.isEmpty && !scenes && !currentScene
      && !broadcaster && put == 0 && erased == 0
  }
}
