import BoardroomModel
import EventLogModel

/// Who came and went, until the log holds it (SIG-C6, SIG-C7). What it does not hold when the server ends was not told,
/// and is not repeated.
struct UntoldPresences {
  private var notes: [(revision: Revision, presence: Presence)] = []

  mutating func note(_ presence: Presence, at revision: Revision) { notes.append((revision, presence)) }

  /// Tells those that the log holds, in their order.
  mutating func tell(upTo durable: Revision, to hear: (Presence) -> Void) {
    guard let first = notes.first, first.revision <= durable else { return }
    let count = notes.prefix { $0.revision <= durable }.count
    for (_, presence) in notes.prefix(count) { hear(presence) }
    notes.removeFirst(count)
  }
}
