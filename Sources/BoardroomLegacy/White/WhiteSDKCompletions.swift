import BoardroomClient
import BoardroomCodec
import BoardroomModel

extension WhiteSDK {
  /// Joins a room.
  ///
  /// `callbacks` hears of everything from the first phase on; it is held weakly, and nil leaves the one of an
  /// earlier join in force (P-9). The completion is called once, on the context: with success and the room,
  /// or with an error. While one join is under way another fails with `pending` (P-11, X-51). The room of an
  /// earlier join, if it is still there, is left and falls silent (CB-7).
  public func joinRoom(
    with config: WhiteRoomConfig, callbacks: (any WhiteRoomCallbackDelegate)? = nil,
    completionHandler: @escaping @Sendable (Bool, WhiteRoom?, BoardroomError?) -> Void
  ) {
    beginJoin(config, callbacks) { result in
      switch result {
      case .success(let room): completionHandler(true, room, nil)
      case .failure(let error): completionHandler(false, nil, error)
      }
    }
  }

  /// The same with nothing but what is needed.
  public func joinRoom(
    withUuid uuid: String, roomToken: String,
    completionHandler: @escaping @Sendable (Bool, WhiteRoom?, BoardroomError?) -> Void
  ) {
    joinRoom(
      with: WhiteRoomConfig(uuid: uuid, roomToken: roomToken), callbacks: nil,
      completionHandler: completionHandler)
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
    let listener = DelegateReference<any WhiteSyncedStoreDelegate>()
    listener.set { [weak delegate] in delegate }
    begin(.connectStore(name, defaults: defaults, listener: listener), completion: completion)
  }
}

extension WhiteSyncedStore {
  /// Sets these keys; null removes one; the others stay.
  public func setState(_ partial: [String: JSONValue], completion: (@Sendable (WhiteResult) -> Void)?) {
    room.begin(.setState(of: self, partial), completion: completion)
  }

  /// The store holds its defaults and nothing else.
  public func resetState(completion: (@Sendable (WhiteResult) -> Void)?) {
    room.begin(.resetState(of: self), completion: completion)
  }

  /// The store is gone, for everybody.
  public func deleteStorage(completion: (@Sendable (WhiteResult) -> Void)?) {
    room.begin(.deleteStorage(self), completion: completion)
  }
}

extension WhitePlayer {
  /// Goes to a schedule time in seconds, 0 being the range's begin; what is beyond its ends is brought to them. The
  /// completion is called on the context.
  public func seekToScheduleTime(
    _ seconds: Double, completion: @escaping @Sendable (WhitePlayerSeekResult) -> Void
  ) {
    beginSeek(to: seconds, completion)
  }
}

extension WhiteCombinePlayer {
  /// Both go there; the completion says success at once (RP-31), on the context.
  public func seek(
    to seconds: Double, completion: @escaping @Sendable (WhitePlayerSeekResult) -> Void
  ) {
    beginSeek(to: seconds, completion)
  }
}
