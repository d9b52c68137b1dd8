import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Own commands that were given in an outage and wait for its end: how many, and how large.
struct AwayQueue {
  /// Commands that may wait. 1,000: minutes of a person's work, and half of what a server takes at once.
  static let limit = 1_000
  /// Bytes of all of them together. 1 MiB: sent within seconds over a slow line.
  static let byteLimit = 1 << 20

  private(set) var count = 0
  private(set) var bytes = 0

  mutating func add(_ size: Int) {
    count += 1
    bytes += size
  }

  mutating func remove(_ size: Int) {
    count -= 1
    bytes -= size
  }

  static func size(of command: Command) -> Int {
    CommandCodec.encode(NumberedCommand(counter: 1, command: command)).body.count
  }
}

/// What is told of own commands that have no receipt: once a turn, whatever happened in it.
struct PendingNews {
  private var last: UInt64 = 0
  var isDue = false

  /// The number by which a command is known, whatever becomes of its counter.
  mutating func nextNumber() -> UInt64 {
    last += 1
    return last
  }
}

extension RoomLink {
  /// Whether commands wait for the end of the outage.
  var isQueueing: Bool { settings.queuesWhileAway && session != nil && machine.phase == .reconnecting }

  /// Why a command cannot wait for the end of the outage, if so.
  func checkQueue(for command: Command) throws(BoardroomError) {
    guard command.waitsWhileAway else { throw BoardroomError(.notConnected) }
    let count = outbox.away.count + magix.pace.waiting.count
    guard count < AwayQueue.limit else { throw .queueIsFull("commands", count + 1, AwayQueue.limit) }
    let bytes = outbox.away.bytes + magix.pace.bytes + AwayQueue.size(of: command)
    guard bytes <= AwayQueue.byteLimit else { throw .queueIsFull("bytes", bytes, AwayQueue.byteLimit) }
  }

  /// What waits is another than before.
  func notePending() {
    guard settings.pendingDetail != .none, !pending.isDue else { return }
    pending.isDue = true
    context.executeConfined { [weak self] in self?.tellPending() }
  }

  private func tellPending() {
    pending.isDue = false
    let count = outbox.count + magix.pace.waiting.count
    onUpdate(.pending(count, settings.pendingDetail == .commands ? pendingCommands : nil))
  }

  /// In the order in which they were given, but for magix events that wait for their turn: those come last.
  var pendingCommands: [WhitePendingCommand] {
    let given = outbox.pending.map { one in
      WhitePendingCommand(
        id: one.number, kind: one.command.command.kind.name, status: one.awayBytes == nil ? .sent : .waiting)
    }
    let paced = magix.pace.waiting.map {
      WhitePendingCommand(id: $0.number, kind: EventKind.magix.name, status: .waiting)
    }
    return given + paced
  }
}

extension Command {
  /// What is of the moment would come too late.
  fileprivate var waitsWhileAway: Bool {
    switch self {
    case .drawing(.pointer): false
    case .custom(.reaction): false
    default: true
    }
  }
}

extension BoardroomError {
  static func queueIsFull(_ what: String, _ actual: Int, _ allowed: Int) -> BoardroomError {
    BoardroomError(
      Refusal(
        .tooMany, cause: "The commands that wait for the connection would be more than \(allowed) \(what).",
        cure: "Wait until the room is connected again.", actual: actual, allowed: allowed,
        limit: what == "bytes" ? "WhiteRoomConfig.awayByteLimit" : "WhiteRoomConfig.awayCommandLimit"))
  }
}
