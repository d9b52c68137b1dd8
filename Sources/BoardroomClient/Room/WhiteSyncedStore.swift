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
  private let room: WhiteRoom
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
  public func getState() async -> [String: JSONText] {
    let name = name
    return await room.ask { $0.mirror.parts().stores[name] ?? [:] }
  }

  /// Sets these keys; null removes one; the others stay.
  public func setState(
    _ partial: [String: JSONValue], completion: (@Sendable (WhiteResult) -> Void)? = nil
  ) {
    submit(.state(.setStore(StoreSet(store: name, patch: JSONPatch(partial)))), completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func setState(_ partial: [String: JSONValue]) async throws(BoardroomError) -> Receipt {
    try await room.answer { answer in self.setState(partial) { answer($0) } }
  }

  /// The store holds its defaults and nothing else.
  public func resetState(completion: (@Sendable (WhiteResult) -> Void)? = nil) {
    submit(.state(.setStore(StoreSet(store: name, patch: JSONPatch(defaults), resets: true))), completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func resetState() async throws(BoardroomError) -> Receipt {
    try await room.answer { answer in self.resetState { answer($0) } }
  }

  /// The store is gone, for everybody.
  public func deleteStorage(completion: (@Sendable (WhiteResult) -> Void)? = nil) {
    submit(.state(.deleteStore(name)), completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func deleteStorage() async throws(BoardroomError) -> Receipt {
    try await room.answer { answer in self.deleteStorage { answer($0) } }
  }

  /// This object hears nothing more and changes nothing; the store stays.
  public func disconnectStorage() {
    held.with { $0.isOpen = false }
    room.forget(self)
  }

  private func submit(_ command: Command, _ completion: (@Sendable (WhiteResult) -> Void)?) {
    let isOpen = held.with { $0.isOpen }
    room.run(completion) { isOpen ? $0.submit(command, $1) : $1(.failure(.storeClosed)) }
  }

  func update(_ news: StoreNews) {
    held.with { $0.fields = news.fields }
    listener.delegate?.storageDidUpdate(self, changes: news.changes)
  }
}

extension WhiteRoom {
  /// Connects to a store; keys of `defaults` that it does not have are set (a read-only member sets none). To
  /// connect again by the same name replaces the object before.
  public func connectSyncedStore(
    _ name: String, defaults: [String: JSONValue] = [:],
    delegate: (any WhiteSyncedStoreDelegate)? = nil,
    completion: @escaping @Sendable (Result<WhiteSyncedStore, BoardroomError>) -> Void
  ) {
    let patch = JSONPatch(defaults)
    let listener = DelegateReference<any WhiteSyncedStoreDelegate>()
    listener.set { [weak delegate] in delegate }
    link.enter { [self] link in
      guard !patch.fields.isEmpty, link.mirror.isWritable() ?? false else {
        guard link.isLive else { return completion(.failure(BoardroomError(.notConnected))) }
        return completion(.success(open(name, defaults, listener, on: link)))
      }
      link.submit(.state(.setStore(StoreSet(store: name, patch: patch, onlyAbsent: true)))) { [self] result in
        completion(result.map { _ in open(name, defaults, listener, on: link) })
      }
    }
  }

  /// The same with `await`. It throws the error that the completion would get.
  nonisolated(nonsending) public func connectSyncedStore(
    _ name: String, defaults: [String: JSONValue] = [:],
    delegate: (any WhiteSyncedStoreDelegate)? = nil
  ) async throws(BoardroomError) -> WhiteSyncedStore {
    try await answer { answer in
      self.connectSyncedStore(name, defaults: defaults, delegate: delegate) { answer($0) }
    }
  }

  private func open(
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
