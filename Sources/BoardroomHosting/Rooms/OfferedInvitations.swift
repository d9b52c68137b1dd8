import BoardroomModel

/// Offers of invitations that are on their way to their callees, and what the callees have to hear of those that end
/// before the answer to the offer is back: the invitation is gone from the state then.
struct OfferedInvitations {
  /// Offers under way, by the invitation's number: one that is offered again while the first is under way counts twice.
  private var counts: [UInt64: Int] = [:]
  private var ends: [UInt64: InviteHeard.News] = [:]

  mutating func begin(_ serial: UInt64) { counts[serial, default: 0] += 1 }

  /// Notes what moved; only the caller's end says more than that an offer is withdrawn.
  mutating func note(_ moves: [InviteMoved.Move], of serial: UInt64) {
    guard counts[serial] != nil else { return }
    for case .ended(let byCaller, let extra) in moves {
      ends[serial] = .ended(byCaller: byCaller, extra: extra)
    }
  }

  /// The answer to an offer is back. Says what the callee has to hear if the invitation is over.
  mutating func finish(_ serial: UInt64) -> InviteHeard.News {
    let news = ends[serial] ?? .withdrawn
    let left = counts[serial, default: 1] - 1
    counts[serial] = left > 0 ? left : nil
    if left <= 0 { ends[serial] = nil }
    return news
  }
}
