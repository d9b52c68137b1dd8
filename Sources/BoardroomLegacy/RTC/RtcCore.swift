import BoardroomClient
import BoardroomCore
import BoardroomModel
import EventLogModel

/// What an RTC connection does, on its context: a link to the channel, and what RTC calls its news.
final class RtcCore {
  typealias JoinCompletion = (Result<UInt, any Error>) -> Void

  let context: any ClientContext
  private let ground: ServiceGround
  private let options: RtcOptions
  private let onEvent: (RtcEvent) -> Void
  /// Another one where the link is not live.
  var makeLink: FaceLinkMaker
  private var space: (any FaceLink)?
  private var channel = ""
  private var uid: UInt = 0
  /// Since when there is something to measure: the join, or the outage.
  private var since = Timestamp.zero
  /// A join that never had a link: it failed here.
  private var hasFailed = false
  private var whenJoined: JoinCompletion?
  /// Counts the joins: what an earlier link says does not count.
  private var stay = 0
  /// Whether the app is in the background.
  private var isPaused = false
  /// Users whose stay was taken over in this turn: the next one follows.
  private var replaced: Set<UInt> = []

  init(_ ground: ServiceGround, _ options: RtcOptions, onEvent: @escaping (RtcEvent) -> Void) {
    (self.ground, self.options, self.onEvent) = (ground, options, onEvent)
    context = ground.context
    makeLink = { place, token, policy, onNews in
      ground.link(to: place, token: token, policy: policy, onNews: onNews)
    }
  }

  private var state: RtcConnectionState {
    if hasFailed { return .failed }
    return space.map { RtcConnectionState($0.phase) } ?? .disconnected
  }

  // MARK: What the app wants

  /// False if nothing comes of it.
  func join(
    _ token: String, _ channel: String, _ uid: UInt, _ completion: JoinCompletion? = nil
  ) -> Bool {
    guard state == .disconnected else { return false }
    whenJoined = completion
    if let obstacle = obstacle(to: channel) {
      stay += 1
      onEvent(.state(.connecting, .connecting))
      hasFailed = true
      fail(obstacle)
    } else {
      enter(channel, as: uid == 0 ? madeUpUid() : uid, token)
    }
    return true
  }

  /// Whatever the channel is called: who asks has looked.
  func enter(_ channel: String, as uid: UInt, _ token: String) {
    stay += 1
    (self.channel, self.uid) = (channel, uid)
    since = context.now
    let place = Place(service: .rtc, account: "\(uid)", channel: channel)
    let policy = ground.configuration.connection.applied(to: options.policy)
    let space = makeLink(place, token, policy) { [weak self, stay] news in
      guard let self, self.stay == stay else { return }
      handleLinkNews(news)
    }
    self.space = space
    space.join()
    if isPaused { space.pause() }
  }

  func pause() {
    isPaused = true
    space?.pause()
  }

  func resume() {
    isPaused = false
    space?.resume()
  }

  private func madeUpUid() -> UInt { UInt(context.chance() * 0x7fff_fffe) + 1 }

  /// What is wrong before anybody is asked.
  private func obstacle(to channel: String) -> RtcConnectionReason? {
    if !ground.configuration.hasGoodAppId { return .invalidAppId }
    return RtcChannelName.isGood(channel) ? nil : .invalidChannelName
  }

  func leave() -> Bool {
    if hasFailed {
      hasFailed = false
      left()
      return true
    }
    guard let space else { return false }
    space.leave()
    return true
  }

  /// The app has let go of it.
  func drop() {
    stay += 1
    space?.leave()
    space = nil
  }

  func renew(_ token: String) { space?.renew(token) }
  func networkBack() { space?.networkBack() }

  // MARK: What the link tells

