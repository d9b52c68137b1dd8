import BoardroomClient
import BoardroomCore
import BoardroomModel
import EventLogModel

/// The face of a session, RTM's or Signaling's: it hears of everything, in order, on the context.
protocol SpaceSessionDelegate: AnyObject {
  /// Without what happens in the account.
  func handleLoginNews(_ news: SpaceNews)
  func handleAccountNews(_ news: AccountNews)
  func handleChannelNews(_ news: ChannelNews, of channel: String)
}

/// What comes to the account.
enum AccountNews: Sendable {
  case message(from: String, id: String, text: String)
  /// An invitation of another account, for the first time.
  case offered(CallKey, Call)
  /// What becomes of one that was offered.
  case heard(CallKey, Call, InviteHeard.News)
  /// What becomes of an own one.
  case moved(Invitation, InviteMoved.Move)
}

enum ChannelNews: Sendable {
  /// In. Members oldest first, oneself among them.
  case joined(members: [String], attributes: [String: String])
  case notJoined(BoardroomError)
  case happened(SpaceHappening)
  case left(ChannelLeaveCause)
}

/// One account signed in to one service, and the channels that it is in. RTM and Signaling are views of it.
///
/// Channels follow the login: while it is away they do not try on their own, and nothing is told of their connections. When
/// it goes on, they do; when it had to sign in anew, they are joined anew or are over, as the service has it.
final class SpaceSession {
  struct Rules: Sendable {
    var service: Service
    var policy: ConnectionPolicy
    /// Whether channels are joined again by themselves after a stay away that ended the login (RTM).
    var comesBack: Bool

    static let rtm = Rules(service: .rtm, policy: .rtm, comesBack: true)
    static let signaling = Rules(service: .signaling, policy: .signaling(), comesBack: false)
  }

  struct Channel {
    let space: any FaceLink
    /// Of this stay in it: what the link of an earlier one says does not count.
    let number: Int
    var hasJoined = false
    /// Why it is going to be over, once this side has asked for that.
    var leaving: ChannelLeaveCause?
  }

  let context: any ClientContext
  let ground: ServiceGround
  /// Another one where the links are not live.
  var makeLink: FaceLinkMaker
  var rules: Rules
  /// Whoever owns the session sets it before the login.
  weak var delegate: (any SpaceSessionDelegate)?
  private(set) var account = ""
  private(set) var token = ""
  var login: (any FaceLink)?
  /// The account's space of one that reads of what happened and has no login (`stand`).
  var spaceRead: (() -> SpaceState?)?
  var channels: [String: Channel] = [:]
  /// Channels whose stay is over here, and that are left once the login is: their logs say then that it was the login.
  private var departing: [any FaceLink] = []
  var lastChannel = 0
  /// Own attributes, which a new login sets again (PARITY rows RTMO).
  var attributes: [String: String] = [:]
  /// Of the newest message that was told.
  var delivered: UInt64 = 0
  var acknowledged: UInt64 = 0
  var isToAcknowledge = false
  /// Invitations of others that were told and are not over.
  var calls: [CallKey: Call] = [:]
  /// Calls of which the server is not known to have heard that this device has them.
  var unrung: Set<CallKey> = []
  var invitations: [UInt64: Invitation] = [:]
  /// Channels that this side has left, and of which the server is not known to have heard that.
  var unheardLeaves: Set<String> = []
  /// Counts the logins: what an earlier link says does not count.
  private(set) var stay = 0
  /// Whether the app is in the background.
  private(set) var isPaused = false

  init(_ ground: ServiceGround, _ rules: Rules) {
    (self.ground, self.rules) = (ground, rules)
    context = ground.context
    makeLink = { place, token, policy, onNews in
      ground.link(to: place, token: token, policy: policy, onNews: onNews)
    }
  }

  // MARK: The login

  var phase: ConnectionPhase { login?.phase ?? .idle }
  var isConnected: Bool { phase == .connected }
  /// Why the server turned the last attempt away for now, if it did.
  var loginRefusal: RefusalCode? { login?.passingRefusal }

  /// Only from where no login is: the face sees to that.
  func signIn(_ account: String, token: String, policy: ConnectionPolicy) {
    forget()
    let policy = ground.configuration.connection.applied(to: policy)
    (self.account, self.token, rules.policy) = (account, token, policy)
    let place = Place(service: rules.service, account: account)
    let space = makeLink(place, token, policy) { [weak self, stay] news in
      guard let self, self.stay == stay else { return }
      handleLoginLinkNews(news)
    }
    login = space
    begin(space)
  }

  func begin(_ space: any FaceLink) {
    space.join()
    if isPaused { space.pause() }
  }

  /// As another client of this account, which reads of what happened and has no connection.
  func stand(for account: String) {
    forget()
    self.account = account
  }

  private func forget() {
    stay += 1
    login = nil
    (channels, departing) = ([:], [])
    attributes = [:]
    (delivered, acknowledged) = (0, 0)
    (calls, unrung) = ([:], [])
    invitations = [:]
    unheardLeaves = []
  }

