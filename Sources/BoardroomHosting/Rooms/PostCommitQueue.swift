import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// What the room does once the log holds a certain revision.
enum PostCommitAction {
  /// Tell the author that its command is in the log.
  case receipt(MemberSession, CommandCounter)
  case refused(MemberSession, CommandCounter, Refusal)
  /// The first answer to a command that was sent again.
  case again(MemberSession, Receipt, Refusal?)
  /// Say welcome to a connection, if it is still the one that counts.
  case admit(MemberSession, ConnectionID, resumed: Bool)
  /// Part from a connection.
  case part(ConnectionHandle, Farewell, code: UInt16)
  /// Tell someone outside (REST, tests) that it is done.
  case tell(@Sendable (Result<Revision, Refusal>) -> Void)
  /// Show someone outside the state.
  case show(StateRequest)
}

/// Consequences in the order of the revisions that they wait for.
struct PostCommitQueue {
  private var queue: [(Revision, PostCommitAction)] = []
  private var next = 0

  var isEmpty: Bool { next == queue.count }

  mutating func add(_ consequence: PostCommitAction, at revision: Revision) {
    queue.append((revision, consequence))
  }

  mutating func take(upTo durable: Revision) -> (Revision, PostCommitAction)? {
    guard next < queue.count, queue[next].0 <= durable else { return nil }
    defer { shorten() }
    return queue[next]
  }

  private mutating func shorten() {
    next += 1
    guard next == queue.count || next > 1_024 else { return }
    queue.removeFirst(next)
    next = 0
  }

  /// A room at rest keeps no space for what comes next.
  mutating func releaseSpace() {
    if isEmpty { (queue, next) = ([], 0) }
  }

  func holdsReceipt(of session: MemberSession, _ counter: CommandCounter) -> Bool {
    queue[next...].contains { entry in
      switch entry.1 {
      case .receipt(let other, counter): other === session
      case .refused(let other, counter, _): other === session
      case .receipt, .refused, .again, .admit, .part, .tell, .show: false
      }
    }
  }

  /// All that is left, for a room that fails.
  mutating func drain() -> [PostCommitAction] {
    defer { self = PostCommitQueue() }
    return queue[next...].map(\.1)
  }
}

/// How many bytes of records lie behind a revision, roughly: what catch-ups are planned by.
struct ByteLedger {
  /// A mark at least this far apart.
  private static let grain = 16 << 10
  private var marks: [(revision: Revision, bytes: Int)]
  private(set) var total: Int

  init(opened revision: Revision, bytes: Int) {
    marks = [(.zero, 0), (revision, bytes)]
    total = bytes
  }

  mutating func add(_ bytes: Int, through revision: Revision) {
    total += bytes
    if total - marks[marks.count - 1].bytes >= Self.grain { marks.append((revision, total)) }
  }

  /// Bytes after `revision`, to the precision of the grain; before the opening, by even division.
  func bytes(after revision: Revision) -> Int {
    var low = 0
    var high = marks.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if marks[middle].revision <= revision { low = middle } else { high = middle }
    }
    guard low == 0, marks[1].revision > 0 else { return total - marks[low].bytes }
    let share = Double(revision.rawValue) / Double(marks[1].revision.rawValue)
    return total - Int(Double(marks[1].bytes) * min(1, share))
  }
}
