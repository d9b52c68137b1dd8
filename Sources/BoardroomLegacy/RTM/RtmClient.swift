import BoardroomClient
import BoardroomModel

/// One user of RTM: its login, messages to others, attributes, invitations, and channels (PARITY rows RTM). A view of an
/// account and of channels, which have logs as rooms have.
///
/// A login that is lost tries to come back for good. What is sent meanwhile fails at once and is never sent later. What is
/// told comes on the context, to the delegate and to `events`.
public final class RtmClient: Sendable {
  private struct Shown {
    var state = RtmConnectionState.disconnected
    var channels: [String: RtmChannel] = [:]
  }

  /// Where callbacks and completions are called.
  public var context: any ClientContext { core.context }
  private let core: ConnectionDomain<RtmCore>
  private let shown: Guarded<Shown>
  private let listener: DelegateReference<any RtmDelegate>
  private let cast: Broadcast<RtmEvent>
  private let stateCast: Broadcast<RtmConnectionState>

  /// Over WebSockets. `callbackExecutor`: where callbacks and completions are called; `.main` if the delegates belong to the
  /// main actor.
  public convenience init(
    configuration: ServiceConfiguration, callbackExecutor: CallbackExecutor = .usual,
    delegate: (any RtmDelegate)? = nil
  ) {
    self.init(on: ServiceGround(configuration, callbackExecutor), delegate: delegate)
  }

  /// Callbacks come on `context`; the transport says its own things there too.
  public convenience init(
    configuration: ServiceConfiguration, context: any ClientContext, transport: any Transport,
    delegate: (any RtmDelegate)? = nil
  ) {
    self.init(
      on: ServiceGround(configuration, context: context, transport: transport), delegate: delegate)
  }

  private init(on ground: ServiceGround, delegate: (any RtmDelegate)?) {
    let shown = Guarded(Shown())
    let listener = DelegateReference<any RtmDelegate>()
    listener.set { [weak delegate] in delegate }
    let logger = ground.configuration.logger
    let cast = Broadcast<RtmEvent>(limit: Self.eventBufferLimit, name: "RtmClient.events", logger: logger)
    let stateCast = Broadcast<RtmConnectionState>(
      limit: Self.stateBufferLimit, name: "RtmClient.connectionStates", present: .disconnected, logger: logger
    )
    (self.shown, self.listener, self.cast, self.stateCast) = (shown, listener, cast, stateCast)
    let core = RtmCore(ground) { event in
      if case .state(let state, _) = event {
        shown.with { $0.state = state }
        stateCast.send(state)
      }
      let channel = shown.with { shown in event.channel.flatMap { shown.channels[$0] } }
      listener.delegate?.deliver(event)
      channel?.delegate?.deliver(event)
      cast.send(event)
    }
    self.core = ConnectionDomain(ground.context, core)
  }

  deinit {
    // Its channels hold the core, which tells what is shown.
    shown.with { $0.channels = [:] }
    core.enter { $0.session.drop() }
  }

  /// Who is told of the client, on the context of the SDK. It is kept weakly.
  public var delegate: (any RtmDelegate)? {
    get { listener.delegate }
    set { listener.set { [weak newValue] in newValue } }
  }

  /// As of the last callback.
  public var connectionState: RtmConnectionState { shown.with { $0.state } }

  /// How many unread events one stream keeps.
  public static let eventBufferLimit = 4_096
  /// How many unread states one stream keeps.
  public static let stateBufferLimit = 64

  /// All that is told, channels' news too, from now on. Up to `eventBufferLimit` unread ones are kept, then the oldest are dropped,
  /// which the stream tells (`BufferedStream.markingDrops`).
  public var events: BufferedStream<RtmEvent> { cast.stream }
  /// The present state of the login, then each other one. Up to `stateBufferLimit` unread ones are kept, then the oldest are dropped.
  public var connectionStates: BufferedStream<RtmConnectionState> { stateCast.stream }

  // MARK: The login

  /// Signs in. The completion is called once, within 12 s; when an outage ends it is not called again (RTMT-6). `user`: up to
  /// 64 bytes.
  public func loginByToken(
    _ token: String, user: String, completion: (@Sendable (RtmErrorCode) -> Void)?
  ) {
    enter { $0.login(token, user, completion) }
  }

