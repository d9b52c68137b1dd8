import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// The calls of an account: invitations that others have made to it, as its log holds them.
final class ReceivedCalls {
  private unowned let account: AccountBehaviour
  /// Bytes of calls in the snapshot.
  private var weights: [CallKey: Int] = [:]

  init(of account: AccountBehaviour) { self.account = account }

  private var host: SpaceHost { account.host }

  /// False: nobody is there, or too many call already, and nothing was recorded. An offer that came before counts once.
  func offer(
    _ heard: InviteHeard, noting number: QuestionApplied?, at now: Timestamp,
    done: @escaping @Sendable (Bool) -> Void
  ) {
    account.passLogins(at: now)
    guard !host.isClosed else { return done(false) }
    if account.space?.calls[CallKey(caller: heard.caller, serial: heard.serial)] == nil {
      guard account.isReachable(heard.service), hasRoom(for: heard),
        (try? host.recordByServer([.inviteHeard(heard)], noting: number, at: now)) != nil
      else { return done(false) }
    }
    host.afterward { done($0 == nil) }
  }

  /// INV-5: nobody fills another account with calls.
  private func hasRoom(for heard: InviteHeard) -> Bool {
    guard case .offered(let extra) = heard.news else { return true }
    var weights: [CallKey: Int] = [:]
    var items: [HeldLimits.Item] = []
    for (key, call) in account.space?.calls ?? [:] {
      let weight = self.weights[key] ?? Self.weight(of: key, call.channel, call.extra)
      weights[key] = weight
      items.append(.init(from: key.caller, weight: weight, counts: !call.isAccepted))
    }
    self.weights = weights
    let key = CallKey(caller: heard.caller, serial: heard.serial)
    let new = HeldLimits.Item(from: heard.caller, weight: Self.weight(of: key, heard.channel, extra))
    return HeldLimits.calls.refusal(of: new, beside: items, isShared: true, limit: "calls") == nil
  }

  private static func weight(of key: CallKey, _ channel: String, _ extra: String) -> Int {
    HeldLimits.weight(of: key.caller, channel, extra)
  }

  /// One more call could be accepted.
  func checkAccepted() throws(Refusal) {
    let accepted = account.space?.calls.values.count { $0.isAccepted } ?? 0
    guard accepted >= AccountPolicy.openInvitations else { return }
    throw Refusal(
      .tooMany, cause: "As many calls were accepted as may be open.", cure: "End one of them.",
      actual: accepted + 1, allowed: AccountPolicy.openInvitations, limit: "calls.accepted")
  }

  func note(_ heard: InviteHeard, noting number: QuestionApplied? = nil, at now: Timestamp) {
    // What was said before is not said again.
    guard let call = account.space?.calls[CallKey(caller: heard.caller, serial: heard.serial)],
      heard.news != .accepted || !call.isAccepted
    else { return }
    try? host.recordByServer([.inviteHeard(heard)], noting: number, at: now)
  }

  private func calls(_ service: Service?) -> [CallKey] {
    let calls = account.space?.calls ?? [:]
    return calls.filter { service == nil || $0.value.service == service }.keys.sorted()
  }

  /// The login that was called is over.
  func loginEnded(_ service: Service) {
    for key in calls(service) { account.once(durable: { $0.calls.say(goneTo: key) }) }
  }

  private func say(goneTo key: CallKey) {
    host.ask(.calleeGone(serial: key.serial, callee: account.name), of: .account(key.caller)) {
      [unowned self] answer in
      forget(key, unless: answer)
    }
  }

  /// What happened to calls while this log was closed.
  func takeUp(at now: Timestamp) {
    for key in calls(nil) {
      guard let call = account.space?.calls[key] else { continue }
      if account.login(of: call.service) == nil { say(goneTo: key) } else { ask(about: key) }
    }
  }

  /// The end of a call is told once, and not again where its caller's node is lost with it (INV-7).
  func askAgain() {
    for key in calls(nil) { ask(about: key) }
  }

  private func ask(about key: CallKey) {
    host.ask(.isOpen(serial: key.serial, callee: account.name), of: .account(key.caller)) {
      [unowned self] answer in
      forget(key, unless: answer)
    }
  }

  /// The caller knows it no longer, and its last word got lost on the way.
  private func forget(_ key: CallKey, unless isOpen: SpaceAnswer) {
    guard isOpen == .no || isOpen.isMissing else { return }
    guard let call = account.space?.calls[key] else { return }
    note(
      InviteHeard(
        caller: key.caller, serial: key.serial, service: call.service, channel: call.channel,
        news: call.isAccepted ? .ended(byCaller: true, extra: "") : .withdrawn),
      at: host.clock())
  }
}
