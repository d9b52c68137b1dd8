import BoardroomCodec
import BoardroomModel
import EventLogModel

/// What other spaces ask of those of this loop.
extension LoopRooms: SpaceRespondent {
  func answer(_ asked: NumberedQuestion, done: @escaping @Sendable (SpaceAnswer) -> Void) {
    let log = asked.space.log
    if case .offer(let offer, let until?) = asked.question {
      let caller = PendingCallers.Caller(name: offer.caller, serial: offer.serial, service: offer.service)
      expected.expect(log, by: caller, until: Timestamp(milliseconds: until))
    }
    guard asked.question.opens else {
      guard let host = host(log) else { return done(.done) }
      return host.answerAtOnce(asked, done: done)
    }
    var space = asked.payer.map { NewSpace(name: asked.space, payer: $0) }
    if asked.question.makes { space = NewSpace(name: asked.space) }
    withHost(log, making: space, makesNothing: space == nil) { found in
      switch found {
      case .failure(let refusal): done(.unreachable(refusal))
      case .success(let host): host.answerAtOnce(asked, done: done)
      }
    }
  }

  /// An account of this loop can be reached: whoever waits for it may call.
  func noteArrival(of account: RoomID) {
    let me = Confined(self, to: loop)
    loop.execute { me.value.arrived(account) }
  }

  private func arrived(_ account: RoomID) {
    for caller in expected.take(account, at: clock()) {
      exchange.ask(.calleeCame(serial: caller.serial), of: .account(caller.name)) { _ in }
    }
  }
}

extension SpaceHost {
  fileprivate func answerAtOnce(
    _ asked: NumberedQuestion, done: @escaping @Sendable (SpaceAnswer) -> Void
  ) {
    answer(asked, at: clock(), done: done)
    endTurn()
  }
}