  /// The same; returns once signed in, and throws why not. A cancelled task signs out.
  nonisolated(nonsending) public func loginByToken(_ token: String, user: String) async throws(RtmErrorCode) {
    try await done(withdraw: { [core] in core.enter { $0.logout(nil) } }) {
      loginByToken(token, user: user, completion: $0)
    }
  }

  /// Signs out, of all channels too; from Aborted as well.
  public func logoutWithCompletion(_ completion: (@Sendable (RtmErrorCode) -> Void)?) {
    enter { $0.logout(completion) }
  }

  /// Signs out; throws the reason if the server did not take it.
  nonisolated(nonsending) public func logout() async throws(RtmErrorCode) {
    try await done { logoutWithCompletion($0) }
  }

  /// Another token for the attempts to come; an outage tries at once.
  public func renewToken(_ token: String, completion: (@Sendable (RtmErrorCode) -> Void)?) {
    enter { $0.renew(token, completion) }
  }

  /// The system has a network again: an outage tries at once.
  public func networkIsBack() { enter { $0.session.networkBack() } }

  /// Makes no attempts to connect until `resume()`: for an app that goes to the background. The pause counts for no limit of
  /// time.
  public func pause() { enter { $0.session.pause() } }

  /// Attempts again, the first one at once.
  public func resume() { enter { $0.session.resume() } }

  // MARK: Messages

