import BoardroomCodec
import BoardroomModel

/// What became of a key of a store.
public struct WhiteStoreChange: Sendable, Hashable {
  /// Nil: the key was not there.
  public var oldValue: JSONText?
  /// Nil: the key is not there any more.
  public var newValue: JSONText?
}

extension [String: WhiteStoreChange] {
  init(from before: [String: JSONText], to after: [String: JSONText]) {
    self = [:]
    for key in Set(before.keys).union(after.keys) where before[key] != after[key] {
      self[key] = WhiteStoreChange(oldValue: before[key], newValue: after[key])
    }
  }
}

/// Hears of a store's changes, one's own too. Held weakly.
public protocol WhiteSyncedStoreDelegate: AnyObject {
  /// SS-1: the keys that changed, each with its old and its new value.
  func storageDidUpdate(_ store: WhiteSyncedStore, changes: [String: WhiteStoreChange])
}

/// A named set of keys that all members share, apart from the global state (SS-1). It lives as long as the room, is
/// in the log, and is replayed.
public final class WhiteSyncedStore: Sendable {
  private struct State {
    var fields: [String: JSONText]
    var isOpen = true
  }

  /// The store's name in the room.
  public let name: String
  /// What `resetState` goes back to.
  public let defaults: [String: JSONValue]
  package let room: WhiteRoom
  private let held: Guarded<State>
  private let listener: DelegateReference<any WhiteSyncedStoreDelegate>

  init(
    _ name: String, _ room: WhiteRoom, defaults: [String: JSONValue], fields: [String: JSONText],
    listener: DelegateReference<any WhiteSyncedStoreDelegate>
  ) {
    (self.name, self.room, self.defaults, self.listener) = (name, room, defaults, listener)
    held = Guarded(State(fields: fields))
  }

  /// Sets who is told of changes, on the context of the SDK. It is kept weakly.
  public func setDelegate(_ delegate: (any WhiteSyncedStoreDelegate)?) {
    listener.set { [weak delegate] in delegate }
  }

  /// By key, each value as the JSON that its author sent; as of the last callback.
  public var state: [String: JSONText] { held.with { $0.fields } }

  /// The same, asked again.
  nonisolated(nonsending) public func getState() async -> [String: JSONText] {
    let name = name
    return await room.ask { $0.mirror.parts().stores[name] ?? [:] }
  }

  /// Sets these keys; null removes one; the others stay.
  @discardableResult
  nonisolated(nonsending) public func setState(
    _ partial: [String: JSONValue]
  ) async throws(BoardroomError) -> Receipt {
    try await room.answer(.setState(of: self, partial))
  }

  /// The store holds its defaults and nothing else.
  @discardableResult
  nonisolated(nonsending) public func resetState() async throws(BoardroomError) -> Receipt {
    try await room.answer(.resetState(of: self))
  }

  /// The store is gone, for everybody.
  @discardableResult
  nonisolated(nonsending) public func deleteStorage() async throws(BoardroomError) -> Receipt {
    try await room.answer(.deleteStorage(self))
  }

  /// This object hears nothing more and changes nothing; the store stays.
  public func disconnectStorage() {
    held.with { $0.isOpen = false }
    room.forget(self)
  }

  fileprivate var isOpen: Bool { held.with { $0.isOpen } }

  func update(_ news: StoreNews) {
    held.with { $0.fields = news.fields }
    listener.delegate?.storageDidUpdate(self, changes: news.changes)
  }
}

extension RoomRequest<Receipt> {
  package static func setState(of store: WhiteSyncedStore, _ partial: [String: JSONValue]) -> Self {
    .to(store, .setStore(StoreSet(store: store.name, patch: JSONPatch(partial))))
  }

  package static func resetState(of store: WhiteSyncedStore) -> Self {
    .to(store, .setStore(StoreSet(store: store.name, patch: JSONPatch(store.defaults), resets: true)))
  }

  package static func deleteStorage(_ store: WhiteSyncedStore) -> Self {
    .to(store, .deleteStore(store.name))
  }

  private static func to(_ store: WhiteSyncedStore, _ command: StateCommand) -> Self {
    RoomRequest { room, finish in
      let isOpen = store.isOpen
      room.link.enter { isOpen ? $0.submit(.state(command), finish) : finish(.failure(.storeClosed)) }
    }
  }
}

extension RoomRequest<WhiteSyncedStore> {
  package static func connectStore(
    _ name: String, defaults: [String: JSONValue], listener: DelegateReference<any WhiteSyncedStoreDelegate>
  ) -> Self {
    let patch = JSONPatch(defaults)
    return RoomRequest { room, finish in
      room.link.enter { link in
        guard !patch.fields.isEmpty, link.mirror.isWritable() ?? false else {
          guard link.isLive else { return finish(.failure(BoardroomError(.notConnected))) }
          return finish(.success(room.open(name, defaults, listener, on: link)))
        }
        link.submit(.state(.setStore(StoreSet(store: name, patch: patch, onlyAbsent: true)))) { result in
          finish(result.map { _ in room.open(name, defaults, listener, on: link) })
        }
      }
    }
  }
}

extension WhiteRoom {
  /// Connects to a store; keys of `defaults` that it does not have are set (a read-only member sets none). To
  /// connect again by the same name replaces the object before.
  nonisolated(nonsending) public func connectSyncedStore(
    _ name: String, defaults: [String: JSONValue] = [:],
    delegate: (any WhiteSyncedStoreDelegate)? = nil
  ) async throws(BoardroomError) -> WhiteSyncedStore {
    let listener = DelegateReference<any WhiteSyncedStoreDelegate>()
    listener.set { [weak delegate] in delegate }
    return try await answer(.connectStore(name, defaults: defaults, listener: listener))
  }

  fileprivate func open(
    _ name: String, _ defaults: [String: JSONValue],
    _ listener: DelegateReference<any WhiteSyncedStoreDelegate>, on link: RoomLink
  ) -> WhiteSyncedStore {
    let store = WhiteSyncedStore(
      name, self, defaults: defaults, fields: link.mirror.connectStore(name), listener: listener)
    shown.with { $0.stores[name] = WeakStore(store) }
    return store
  }

  func forget(_ store: WhiteSyncedStore) {
    let name = store.name
    let isCurrent = shown.with { shown in
      guard shown.stores[name]?.store === store else { return false }
      shown.stores[name] = nil
      return true
    }
    if isCurrent { link.enter { $0.mirror.disconnectStore(name) } }
  }
}

/// A store that the app may have let go.
struct WeakStore {
  weak var store: WhiteSyncedStore?
  init(_ store: WhiteSyncedStore) { self.store = store }
}
