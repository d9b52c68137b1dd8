import BoardroomClient
import BoardroomCore
import BoardroomModel

/// One account of legacy Signaling (PARITY rows SIG): login, attributes, messages, one channel, calls. A view of an account and
/// of a channel, which have logs as rooms have. Several live at once.
///
/// Callbacks are properties, as in the source system, with its names and order of arguments:
///
///     client.onLoginSuccess = { uid, fd in … }
///
/// `SignalingCallbacks` lists them. They are called on the client's context, one after the other. There is no telephone
/// network behind calls to phones and tones: they are carried as told.
@dynamicMemberLookup
public final class SignalingClient: Sendable {
  /// The token of test servers: no key is checked (SIG-5).
  public static let noTokenNeeded = "_no_need_token"

  private struct Shown {
    var callbacks = SignalingCallbacks()
    var all: (@Sendable (SignalingEvent) -> Void)?
  }

  /// Where callbacks are called.
  public var context: any ClientContext { core.context }
  /// What the client was made with.
  public let configuration: ServiceConfiguration
  let core: ConnectionDomain<SignalingCore>
  /// What `getStatus` says to whoever cannot wait.
  let shownStatus: Guarded<SignalingStatus>
  private let shown: Guarded<Shown>
  private let cast: Broadcast<SignalingEvent>
  private let statusCast: Broadcast<Int>
  private let listener = DelegateReference<any SignalingDelegate>()

  init(_ ground: ServiceGround) {
    let shown = Guarded(Shown())
    let logger = ground.configuration.logger
    let cast = Broadcast<SignalingEvent>(
      limit: Self.eventBufferLimit, name: "SignalingClient.events", logger: logger)
    let statusCast = Broadcast<Int>(
      limit: Self.statusBufferLimit, name: "SignalingClient.statuses",
      present: SignalingStatus.loggedOut.rawValue, logger: logger)
    let shownStatus = Guarded(SignalingStatus.loggedOut)
    let listener = self.listener
    (self.shown, self.cast, self.statusCast, self.shownStatus) = (shown, cast, statusCast, shownStatus)
    configuration = ground.configuration
    let core = SignalingCore(ground)
    core.onStatus = { status in
      let before = shownStatus.with { shown in
        defer { shown = status }
        return shown
      }
      if status != before { statusCast.send(status.rawValue) }
    }
    core.onEvent = { event in
      shown.with { $0.callbacks }.deliver(event)
      shown.with { $0.all }?(event)
      listener.delegate?.handleSignalingEvent(event)
      cast.send(event)
    }
    self.core = ConnectionDomain(ground.context, core)
  }

  deinit {
    core.enter { $0.destroy() }
  }

  // MARK: Instances

  private static let shared = Guarded<[String: SignalingClient]>([:])

  /// SIG-1: the one shared instance of this application; made at the first call, with this configuration.
  /// `callbackExecutor`: where callbacks are called; of later calls it does not count.
  public static func getInstanceWithoutMedia(
    _ configuration: ServiceConfiguration, callbackExecutor: CallbackExecutor = .usual
  ) -> SignalingClient {
    shared.with { shared in
      let client =
        shared[configuration.appId] ?? SignalingClient(ServiceGround(configuration, callbackExecutor))
      shared[configuration.appId] = client
      return client
    }
  }

  /// SIG-2: a new instance at each call. `callbackExecutor`: where callbacks are called.
  public static func createSigInstance(
    _ configuration: ServiceConfiguration, callbackExecutor: CallbackExecutor = .usual
  ) -> SignalingClient {
    SignalingClient(ServiceGround(configuration, callbackExecutor))
  }

  /// The same, on a context and a transport of the app's.
  public static func createSigInstance(
    _ configuration: ServiceConfiguration, context: any ClientContext, transport: any Transport
  ) -> SignalingClient {
    SignalingClient(ServiceGround(configuration, context: context, transport: transport))
  }

  /// SIG-3: leaves everything; nothing is called any more.
  public func destroy() {
    Self.shared.with { shared in
      if shared[configuration.appId] === self { shared[configuration.appId] = nil }
    }
    core.enter { $0.destroy() }
    cast.finish()
    statusCast.finish()
  }

  // MARK: What is told

  /// A callback by its name.
  public subscript<Value>(
    dynamicMember path: any WritableKeyPath<SignalingCallbacks, Value> & Sendable
  ) -> Value where Value: Sendable {
    get { shown.with { $0.callbacks[keyPath: path] } }
    set { shown.with { $0.callbacks[keyPath: path] = newValue } }
  }

  /// Calls `all` with each callback as a value, on the client's context, after the callback itself: for logs and tools.
  public func tellAll(_ all: @escaping @Sendable (SignalingEvent) -> Void) {
    shown.with { $0.all = all }
  }

  /// Hears what the callbacks hear, as values. Held weakly.
  public var delegate: (any SignalingDelegate)? {
    get { listener.delegate }
    set { listener.set { [weak newValue] in newValue } }
  }

  /// How many unread events one stream keeps.
  public static let eventBufferLimit = 4_096
  /// How many unread statuses one stream keeps.
  public static let statusBufferLimit = 64

