import BoardroomModel
import EventLogModel

/// The messages that an account got lately, also those that it has taken out of its mailbox: a sender that had no answer
/// sends again under the same name, and that is no second message (ACC-14). Kept in memory only.
struct TakenMessages {
  private struct Key: Hashable {
    let service: Service
    let from: String
    let id: String
    /// Texts are long; this is to tell them apart within one process.
    let text: Int

    init(_ message: InboxMessage) {
      (service, from, id, text) = (message.service, message.from, message.id, message.text.hashValue)
    }
  }

  /// How long, and how many at most; then the oldest go.
  static let life = Duration.seconds(60)
  static let limit = 256

  private var order: [(key: Key, time: Timestamp)] = []
  private var keys: Set<Key> = []

  mutating func contains(_ message: InboxMessage, at now: Timestamp) -> Bool {
    guard !message.id.isEmpty else { return false }
    while let first = order.first, first.time + Self.life <= now || order.count > Self.limit {
      keys.remove(order.removeFirst().key)
    }
    return keys.contains(Key(message))
  }

  mutating func add(_ message: InboxMessage, at now: Timestamp) {
    let key = Key(message)
    guard !message.id.isEmpty, keys.insert(key).inserted else { return }
    order.append((key, now))
  }
}
