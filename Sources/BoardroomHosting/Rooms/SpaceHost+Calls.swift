import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Invitations that others made to this account, as its log holds them.
extension SpaceHost {
  /// there is who can be reached now; a login that is only reconnecting cannot.
  func isReachable(_ service: Service) -> Bool {
    guard let session = login(of: service) else { return false }
    switch session.machine.state {
    case .live(_, let suspected): return !suspected
    case .silent, .gone: return false
    }
  }

  /// False: nobody is there, or too many call already, and nothing was recorded. An offer that came before counts once.
  func takeOffer(_ heard: InviteHeard, at now: Timestamp, done: @escaping @Sendable (Bool) -> Void) {
    passLogins(at: now)
    guard !isClosed else { return done(false) }
    if room.state.space?.calls[CallKey(caller: heard.caller, serial: heard.serial)] == nil {
      guard isReachable(heard.service), hasRoom(for: heard), recordByServer([.inviteHeard(heard)], at: now)
      else { return done(false) }
    }
    afterward { done($0 == nil) }
  }

  /// INV-5: nobody fills another account with calls.
  private func hasRoom(for heard: InviteHeard) -> Bool {
    guard case .offered(let extra) = heard.news else { return true }
    var weights: [CallKey: Int] = [:]
    var items: [HeldLimits.Item] = []
    for (key, call) in room.state.space?.calls ?? [:] {
      let weight = account.callWeights[key] ?? Self.weight(of: key, call.channel, call.extra)
      weights[key] = weight
      items.append(.init(from: key.caller, weight: weight, counts: !call.isAccepted))
    }
    account.callWeights = weights
    let key = CallKey(caller: heard.caller, serial: heard.serial)
    let new = HeldLimits.Item(from: heard.caller, weight: Self.weight(of: key, heard.channel, extra))
    return HeldLimits.calls.refusal(of: new, beside: items, isShared: true, limit: "calls") == nil
  }

  private static func weight(of key: CallKey, _ channel: String, _ extra: String) -> Int {
    HeldLimits.weight(of: key.caller, channel, extra)
  }

  /// One more call could be accepted.
  func checkAccepted() throws(Refusal) {
    let accepted = room.state.space?.calls.values.count { $0.isAccepted } ?? 0
    guard accepted >= AccountPolicy.openInvitations else { return }
    throw Refusal(
      .tooMany, cause: "As many calls were accepted as may be open.", cure: "End one of them.",
      actual: accepted + 1, allowed: AccountPolicy.openInvitations, limit: "calls.accepted")
  }

  func hear(_ heard: InviteHeard, at now: Timestamp) {
    // What was said before is not said again.
    guard let call = room.state.space?.calls[CallKey(caller: heard.caller, serial: heard.serial)],
      heard.news != .accepted || !call.isAccepted
    else { return }
    _ = recordByServer([.inviteHeard(heard)], at: now)
  }

  /// Somebody signed in, or is back: who waits for it may call.
  func loginCame() {
    guard accountName != nil else { return }
    tellArrival?()
  }

  private func calls(_ service: Service?) -> [CallKey] {
    let calls = room.state.space?.calls ?? [:]
    return calls.filter { service == nil || $0.value.service == service }.keys.sorted()
  }

  /// The login that was called is over.
  func leaveCalls(of service: Service) {
    for key in calls(service) { once(durable: { $0.say(goneTo: key) }) }
  }

  private func say(goneTo key: CallKey) {
    guard let name = accountName else { return }
    ask(.calleeGone(serial: key.serial, callee: name), of: .account(key.caller)) { [unowned self] answer in
      forget(key, unless: answer)
    }
  }

  /// What happened to calls while this log was closed.
  func takeUpCalls(at now: Timestamp) {
    for key in calls(nil) {
      guard let call = room.state.space?.calls[key] else { continue }
      if login(of: call.service) == nil { say(goneTo: key) } else { ask(about: key) }
    }
  }

  private func ask(about key: CallKey) {
    guard let name = accountName else { return }
    ask(.isOpen(serial: key.serial, callee: name), of: .account(key.caller)) { [unowned self] answer in
      forget(key, unless: answer)
    }
  }

  /// The caller knows it no longer, and its last word got lost on the way.
  private func forget(_ key: CallKey, unless isOpen: SpaceAnswer) {
    guard isOpen == .no || isOpen.isMissing else { return }
    guard let call = room.state.space?.calls[key] else { return }
    hear(
      InviteHeard(
        caller: key.caller, serial: key.serial, service: call.service, channel: call.channel,
        news: call.isAccepted ? .ended(byCaller: true, extra: "") : .withdrawn),
      at: clock())
  }
}