  /// Says goodbye everywhere; `.login(.ended(.left))` follows.
  func signOut() {
    departing += channels.sorted { $0.key < $1.key }.map { $0.value.space }
    endChannels(.logout)
    login?.leave()
  }

  /// The app has let go of it.
  func drop() {
    for channel in channels.values { channel.space.leave() }
    login?.leave()
    forget()
  }

  func renew(_ token: String) {
    renewChannels(token)
    login?.renew(token)
  }

  private func renewChannels(_ token: String) {
    self.token = token
    for channel in channels.values { channel.space.renew(token) }
  }

  /// No attempts, of the login and of its channels, until `resume`.
  func pause() {
    isPaused = true
    for space in spaces { space.pause() }
  }

  func resume() {
    isPaused = false
    for space in spaces { space.resume() }
  }

  /// The login, then its channels by name.
  private var spaces: [any FaceLink] {
    [login].compactMap(\.self) + channels.sorted { $0.key < $1.key }.map { $0.value.space }
  }

  func networkBack() { login?.networkBack() }

  /// Other numbers for the login from here on.
  func follow(_ policy: ConnectionPolicy) {
    rules.policy = ground.configuration.connection.applied(to: policy)
    login?.follow(rules.policy)
  }

  // MARK: What the login tells

  private func handleLoginLinkNews(_ news: SpaceNews) {
    switch news {
    case .happened(let happening): return happened(happening)
    case .reconnecting:
      hold(true)
      delegate?.handleLoginNews(news)
    case .entered(let entry): entered(entry)
    case .mended: goesOn()
    case .ended(let end, _):
      endChannels(ChannelLeaveCause(end))
      for space in departing { space.leave() }
      departing = []
      delegate?.handleLoginNews(news)
    case .tokenRenewed(let token):
      renewChannels(token)
      delegate?.handleLoginNews(news)
    case .connecting, .attempt, .lost, .tokenExpired, .tokenWillExpire: delegate?.handleLoginNews(news)
    }
  }

  private func entered(_ entry: SpaceEntry) {
    delegate?.handleLoginNews(.entered(entry))
    if entry == .anew { setAgain() }
    if entry == .anew, !rules.comesBack { endChannels(.offline) }
    // What a login was in ends with it.
    if entry == .anew { unheardLeaves = [] }
    if entry == .resumed { endRemovedChannels() }
    leaveAgain()
    hold(false)
    deliverHeld()
  }

  /// Over another socket. Where one could be opened, channels that lost theirs can have one too.
  private func goesOn() {
    endRemovedChannels()
    leaveAgain()
    for (_, channel) in channels.sorted(by: { $0.key < $1.key }) {
      channel.space.networkBack()
    }
    deliverHeld()
  }

  private func deliverHeld() {
    if let space = login?.space { deliver(heldIn: space) }
  }

  private func setAgain() {
    guard !attributes.isEmpty else { return }
    let fields = attributes.sorted { $0.key < $1.key }.map {
      AttributesSet.Field(name: $0.key, value: $0.value)
    }
    submit(.setAttributes(AttributesSet(fields))) { _ in }
  }

  private func hold(_ held: Bool) {
    for (name, channel) in channels.sorted(by: { $0.key < $1.key }) {
      channel.space.hold(held || unheardLeaves.contains(name))
    }
  }

  // MARK: What the app asks of its own connection

  /// Own attributes are kept for a new login only once they count.
  func setAttributes(
    _ fields: [AttributesSet.Field], _ completion: @escaping (BoardroomError?) -> Void
  ) {
    let keep = { [weak self] in
      guard let self else { return }
      for field in fields { attributes[field.name] = field.value }
    }
    submit(.setAttributes(AttributesSet(fields)), late: keep) { error in
      if error == nil { keep() }
      completion(error)
    }
  }

  func clearAttributes(_ completion: @escaping (BoardroomError?) -> Void) {
    let forget: () -> Void = { [weak self] in self?.attributes = [:] }
    submit(.clearAttributes, late: forget) { error in
      if error == nil { forget() }
      completion(error)
    }
  }

  /// `completion` is called once, within 10 s (PARITY rows RTML, RTMX, SIGE). A command that fails for want of a receipt is not sent
  /// again; where it turns out to be done all the same, `late` is called.
  func submit(
    _ command: SpaceCommand, late: @escaping () -> Void = {},
    _ completion: @escaping (BoardroomError?) -> Void
  ) {
    guard let login else { return completion(BoardroomError(.notConnected)) }
    let answer = Self.answer(completion, late: late)
    login.submit(command, answer)
  }

  static func answer(
    _ completion: @escaping (BoardroomError?) -> Void, late: @escaping () -> Void
  ) -> CommandCompletion {
    var isTold = false
    return { result in
      defer { isTold = true }
      if !isTold { completion(result.failure) } else if result.failure == nil { late() }
    }
  }

  func ask(_ question: Question, _ completion: @escaping AskCompletion) {
    guard let login else { return completion(.failure(BoardroomError(.notConnected))) }
    login.ask(question, completion)
  }
}

extension Result where Failure == BoardroomError {
  var failure: BoardroomError? {
    switch self {
    case .success: nil
    case .failure(let error): error
    }
  }
}
