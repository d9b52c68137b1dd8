import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Opens rooms: one SDK, one room at a time, one callbacks object (CB-2).
public final class WhiteSDK: Sendable {
  private struct State {
    /// The room of the latest join, which the SDK keeps alive until the next.
    var room: WhiteRoom?
    var isJoining = false
  }

  /// What the SDK was made with.
  public let configuration: WhiteSdkConfiguration
  /// Where callbacks and completions are called.
  public let context: any ClientContext
  private let transport: any Transport
  private let delegates: DelegateHolder
  private let doing = Guarded(State())

  /// Callbacks come on `context`; a transport says its own things there too.
  public convenience init(
    sdkConfiguration: WhiteSdkConfiguration, context: any ClientContext, transport: any Transport,
    commonCallbackDelegate: (any WhiteCommonCallbackDelegate)? = nil
  ) {
    self.init(sdkConfiguration: sdkConfiguration, context: context, transport: transport, watch: nil)
    delegates.common = commonCallbackDelegate
  }

  /// The same, watched.
  package init(
    sdkConfiguration: WhiteSdkConfiguration, context: any ClientContext, transport: any Transport,
    watch: SDKWatch?
  ) {
    configuration = sdkConfiguration
    self.context = context
    self.transport = transport
    delegates = DelegateHolder(watch)
  }

  /// Over WebSockets.
  ///
  /// - Parameters:
  ///   - sdkConfiguration: how the server is reached.
  ///   - callbackExecutor: where callbacks and completions are called, of the SDK, its rooms and its players. An app whose
  ///     delegates belong to the main actor says `.main`.
  ///   - commonCallbackDelegate: hears what belongs to no room. Held weakly.
  public convenience init(
    sdkConfiguration: WhiteSdkConfiguration, callbackExecutor: CallbackExecutor = .usual,
    commonCallbackDelegate: (any WhiteCommonCallbackDelegate)? = nil
  ) {
    let ground = callbackExecutor.ground(trust: sdkConfiguration.trust)
    self.init(
      sdkConfiguration: sdkConfiguration, context: ground.context, transport: ground.transport,
      commonCallbackDelegate: commonCallbackDelegate)
  }

  /// Replaces the common callbacks object; nil removes it.
  public func setCommonCallbackDelegate(_ delegate: (any WhiteCommonCallbackDelegate)?) {
    delegates.common = delegate
  }

  /// Joins a room. A cancelled task leaves it, and throws an error whose `isCancelled` is set.
  ///
  /// `callbacks` hears of everything from the first phase on; it is held weakly, and nil leaves the one of an
  /// earlier join in force (P-9). While one join is under way another fails with `pending` (P-11, X-51). The room of an
  /// earlier join, if it is still there, is left and falls silent (CB-7).
  nonisolated(nonsending) public func joinRoom(
    _ config: WhiteRoomConfig, callbacks: (any WhiteRoomCallbackDelegate)? = nil
  ) async throws(BoardroomError) -> WhiteRoom {
    guard !Task.isCancelled else { throw .joinCancelled }
    let answer = AwaitedAnswer<Result<WhiteRoom, BoardroomError>>()
    let room = beginJoin(config, callbacks) { answer.give($0) }
    let isCancelled = Guarded(false)
    let result = await withTaskCancellationHandler {
      await answer.wait()
    } onCancel: { [weak room] in
      isCancelled.with { $0 = true }
      room?.leave(nil)
    }
    if isCancelled.with({ $0 }) { throw .joinCancelled }
    return try result.get()
  }

  /// `completion` is called once, on the context. Nil: nothing has begun.
  @discardableResult
  package func beginJoin(
    _ config: WhiteRoomConfig, _ callbacks: (any WhiteRoomCallbackDelegate)?,
    _ completion: @escaping @Sendable (Result<WhiteRoom, BoardroomError>) -> Void
  ) -> WhiteRoom? {
    let isFree = doing.with { doing in
      defer { doing.isJoining = true }
      return !doing.isJoining
    }
    guard isFree else {
      delegates.watch?.joined(nil)
      context.execute { completion(.failure(.joinUnderWay)) }
      return nil
    }
    guard let settings = settings(config) else {
      doing.with { $0.isJoining = false }
      context.execute {
        completion(.failure(BoardroomError(.badName, cause: "The room's uuid is not 32 hexadecimal digits.")))
      }
      return nil
    }
    return begin(settings, config, callbacks, completion)
  }

  private func begin(
    _ settings: LinkSettings, _ config: WhiteRoomConfig, _ callbacks: (any WhiteRoomCallbackDelegate)?,
    _ completion: @escaping @Sendable (Result<WhiteRoom, BoardroomError>) -> Void
  ) -> WhiteRoom {
    doing.with({ $0.room })?.silence()
    if let callbacks { delegates.room = callbacks }
    let room = WhiteRoom(
      settings, options: config, sdkOptions: configuration, transport: transport, context: context,
      delegates: delegates,
      whenEnding: { [weak self] in self?.joined($0) }
    ) { [weak self] room, error in
      if error == nil { self?.joined(room) }
      completion(error.map { .failure($0) } ?? .success(room))
    }
    doing.with { $0.room = room }
    delegates.watch?.joined(room)
    room.join()
    return room
  }

  /// This room's join is decided, and the next one is free to begin, from inside its last callbacks too.
  private func joined(_ room: WhiteRoom) {
    doing.with { if $0.room === room { $0.isJoining = false } }
  }

  private func settings(_ config: WhiteRoomConfig) -> LinkSettings? {
    guard let room = RoomID(config.uuid) else { return nil }
    let hello = Hello(
      room: room, token: config.roomToken, uid: config.uid, payload: config.userPayload?.text,
      isWritable: config.isWritable, client: configuration.client)
    var policy = configuration.connection.applied(to: .white(timeout: config.timeout))
    if !configuration.reconnects { policy.giveUpAfter = .zero }
    policy.outlivesToken = config.tokenProvider != nil
    return LinkSettings(
      servers: configuration.servers, hello: hello, policy: policy,
      echoesOwn: !config.onlyCallbackRemoteStateModify, showsPresence: config.showsMemberPresence,
      pacesMagix: config.isMagixEventLimitEnabled, isOptimistic: config.optimistic,
      board: BoardOptions(
        undoScenes: config.undoCacheScenesCount, isImageEraseDisabled: !config.isImageErasingEnabled,
        isTextDisabled: !config.isTextEditingEnabled, cameraBound: config.cameraBound),
      tokenProvider: config.tokenProvider, connection: configuration.connection,
      queuesWhileAway: config.queuesWhileAway, logger: configuration.logger,
      pendingDetail: config.tellsPendingCommands ? .commands : .count)
  }
}