  private func handleLinkNews(_ news: SpaceNews) {
    switch news {
    case .connecting: onEvent(.state(state, .connecting))
    case .entered(.first): joined()
    case .entered(.resumed), .entered(.anew): rejoined()
    case .reconnecting:
      since = context.now
      // By the time it is told of, another socket may be open already.
      onEvent(.state(.reconnecting, .interrupted))
    case .lost: onEvent(.connectionDidLost)
    case .happened(let happening): happened(happening)
    case .ended(let end, _): ended(end)
    case .tokenWillExpire: onEvent(.tokenWillExpire)
    case .attempt, .mended, .tokenExpired, .tokenRenewed: break
    }
  }

  private var elapsed: Int { Int((context.now - since).wholeMilliseconds) }

  private func joined() {
    let elapsed = elapsed
    onEvent(.state(state, .joinSuccess))
    onEvent(.joinedChannel(channel, uid: uid, elapsed: elapsed))
    answerJoin(.success(uid))
    for account in space?.accounts ?? [] {
      if let other = other(account) { onEvent(.userJoined(other, elapsed: elapsed)) }
    }
  }

  private func rejoined() {
    onEvent(.state(state, options.rejoinsWithJoinSuccess ? .joinSuccess : .rejoinSuccess))
    onEvent(.rejoinedChannel(channel, uid: uid, elapsed: elapsed))
  }

  /// Other users; one's own coming and going is told by the state.
  private func other(_ account: String) -> UInt? { UInt(account).flatMap { $0 == uid ? nil : $0 } }

  private func happened(_ happening: SpaceHappening) {
    switch happening {
    case .joined(let account):
      guard let other = other(account), replaced.remove(other) == nil else { return }
      onEvent(.userJoined(other, elapsed: elapsed))
    case .left(let account, .replaced):
      if let other = other(account) { expectBack(other) }
    case .left(let account, let cause):
      if let other = other(account) { onEvent(.userOffline(other, RtcOfflineReason(cause))) }
    case .event: break
    }
  }

  /// Another process of the same user goes on where this one was: nobody has gone (RTCB-killedBack). The log has both in one
  /// append, so they come in one turn.
  private func expectBack(_ other: UInt) {
    replaced.insert(other)
    context.executeConfined { [weak self, stay] in
      guard let self, self.stay == stay, replaced.remove(other) != nil else { return }
      onEvent(.userOffline(other, .quit))
    }
  }

  private func ended(_ end: ConnectionEnd) {
    switch end {
    case .left: left()
    case .refused(let farewell): fail(FaceCodes(farewell.code).rtc)
    case .joinLimit, .gaveUp: fail(.joinFailed)
    }
  }

  private func left() {
    space = nil
    stay += 1
    onEvent(.state(.disconnected, .leaveChannel))
    onEvent(.leftChannel)
    answerJoin(.failure(RtcJoinError(reason: .leaveChannel)))
  }

  private func fail(_ reason: RtcConnectionReason) {
    onEvent(.state(state, reason))
    answerJoin(.failure(RtcJoinError(reason: reason, connection: space?.lastFailure)))
  }

  private func answerJoin(_ result: Result<UInt, any Error>) {
    let completion = whenJoined
    whenJoined = nil
    completion?(result)
  }
}

extension Farewell {
  /// A kick says more than the refusal that goes with it.
  var code: RefusalCode {
    switch kick {
    case .replaceByOther: .replaced
    case .roomBan: .banned
    case .kickByAdmin, .roomZombie: .kicked
    case .roomDelete, .GatewayAdjust, .crash, nil: refusal.code
    }
  }
}

extension RtcOfflineReason {
  init(_ cause: LeaveCause) {
    switch cause {
    case .left, .kicked, .replaced: self = .quit
    case .timeout, .serverRestart: self = .dropped
    }
  }
}

/// What RTC lets a channel be called: 1 to 64 bytes of its characters (PARITY rows RTCR, reason 7; AR).
enum RtcChannelName {
  static let limit = 64
  private static let marks = Set(" !#$%&()+-:;<=.>?@[]^_{}|~,".utf8)

  static func isGood(_ name: String) -> Bool {
    (1...limit).contains(name.utf8.count) && name.utf8.allSatisfy { isLetter($0) || marks.contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
