import BoardroomClient
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Presence and connection state of an RTC channel. No media flow: no sound, no picture, no devices; what remains is
/// who is in the channel, and how this connection stands (PARITY rows RTC).
///
/// One connection is in one channel at a time. What is told comes on the context, to the delegate and to the streams.
public final class RtcConnection: Sendable {
  /// What the connection was made with.
  public let options: RtcOptions
  /// Where callbacks are called.
  public var context: any ClientContext { core.context }
  private let core: ConnectionDomain<RtcCore>
  private let state: Guarded<RtcConnectionState>
  private let listener: DelegateReference<any RtcConnectionDelegate>
  private let cast: Broadcast<RtcEvent>
  private let stateCast: Broadcast<RtcConnectionState>

  /// Over WebSockets. `callbackExecutor`: where callbacks are called; `.main` if the delegate belongs to the main actor.
  public convenience init(
    configuration: ServiceConfiguration, options: RtcOptions = RtcOptions(),
    callbackExecutor: CallbackExecutor = .usual, delegate: (any RtcConnectionDelegate)? = nil
  ) {
    self.init(on: ServiceGround(configuration, callbackExecutor), options: options, delegate: delegate)
  }

  /// Callbacks come on `context`; the transport says its own things there too.
  public convenience init(
    configuration: ServiceConfiguration, options: RtcOptions = RtcOptions(), context: any ClientContext,
    transport: any Transport, delegate: (any RtcConnectionDelegate)? = nil
  ) {
    self.init(
      on: ServiceGround(configuration, context: context, transport: transport), options: options,
      delegate: delegate)
  }

  private init(on ground: ServiceGround, options: RtcOptions, delegate: (any RtcConnectionDelegate)?) {
    self.options = options
    let state = Guarded(RtcConnectionState.disconnected)
    let listener = DelegateReference<any RtcConnectionDelegate>()
    listener.set { [weak delegate] in delegate }
    let logger = ground.configuration.logger
    let cast = Broadcast<RtcEvent>(limit: Self.eventBufferLimit, name: "RtcConnection.events", logger: logger)
    let stateCast = Broadcast<RtcConnectionState>(
      limit: Self.stateBufferLimit, name: "RtcConnection.connectionStates", present: .disconnected,
      logger: logger)
    (self.state, self.listener, self.cast, self.stateCast) = (state, listener, cast, stateCast)
    let core = RtcCore(ground, options) { event in
      if case .state(let news, _) = event {
        state.with { $0 = news }
        stateCast.send(news)
      }
      listener.delegate?.deliver(event)
      cast.send(event)
    }
    self.core = ConnectionDomain(ground.context, core)
  }

  deinit {
    core.enter { $0.drop() }
  }

  /// Who is told of the connection, on the context of the SDK. It is kept weakly.
  public var delegate: (any RtcConnectionDelegate)? {
    get { listener.delegate }
    set { listener.set { [weak newValue] in newValue } }
  }

  /// How many unread events one stream keeps.
  public static let eventBufferLimit = 1_024
  /// How many unread states one stream keeps.
  public static let stateBufferLimit = 64

  /// What the delegate hears, from now on. Up to `eventBufferLimit` unread ones are kept, then the oldest are dropped, which the
  /// stream tells (`BufferedStream.markingDrops`).
  public var events: BufferedStream<RtcEvent> { cast.stream }
  /// The present state, then each other one. Up to `stateBufferLimit` unread ones are kept, then the oldest are dropped.
  public var connectionStates: BufferedStream<RtcConnectionState> { stateCast.stream }

  /// RTC-6: as of the last callback.
  public func getConnectionState() -> RtcConnectionState { state.with { $0 } }

  /// Joins a channel: up to 64 bytes of RTC's characters. `uid` 0: one is made up. What comes of it is told; `rejected`
  /// is called if nothing comes of it, because a join is under way or a failed one was not left (TL-6).
  public func joinChannel(
    byToken token: String, channelId: String, uid: UInt = 0,
    rejected: (@Sendable (RtcError) -> Void)? = nil
  ) {
    core.enter { core in
      if !core.join(token, channelId, uid) { rejected?(.joinChannelRejected) }
    }
  }

  /// Joins and returns the uid once this connection is in. Throws ``RtcJoinError`` if it is not, and `CancellationError` if the task
  /// is cancelled, which leaves the channel.
  nonisolated(nonsending) public func joinChannel(byToken token: String, channelId: String, uid: UInt = 0)
    async throws -> UInt
  {
    try await awaitAnswer(
      orWhenCancelled: Result<UInt, any Error>.failure(CancellationError()),
      withdraw: { [core] in core.enter { _ = $0.leave() } }
    ) { give in
      core.enter { core in
        guard core.join(token, channelId, uid, { give($0) }) else {
          return give(.failure(RtcError.joinChannelRejected))
        }
      }
    }.get()
  }

  /// Leaves: Disconnected, with reason 5, once the server has heard of it, at once from Failed.
  public func leaveChannel(rejected: (@Sendable (RtcError) -> Void)? = nil) {
    core.enter { core in
      if !core.leave() { rejected?(.leaveChannelRejected) }
    }
  }

  /// Another token for the attempts to come.
  public func renewToken(_ token: String) { core.enter { $0.renew(token) } }

  /// The system has a network again: an outage tries at once.
  public func networkIsBack() { core.enter { $0.networkBack() } }

  /// Makes no attempts to connect until `resume()`: for an app that goes to the background. The pause counts for no limit of
  /// time.
  public func pause() { core.enter { $0.pause() } }

  /// Attempts again, the first one at once.
  public func resume() { core.enter { $0.resume() } }
}

/// Why a join did not come in.
public struct RtcJoinError: Error, Sendable, Hashable {
  /// Why the state changed.
  public var reason: RtcConnectionReason
  /// Why the last attempt to reach the server came to nothing, where that is why.
  public var connection: ConnectionFailure?

  init(reason: RtcConnectionReason, connection: ConnectionFailure? = nil) {
    (self.reason, self.connection) = (reason, connection)
  }
}

extension RtcConnectionDelegate {
  fileprivate func deliver(_ event: RtcEvent) {
    switch event {
    case .state(let state, let reason): connectionChangedToState(state, reason: reason)
    case .connectionDidLost: rtcEngineConnectionDidLost()
    case .joinedChannel(let channel, let uid, let elapsed):
      didJoinChannel(channel, withUid: uid, elapsed: elapsed)
    case .rejoinedChannel(let channel, let uid, let elapsed):
      didRejoinChannel(channel, withUid: uid, elapsed: elapsed)
    case .userJoined(let uid, let elapsed): didJoinedOfUid(uid, elapsed: elapsed)
    case .userOffline(let uid, let reason): didOfflineOfUid(uid, reason: reason)
    case .leftChannel: didLeaveChannel()
    case .tokenWillExpire: tokenPrivilegeWillExpire()
    }
  }
}
