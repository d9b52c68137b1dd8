import EventLogModel

// The family `state`: the global state, members' states and stores.

/// What happened to the states that apps keep in a room.
public enum StateEvent: Sendable, Hashable {
  case global(JSONPatch)
  /// Of the actor.
  case member(JSONPatch)
  case storeSet(StoreSet)
  /// By its name.
  case storeDeleted(String)

  public var kind: EventKind {
    switch self {
    case .global: .globalState
    case .member: .memberState
    case .storeSet: .storeSet
    case .storeDeleted: .storeDeleted
    }
  }
}

/// What members want of these states.
public enum StateCommand: Sendable, Hashable {
  case global(JSONPatch)
  /// Of the author.
  case member(JSONPatch)
  case setStore(StoreSet)
  /// By its name.
  case deleteStore(String)

  public var kind: EventKind {
    switch self {
    case .global: .globalState
    case .member: .memberState
    case .setStore: .storeSet
    case .deleteStore: .storeDeleted
    }
  }
}

/// Keys of a SyncedStore (SS-1).
public struct StoreSet: Sendable, Hashable {
  public var store: String
  public var patch: JSONPatch
  /// Whether the store holds nothing else afterwards.
  public var resets: Bool
  /// In a command: keys that are there stay as they are (the defaults of `connect`). Never in an event.
  public var onlyAbsent: Bool
  public init(store: String, patch: JSONPatch, resets: Bool = false, onlyAbsent: Bool = false) {
    self.store = store
    self.patch = patch
    self.resets = resets
    self.onlyAbsent = onlyAbsent
  }
}
