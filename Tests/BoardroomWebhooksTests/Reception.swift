import BoardroomCodec
import BoardroomModel
import EventLogModel
import StorageTestKit
import Testing

@testable import BoardroomWebhooks

/// Logs of rooms, a receiver that does as it is told, and a machine between them, under a virtual clock.
struct Reception {
  /// What the receiver answers.
  typealias Script = (_ event: [WebhookEvent], _ now: Timestamp) -> WebhookAnswer

  static let epoch = Epoch(7)
  var now = Timestamp(milliseconds: 1_700_000_000_000)
  var machine: WebhookMachine
  var logs: [RoomID: [WebhookEvent]] = [:]
  /// What would be on disk.
  private(set) var written: [RoomID: Cursor] = [:]
  private(set) var writtenFailing: Timestamp?
  private(set) var losses: [WebhookLoss] = []
  /// Every request, and those that were taken, in order.
  private(set) var requests: [(at: Timestamp, events: [WebhookEvent])] = []
  private(set) var taken: [WebhookEvent] = []
  var unreadable: Set<RoomID> = []
  /// How long the receiver takes to answer.
  var answerTime: Duration = .milliseconds(20)
  /// A request without an answer yet.
  private var underWay: [WebhookEvent]?
  private var luck: SeededGenerator
  let policy: WebhookMachine.Policy

  init(policy: WebhookMachine.Policy = .init(), seed: UInt64 = 1) {
    self.policy = policy
    machine = WebhookMachine(policy: policy)
    luck = SeededGenerator(seed: seed)
  }

  static func room(_ number: UInt64) -> RoomID { RoomID(high: 1, low: number) }

  /// So many events more in the room's log; the machine is told as the commit would tell it.
  mutating func commit(_ count: Int = 1, in room: RoomID) {
    let first = Revision(UInt64(logs[room]?.count ?? 0) + 1)
    for place in 0..<count { logs[room, default: []].append(Self.event(first + place, at: now, in: room)) }
    let note = WebhookNote(first: first, last: first + (count - 1), isWanted: true)
    machine.advanced(room, note, at: now)
  }

  static func event(_ revision: Revision, at now: Timestamp, in room: RoomID) -> WebhookEvent {
    let joined = Record(kind: 18, time: now, actor: 1, body: [0] + Array("{\"cause\":\"left\"}".utf8))
    var builder = RunBuilder(first: revision)
    builder.append(joined)
    let run = builder.takeRun()!
    var events: [WebhookEvent] = []
    run.forEach { view, _ in
      events.append(
        WebhookEvent(
          WebhookType(of: .memberLeft), view, in: run.records, of: room, RoomNames(epoch: epoch)))
    }
    return events[0]
  }

  /// Another server on the same disk, as after `kill -9`.
  mutating func restart() {
    machine = WebhookMachine(policy: policy, cursors: written, failingSince: writtenFailing)
    underWay = nil
    for (room, events) in logs.sorted(by: { $0.key < $1.key }) {
      let info = LogInfo(
        log: room, epoch: Self.epoch, created: .zero, low: 1, last: Revision(UInt64(events.count)),
        lastTime: now, rawBytes: 0, storedBytes: 0)
      machine.found(info, skips: false, at: now)
    }
  }

  /// Lets the machine work until it waits for something beyond `end`, or for nothing, or until so many requests
  /// have been answered and one more is under way; time moves with it.
  mutating func run(until end: Timestamp, requests most: Int = .max, _ script: Script) {
    var left = most
    while true {
      let action = underWay.map(WebhookMachine.Instruction.send) ?? machine.next(at: now)
      underWay = nil
      writeDown()
      switch action {
      case .look(let room, let cursor, let count): look(room, cursor, count)
      case .send(let events):
        guard left > 0 else { return underWay = events }
        left -= 1
        requests.append((now, events))
        let answer = script(events, now)
        now = now + answerTime
        if answer.verdict == .taken { taken += events }
        machine.answered(answer.verdict, chance: .random(in: 0..<1, using: &luck), at: now)
      case .wait(let until):
        guard let until, until <= end else { return now = max(now, end) }
        now = max(now, until)
      }
    }
  }

  private mutating func look(_ room: RoomID, _ cursor: Cursor?, _ count: Int) {
    guard !unreadable.contains(room), let all = logs[room] else {
      let why: WebhookMachine.Unreadable = logs[room] == nil ? .gone : .unavailable
      return machine.unreadable(why, chance: 0.5, at: now)
    }
    let after = cursor?.revision ?? .zero
    let events = all.drop { $0.revision <= after }.prefix(count)
    let through = events.last?.revision ?? after
    machine.found(
      .init(
        room: room, epoch: Self.epoch, events: Array(events), through: through,
        isEnd: through == all.last?.revision), at: now)
  }

  private mutating func writeDown() {
    let taken = machine.takeMoves(all: false)
    losses += taken.losses
    for move in taken.moves { written[move.room] = move.cursor }
    writtenFailing = machine.failingSince
  }

  // MARK: What must hold

  /// Revisions that the receiver took of a room, in order, repeats and all.
  func taken(of room: RoomID) -> [UInt64] {
    taken.filter { $0.id.hasPrefix(room.description) }.map(\.revision.rawValue)
  }

  /// Nothing is missing, and in every room what comes for the first time comes in the order of the log.
  func checkAllArrived(sourceLocation: SourceLocation = #_sourceLocation) {
    for (room, events) in logs {
      var last: UInt64 = 0
      for revision in taken(of: room) where revision > last {
        #expect(revision == last + 1, "a gap in \(room)", sourceLocation: sourceLocation)
        last = revision
      }
      #expect(last == UInt64(events.count), "\(room) is not told to its end", sourceLocation: sourceLocation)
    }
  }
}

/// Answers that tests give.
enum Answers {
  static let fine = WebhookAnswer.status(204, retryAfter: nil)
  static func status(_ code: Int) -> WebhookAnswer { .status(code, retryAfter: nil) }
}
