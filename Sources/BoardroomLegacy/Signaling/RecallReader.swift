import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Goes through the logs of one account, event by event, and tells the face what its clients' sessions told it.
final class RecallReader {
  private enum Listening {
    /// No client is there.
    case nobody
    case here
    /// The client is cut off: it hears what happens when it is back.
    case away
  }

  private let account: String
  private let home: [RoomEvent]
  private let core: SignalingCore
  private let clock = RecallContext()

  private var state = RoomState()
  private var login: MemberID?
  private var listening = Listening.nobody
  private var kept: [() -> Void] = []
  private var wasKicked = false
  private var spaces: [String: RoomState] = [:]
  /// Channels that the present client is in.
  private var channels: Set<String> = []

  private(set) var told: [SignalingRecall.Told] = []

  init(_ account: String, _ home: [RoomEvent]) {
    (self.account, self.home) = (account, home)
    core = SignalingCore(.recalled(on: clock))
    core.session.spaceRead = { [weak self] in self?.state.space }
    core.onEvent = { [weak self] event in self?.append(event) }
  }

  private func append(_ event: SignalingEvent) { told.append(.init(time: clock.now, event: event)) }

  private func whenListening(_ work: @escaping () -> Void) {
    switch listening {
    case .nobody: break
    case .here: work()
    case .away: kept.append(work)
    }
  }

  // MARK: The account's log

  func takeHomeEvent(_ event: RoomEvent, at index: Int) {
    clock.advance(to: event.time)
    defer { clock.settle() }
    let before = login.flatMap { state.members[$0]?.generation } ?? 1
    var touched: RoomParts = []
    _ = state.apply(event, touching: &touched)
    if case .members(.joined(let joined)) = event.event, joined.uid == Service.signaling.rawValue {
      login = event.actor.member
      return begin()
    }
    if case .members(.kicked(let kicked)) = event.event, kicked.member == login { wasKicked = true }
    if case .space(let space) = event.event {
      return whenListening { [self] in core.session.happened(.event(space, by: nil)) }
    }
    guard let login, event.actor == .member(login) else { return }
    if case .members(.phase(let change)) = event.event { turned(change, login, before, at: index) }
    if case .members(.left(let cause)) = event.event { ended(cause) }
  }

  /// A client that was not there before has signed in.
  private func begin() {
    (listening, kept, channels, wasKicked) = (.here, [], [], false)
    core.stand(for: account)
    core.handleLoginNews(.entered(.first))
    if let space = state.space { core.session.deliver(heldIn: space) }
  }

  private func turned(
    _ change: MemberPhaseChange, _ login: MemberID, _ before: Generation, at index: Int
  ) {
    switch Comeback(from: index, of: login, before, in: home) {
    case .never: listening = .nobody
    case .another: if change.phase == .connected { begin() } else { listening = .nobody }
    case .same: change.phase == .connected ? back() : away()
    case .unnoticed: change.phase == .connected ? hearKept() : wait()
    }
  }

  private func away() {
    wait()
    core.handleLoginNews(.attempt(1))
  }

  private func wait() { listening = .away }

  private func back() {
    if case .here = listening { away() }
    core.handleLoginNews(.entered(.resumed))
    hearKept()
  }

  private func hearKept() {
    let waiting = kept
    (listening, kept) = (.here, [])
    for work in waiting { work() }
  }

  private func ended(_ cause: LeaveCause) {
    defer { (listening, kept, channels, login) = (.nobody, [], [], nil) }
    guard case .here = listening, let end = end(cause) else { return }
    let over: ChannelLeaveCause = cause == .left ? .logout : ChannelLeaveCause(end)
    for name in channels.sorted() { core.handleChannelNews(.left(over), of: name) }
    core.handleLoginNews(.ended(end, wasJoining: false))
  }

  /// What the client hears; nil if it is not there to hear it.
  private func end(_ cause: LeaveCause) -> ConnectionEnd? {
    switch cause {
    case .left: .left
    case .replaced: .refused(Farewell(Refusal(.replaced), kick: .replaceByOther, comeBack: false))
    case .kicked: .refused(Farewell(Refusal(wasKicked ? .kicked : .tokenExpired), comeBack: false))
    case .timeout, .serverRestart: nil
    }
  }

  // MARK: A channel's log

  func takeChannelEvent(_ event: RoomEvent, in name: String) {
    clock.advance(to: event.time)
    defer { clock.settle() }
    var space = spaces[name] ?? RoomState()
    let before = event.actor.member.flatMap { space.members[$0] }
    var touched: RoomParts = []
    _ = space.apply(event, touching: &touched)
    spaces[name] = space
    let user = before?.uid ?? event.actor.member.flatMap { space.members[$0]?.uid }
    let isOwn = user == account
    if case .members(.joined) = event.event, let user {
      return isOwn ? joined(name) : happened(.joined(user), in: name)
    }
    if case .members(.left(let cause)) = event.event, let user {
      return isOwn ? left(name, cause) : happened(.left(user, cause), in: name)
    }
    if isOwn, case .members(.phase(let change)) = event.event, change.phase == .connected {
      return joined(name)
    }
    if isOwn, case .diagnostics(.refused(let refused)) = event.event { return notSent(refused) }
    guard case .space(let news) = event.event else { return }
    if isOwn, news.author == nil, case .channelMessage(let said) = news {
      whenListening { [self] in core.report(.messageSendSuccess(messageID: said.id)) }
    }
    happened(.event(news, by: news.author ?? user), in: name)
  }

  private func joined(_ name: String) {
    let space = spaces[name]
    whenListening { [self] in
      guard channels.insert(name).inserted else { return }
      let members = space?.roster.compactMap(\.uid) ?? []
      let attributes = space?.space?.attributes ?? [:]
      core.channel = SignalingChannel(current: name)
      core.handleChannelNews(.joined(members: members, attributes: attributes), of: name)
    }
  }

  private func left(_ name: String, _ cause: LeaveCause) {
    whenListening { [self] in
      guard channels.remove(name) != nil else { return }
      core.handleChannelNews(.left(ChannelLeaveCause(memberLeft: cause)), of: name)
    }
  }

  private func happened(_ happening: SpaceHappening, in name: String) {
    whenListening { [self] in
      guard channels.contains(name) else { return }
      core.handleChannelNews(.happened(happening), of: name)
    }
  }

  private func notSent(_ refused: RefusedCommand) {
    guard refused.kind == EventKind.channelMessage.rawValue, let id = refused.id else { return }
    whenListening { [self] in
      core.report(.messageSendError(messageID: id, ecode: FaceCodes(refused.code).signaling.message))
    }
  }
}

extension ChannelLeaveCause {
  /// What a client was told of its own member's end.
  fileprivate init(memberLeft cause: LeaveCause) {
    switch cause {
    case .left: self = .left
    case .kicked: self = .kicked
    case .replaced: self = .replaced
    case .timeout, .serverRestart: self = .offline
    }
  }
}
