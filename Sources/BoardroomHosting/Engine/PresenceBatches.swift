import BoardroomModel

/// Who came and went in the spaces of a loop, until the special channels have it (SIG-C6, SIG-C7). Each of them is told one
/// batch after the other: what happens while one is on its way is the next.
struct PresenceBatches {
  /// Presences of one batch at most: some 100 KB in one append. What is more follows in the next.
  static let most = 1_024
  /// Presences that wait for a special channel that does not answer. Beyond that the oldest are not told: what is newer says
  /// how it is now. 65,536: some MiB.
  static let mostWaiting = 65_536

  private var waiting: [SpaceName: [Presence]] = [:]
  private var underWay: Set<SpaceName> = []

  /// Takes it in; true: nothing of the sort was waiting, so that somebody has to come for the batch at the end of the turn.
  mutating func note(_ presence: Presence) -> Bool {
    let special: SpaceName = presence.channel == nil ? .userOnline : .channelEvents
    var batch = waiting.removeValue(forKey: special) ?? []
    let isFirst = batch.isEmpty
    batch.append(presence)
    if batch.count > Self.mostWaiting { batch.removeFirst(batch.count - Self.mostWaiting) }
    waiting[special] = batch
    return isFirst
  }

  /// The next batch of a special channel, which is on its way from here on; nil: there is none, or another one is on its way.
  mutating func take(for special: SpaceName) -> [Presence]? {
    guard !underWay.contains(special), let all = waiting.removeValue(forKey: special) else { return nil }
    underWay.insert(special)
    if all.count > Self.most { waiting[special] = Array(all[Self.most...]) }
    return Array(all.prefix(Self.most))
  }

  /// The special channel has its batch, or cannot be told.
  mutating func answered(by special: SpaceName) { underWay.remove(special) }
}
