import BoardroomModel

/// Offers of invitations that are on their way to their callees, one of each invitation at a time: a callee that has
/// heard of the end of one would take a second offer for a new one. And what the callees have to hear of those that end
/// before the answer to the offer is back: the invitation is gone from the state then.
struct OfferedInvitations {
  private struct Offer {
    /// The callee came while the offer was under way, and may not have been there when it arrived.
    var isWantedAgain = false
    var end: InviteHeard.News?
  }

  /// By the invitation's serial.
  private var offers: [UInt64: Offer] = [:]

  func holds(_ serial: UInt64) -> Bool { offers[serial] != nil }

  /// False: one is under way already, and `finish` tells that another is wanted.
  mutating func begin(_ serial: UInt64) -> Bool {
    guard offers[serial] == nil else {
      offers[serial]?.isWantedAgain = true
      return false
    }
    offers[serial] = Offer()
    return true
  }

  /// Notes what moved; only the caller's end says more than that an offer is withdrawn.
  mutating func note(_ moves: [InviteMoved.Move], of serial: UInt64) {
    for case .ended(let byCaller, let extra) in moves {
      offers[serial]?.end = .ended(byCaller: byCaller, extra: extra)
    }
  }

  /// The answer to an offer is back. Says what the callee has to hear if the invitation is over, and whether to offer it
  /// again if the callee was not there.
  mutating func finish(_ serial: UInt64) -> (lastWord: InviteHeard.News, isWantedAgain: Bool) {
    let offer = offers.removeValue(forKey: serial)
    return (offer?.end ?? .withdrawn, offer?.isWantedAgain ?? false)
  }
}