  /// What the callbacks hear, from now on. Up to `eventBufferLimit` unread ones are kept, then the oldest are dropped, which the
  /// stream tells (`BufferedStream.markingDrops`).
  public var events: BufferedStream<SignalingEvent> { cast.stream }
  /// Where the login stands, then each other status, by the numbers of `getStatus`. Up to `statusBufferLimit` unread ones are kept,
  /// then the oldest are dropped.
  public var statuses: BufferedStream<Int> { statusCast.stream }

  // MARK: The login

  /// SIG-4: signs in: 30 s or 15 attempts. Ignored while logged in or on the way there (SIG-6). `account`: up to 128 bytes of
  /// visible characters; `uid` is always 0 and `deviceID` empty.
  public func login(_ appId: String, account: String, token: String, uid: UInt32 = 0, deviceID: String = "") {
    core.enter { $0.logIn(.init(appId: appId, account: account, token: token)) }
  }

  /// SIG-7: limits given here bound each outage too, where they are smaller. Nil: 30 s, 15 attempts, and outages as
  /// they are.
  public func login2(
    _ appId: String, account: String, token: String, uid: UInt32 = 0, deviceID: String = "",
    retryTimeInS: Int? = nil, retryCount: Int? = nil
  ) {
    core.enter {
      $0.logIn(
        .init(appId: appId, account: account, token: token, seconds: retryTimeInS, tries: retryCount))
    }
  }

  /// SIG-8. Another login may be asked for at once.
  public func logout() { core.enter { $0.logOut() } }

  /// SIG-9: 0 not logged in, 1 logging in, 2 logged in, 3 reconnecting; as of the last callback. From any thread.
  public func getStatus() -> Int { shownStatus.with { $0.rawValue } }

  /// The same, once what was asked before has been done.
  nonisolated(nonsending) public func getStatus() async -> Int {
    await core.ask { $0.status.rawValue }
  }

  /// SIG-10: 1 | 00 | 04 | 00 | 000 for 0.4.0.0.
  public func getSdkVersion() -> Int { SignalingVersion.own }

  /// The system has a network again: an outage tries at once.
  public func networkIsBack() { core.enter { $0.session.networkBack() } }

  /// Another token. A login of Signaling ends with the token that the server knows, so it is taken there at once, over another
  /// socket of which nobody is told; in an outage it counts from the next attempt on, which is made at once.
  public func renewToken(_ token: String) { core.enter { $0.session.renew(token) } }

  /// Makes no attempts to connect until `resume()`: for an app that goes to the background. The pause counts for no limit of
  /// time here; the server lets a login go after `_conn_timeout` as ever.
  public func pause() { core.enter { $0.session.pause() } }

  /// Attempts again, the first one at once.
  public func resume() { core.enter { $0.session.resume() } }

  /// SIG-11.
  public func queryUserStatus(_ account: String) { core.enter { $0.queryStatus(account) } }

  /// SIG-12: one of the functions of PARITY rows RPC, with a JSON request. `onInvokeRet` comes exactly once.
  public func invoke(_ name: String, req: String, callID: String) {
    core.enter { core in
      core.invoke(name, req) { [weak core] result in
        switch result {
        case .success(let resp): core?.report(.invokeRet(callID: callID, err: "", resp: resp))
        case .failure(let code): core?.report(.invokeRet(callID: callID, err: "\(code.rawValue)", resp: ""))
        }
      }
    }
  }

  /// The same, awaited. Throws the code that `err` has; `failed` if the task is cancelled.
  nonisolated(nonsending) public func invoke(_ name: String, req: String) async throws(SignalingCode)
    -> String
  {
    try await awaitAnswer(orWhenCancelled: Result<String, SignalingCode>.failure(.failed)) { give in
      core.enter { $0.invoke(name, req) { give($0) } }
    }.get()
  }

  // MARK: Own attributes and others'

  /// SIG-A1, SIG-A2: `_conn_timeout` is the one built-in name, 20 to 120 s.
  public func setAttr(_ name: String, value: String) {
    core.enter { core in
      core.setOwn(name, value) { [weak core] error in
        if let error { core?.complain("setAttr", error) }
      }
    }
  }

  /// Asks for one attribute of the own account; `onUserAttrResult` answers.
  public func getAttr(_ name: String) { ask("getAttr", nil, name) }
  /// Asks for all attributes of the own account; `onUserAttrAllResult` answers.
  public func getAttrAll() { askAll("getAttrAll", nil) }
  /// Asks for one attribute of an account; `onUserAttrResult` answers.
  public func getUserAttr(_ account: String, name: String) { ask("getUserAttr", account, name) }
  /// Asks for all attributes of an account; `onUserAttrAllResult` answers.
  public func getUserAttrAll(_ account: String) { askAll("getUserAttrAll", account) }

  private func ask(_ method: String, _ account: String?, _ name: String) {
    core.enter {
      $0.attributes(method, of: account) { core, account, attributes in
        core.report(.userAttrResult(account: account, name: name, value: attributes[name] ?? ""))
      }
    }
  }

  private func askAll(_ method: String, _ account: String?) {
    core.enter {
      $0.attributes(method, of: account) { core, account, attributes in
        core.report(.userAttrAllResult(account: account, value: attributes.json))
      }
    }
  }
}