  /// To one user; up to 32 KiB. Answers once it is in that user's log, or kept for it.
  public func sendMessage(
    _ text: String, toPeer peer: String, options: RtmSendOptions = RtmSendOptions(),
    completion: (@Sendable (RtmErrorCode) -> Void)?
  ) {
    enter { $0.send(text, peer: peer, options, completion) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  nonisolated(nonsending) public func sendMessage(
    _ text: String, toPeer peer: String, options: RtmSendOptions = RtmSendOptions()
  ) async throws(RtmErrorCode) {
    try await done { sendMessage(text, toPeer: peer, options: options, completion: $0) }
  }

  // MARK: Channels

  /// The one object for this channel. Nothing is joined yet.
  public func createChannel(_ channelId: String, delegate: (any RtmChannelDelegate)? = nil) -> RtmChannel {
    let channel = shown.with { shown in
      let channel = shown.channels[channelId] ?? RtmChannel(channelId, core: core)
      shown.channels[channelId] = channel
      return channel
    }
    if let delegate { channel.delegate = delegate }
    return channel
  }

  /// Leaves it if need be, and lets go of it.
  public func destroyChannel(_ channelId: String) {
    let channel = shown.with { $0.channels.removeValue(forKey: channelId) }
    channel?.leave(completion: nil)
  }

  // MARK: Attributes

  /// All own attributes; others go. They are gone with the login, and set again when an outage took it (PARITY rows RTMO).
  public func setLocalUserAttributes(
    _ attributes: [String: String], completion: (@Sendable (RtmErrorCode) -> Void)?
  ) {
    enter { $0.setOwn(attributes.mapValues { $0 }, replaces: true, completion) }
  }

  /// Sets attributes of the own user; others stay.
  public func addOrUpdateLocalUserAttributes(
    _ attributes: [String: String], completion: (@Sendable (RtmErrorCode) -> Void)?
  ) {
    enter { $0.setOwn(attributes.mapValues { $0 }, replaces: false, completion) }
  }

  /// Removes attributes of the own user by their names.
  public func deleteLocalUserAttributesByKeys(
    _ keys: [String], completion: (@Sendable (RtmErrorCode) -> Void)?
  ) {
    let changes = Dictionary(keys.map { ($0, String?.none) }) { $1 }
    enter { $0.setOwn(changes, replaces: false, completion) }
  }

  /// Removes all attributes of the own user.
  public func clearLocalUserAttributes(completion: (@Sendable (RtmErrorCode) -> Void)?) {
    enter { $0.clearOwn(completion) }
  }

  /// All attributes of a user, by name; none if the user is not there.
  nonisolated(nonsending) public func getUserAllAttributes(_ user: String) async throws(RtmErrorCode)
    -> [String: String]
  {
    try await answer { core, completion in core.attributes(.userAttributes(account: user), completion) }
  }

  /// The attributes of a user that have these names.
  nonisolated(nonsending) public func getUserAttributes(
    _ user: String, byKeys keys: [String]
  ) async throws(RtmErrorCode) -> [String: String] {
    try await getUserAllAttributes(user).filter { keys.contains($0.key) }
  }

  /// Of any channel, also from outside of it.
  public func addOrUpdateChannel(
    _ channelId: String, attributes: [String: String], completion: (@Sendable (RtmErrorCode) -> Void)?
  ) {
    enter { $0.setChannel(channelId, attributes.mapValues { $0 }, completion) }
  }

  /// Removes attributes of a channel by their names.
  public func deleteChannel(
    _ channelId: String, attributesByKeys keys: [String],
    completion: (@Sendable (RtmErrorCode) -> Void)?
  ) {
    let changes = Dictionary(keys.map { ($0, String?.none) }) { $1 }
    enter { $0.setChannel(channelId, changes, completion) }
  }

  /// Removes all attributes of a channel.
  public func clearChannelAttributes(
    _ channelId: String, completion: (@Sendable (RtmErrorCode) -> Void)?
  ) {
    enter { $0.clearChannel(channelId, completion) }
  }

  /// All attributes of a channel, by name.
  nonisolated(nonsending) public func getChannelAllAttributes(
    _ channelId: String
  ) async throws(RtmErrorCode) -> [String: String] {
    try await answer { core, completion in
      core.attributes(.channelAttributes(channel: channelId), completion)
    }
  }

  /// Who of up to 256 users is signed in.
  nonisolated(nonsending) public func queryPeersOnlineStatus(_ users: [String]) async throws(RtmErrorCode)
    -> [String: Bool]
  {
    try await answer { $0.status(users, $1) }
  }

  // MARK: Invitations

  /// Invites a user to a call: `content` is any text of up to 8 KiB, `channelId` where the call would be.
  nonisolated(nonsending) public func sendLocalInvitation(
    to callee: String, content: String = "", channelId: String
  ) async throws(RtmErrorCode) -> RtmInvitation {
    try await answer { $0.invite(callee, content, channelId, $1) }
  }

  /// Withdraws an invitation that this user made.
  public func cancelLocalInvitation(
    _ invitation: RtmInvitation, completion: (@Sendable (RtmErrorCode) -> Void)?
  ) {
    enter { $0.move(invitation, .end(extra: ""), isOwn: true, completion) }
  }

  /// Accepts an invitation that another user made.
  public func acceptRemoteInvitation(
    _ invitation: RtmInvitation, response: String = "", completion: (@Sendable (RtmErrorCode) -> Void)?
  ) {
    enter { $0.move(invitation, .accept(extra: response), isOwn: false, completion) }
  }

  /// Refuses an invitation that another user made.
  public func refuseRemoteInvitation(
    _ invitation: RtmInvitation, response: String = "", completion: (@Sendable (RtmErrorCode) -> Void)?
  ) {
    enter { $0.move(invitation, .refuse(extra: response), isOwn: false, completion) }
  }

  // MARK: On the context

  private func enter(_ work: @escaping @Sendable (RtmCore) -> Void) { core.enter(work) }

  /// A cancelled task gets `timeout`, as one whose receipt does not come.
  private func done(
    withdraw: @escaping @Sendable () -> Void = {},
    _ start: (@escaping @Sendable (RtmErrorCode) -> Void) -> Void
  ) async throws(RtmErrorCode) {
    let code = await awaitAnswer(orWhenCancelled: RtmErrorCode.timeout, withdraw: withdraw, start)
    if code != .ok { throw code }
  }

  nonisolated(nonsending) private func answer<Value: Sendable>(
    _ ask:
      @escaping @Sendable (
        RtmCore, @escaping (Result<Value, RtmErrorCode>) -> Void
      ) -> Void
  ) async throws(RtmErrorCode) -> Value {
    try await awaitAnswer(orWhenCancelled: Result<Value, RtmErrorCode>.failure(.timeout)) { give in
      enter { ask($0) { give($0) } }
    }.get()
  }
}
