import BoardroomModel
import EventLogModel

/// The state of one endpoint: a cursor into each room's log, and at most one batch that is being sent. It
/// decides what to do next. Pure: it knows no clock, socket or random numbers; `WebhookSender` carries its
/// actions out.
///
/// In each room the order of the log is kept, because the cursor moves only over events that the endpoint has
/// accepted. After a failure of the endpoint, sending pauses for all rooms. An event that the endpoint
/// refuses, or a log that cannot be read, stops one room only.
struct WebhookMachine: Sendable {
  enum Instruction: Sendable, Hashable {
    /// Read events of the room after the cursor and call `found` or `unreadable`. Nil: from the beginning.
    case look(RoomID, after: Cursor?, events: Int)
    /// Send these and call `answered`.
    case send([WebhookEvent])
    /// There is nothing to do before this time; nil: before the next note.
    case wait(until: Timestamp?)
  }

  /// Events that were read from one room.
  struct EventPage: Sendable, Hashable {
    var room: RoomID
    var epoch: Epoch
    /// Only the events that are to be told.
    var events: [WebhookEvent]
    /// The last record looked at.
    var through: Revision
    /// Whether the log had no more events.
    var isEnd: Bool
  }

  enum Unreadable: Sendable, Hashable {
    case gone
    /// The log begins at this revision now.
    case trimmed(Epoch, low: Revision)
    case unavailable
  }

  enum Verdict: Sendable, Hashable {
    case taken
    /// The endpoint refuses this event, and not others.
    case refused
    case failed(retryAfter: Duration?)
    /// The endpoint wants no more events at all.
    case unwanted
  }

  private enum Stage: Sendable, Hashable {
    case ready
    case looking(RoomID)
    case sending(Int)
    case resting(until: Timestamp)
    case unwanted
  }

  /// How far a room's log goes beyond its cursor, and since when.
  private struct Goal: Sendable {
    var revision: Revision
    var since: Timestamp
  }

  private struct Hold: Sendable {
    var failures: Int
    var since: Timestamp
    /// When the room is tried again; nil while that is under way.
    var until: Timestamp?
  }

  let policy: Policy
  private var stage = Stage.ready
  private(set) var cursors: [RoomID: Cursor]
  private var goals: [RoomID: Goal] = [:]
  private var queue = RoomQueue()
  private var held: [RoomID: Hold] = [:]
  /// Pages that were read and not accepted yet; the first is sent first.
  private var pages: [EventPage] = []
  private(set) var failures = 0
  private(set) var failingSince: Timestamp?
  /// How many events are still sent one by one, because one of them was refused.
  private var narrow = 0
  private var moves = WebhookMoves()

  /// - Parameter failingSince: since when the endpoint fails, from an earlier run of the server.
  init(policy: Policy, cursors: [RoomID: Cursor] = [:], failingSince: Timestamp? = nil) {
    self.policy = policy
    self.cursors = cursors
    self.failingSince = failingSince
  }

  // MARK: What is heard of logs

  /// A log that is there when the server starts.
  /// - Parameter skips: the endpoint is new and begins at the present end.
  mutating func found(_ info: LogInfo, skips: Bool, at now: Timestamp) {
    guard goals[info.log] == nil else { return }
    if skips {
      move(info.log, to: Cursor(epoch: info.epoch, revision: info.last), isAnswer: false)
    } else if let cursor = cursors[info.log], cursor.epoch == info.epoch {
      // The log ends before the cursor: an older copy was put back. New events are told from its end on.
      guard cursor.revision <= info.last else {
        return move(info.log, to: Cursor(epoch: info.epoch, revision: info.last), isAnswer: false)
      }
      if cursor.revision < info.last { want(info.log, through: info.last, at: now) }
    } else if info.last > .zero {
      want(info.log, through: info.last, at: now)
    }
  }

  /// Events were committed, and some of them may have to be told.
  mutating func advanced(_ room: RoomID, _ note: WebhookNote, at now: Timestamp) {
    if note.isDeleted { return deleted(room) }
    guard note.last > .zero else { return }
    if goals[room] != nil {
      goals[room]!.revision = max(goals[room]!.revision, note.last)
      return
    }
    guard let cursor = cursors[room] else { return want(room, through: note.last, at: now) }
    guard cursor.revision < note.last else { return }
    if !note.isWanted, cursor.revision.next >= note.first {
      move(room, to: Cursor(epoch: cursor.epoch, revision: note.last), isAnswer: false)
    } else {
      want(room, through: note.last, at: now)
    }
  }

  private mutating func want(_ room: RoomID, through revision: Revision, at now: Timestamp) {
    goals[room] = Goal(revision: revision, since: now)
    queue.add(room)
  }

  /// The loss of events that were not told yet is found when the log is read.
  private mutating func deleted(_ room: RoomID) {
    if goals[room] == nil { forget(room) }
  }

  mutating func forget(_ room: RoomID) {
    guard cursors.removeValue(forKey: room) != nil else { return }
    moves.forget(room)
  }

  // MARK: What other nodes have told

  /// A cursor that is kept for all nodes. Where it is further than this node's, another node has told of the room. Not while
  /// something is being read or sent.
  mutating func place(_ room: RoomID, at cursor: Cursor) {
    if let known = cursors[room], known.epoch == cursor.epoch, known.revision >= cursor.revision { return }
    cursors[room] = cursor
    let hadPages = pages.contains { $0.room == room }
    pages.removeAll { $0.room == room }
    guard let goal = goals[room] else { return }
    if goal.revision <= cursor.revision {
      goals[room] = nil
      held[room] = nil
    } else if hadPages {
      queue.add(room)
    }
  }

  /// A room of which the endpoint was not told wholly, although nothing was committed to it here.
  mutating func behind(_ room: RoomID, at cursor: Cursor?, last: Revision, at now: Timestamp) {
    if let cursor { place(room, at: cursor) }
    guard goals[room] == nil, (cursors[room]?.revision ?? .zero) < last else { return }
    want(room, through: last, at: now)
  }

  // MARK: What is to be done

  mutating func next(at now: Timestamp) -> Instruction {
    switch stage {
    case .unwanted, .looking, .sending: return .wait(until: nil)
    case .resting(let until) where now < until: return .wait(until: until)
    case .resting, .ready: stage = .ready
    }
    release(at: now)
    giveUpOverdue(at: now)
    if pages.reduce(0, { $0 + $1.events.count }) < limit, let room = queue.removeFirst() {
      stage = .looking(room)
      return .look(room, after: cursors[room], events: policy.page)
    }
    guard !pages.isEmpty else { return .wait(until: held.values.compactMap(\.until).min()) }
    let events = coming()
    stage = .sending(events.count)
    return .send(events)
  }

  private var limit: Int { narrow > 0 ? 1 : policy.batch }

  private func coming() -> [WebhookEvent] {
    var events: [WebhookEvent] = []
    var bytes = 0
    for event in pages.lazy.flatMap(\.events).prefix(limit) {
      bytes += event.json.count
      if !events.isEmpty, bytes > policy.bytes { break }
      events.append(event)
    }
    return events
  }

  /// Held rooms whose time has come are tried again.
  private mutating func release(at now: Timestamp) {
    let due = held.filter { $0.value.until.map { $0 <= now } ?? false }.keys
    for room in due.sorted() {
      held[room]?.until = nil
      queue.add(room)
    }
  }

  // MARK: Reading

  mutating func found(_ page: EventPage, at now: Timestamp) {
    guard case .looking(page.room) = stage else { return }
    stage = .ready
    if cursors[page.room]?.epoch != page.epoch {
      cursors[page.room] = Cursor(epoch: page.epoch, revision: .zero)
    }
    // Later commits raise the goal again.
    if page.isEnd { goals[page.room]?.revision = page.through }
    if page.events.isEmpty { return finish(page, isAnswer: false) }
    pages.append(page)
  }

  mutating func unreadable(_ why: Unreadable, chance: Double, at now: Timestamp) {
    guard case .looking(let room) = stage else { return }
    stage = .ready
    switch why {
    case .gone:
      lose(room, through: goals[room]?.revision, .deleted)
      goals[room] = nil
      held[room] = nil
      forget(room)
    case .trimmed(let epoch, let low):
      lose(room, through: low.previous, .trimmed)
      move(room, to: Cursor(epoch: epoch, revision: low.previous), isAnswer: true)
      queue.add(room)
    case .unavailable: hold(room, chance: chance, at: now)
    }
  }

  /// All events of a page are told, or it had none.
  private mutating func finish(_ page: EventPage, isAnswer: Bool) {
    move(page.room, to: Cursor(epoch: page.epoch, revision: page.through), isAnswer: isAnswer)
    held[page.room] = nil
    if page.through >= goals[page.room]?.revision ?? .zero {
      goals[page.room] = nil
    } else {
      queue.add(page.room)
    }
  }

  // MARK: Answers

  /// - Parameter chance: a random number from 0 to 1, so that many senders do not retry at the same time.
  mutating func answered(_ verdict: Verdict, chance: Double, at now: Timestamp) {
    guard case .sending(let count) = stage else { return }
    stage = .ready
    switch verdict {
    case .taken:
      lives()
      narrow = max(0, narrow - count)
      advance(by: count)
    case .refused where count > 1:
      lives()
      narrow = count
    case .refused:
      guard held.values.count(where: { $0.until != nil }) < policy.heldRooms else {
        return rest(retryAfter: nil, chance: chance, at: now)
      }
      lives()
      narrow = max(0, narrow - 1)
      hold(pages.removeFirst().room, chance: chance, at: now)
    case .failed(let retryAfter): rest(retryAfter: retryAfter, chance: chance, at: now)
    case .unwanted:
      stage = .unwanted
      pages = []
    }
  }

  private mutating func lives() {
    failures = 0
    failingSince = nil
  }

  private mutating func rest(retryAfter: Duration?, chance: Double, at now: Timestamp) {
    failures += 1
    failingSince = failingSince ?? now
    let asked = min(retryAfter ?? .zero, policy.longestPause)
    stage = .resting(until: now + max(pause(after: failures, chance), asked))
  }

  private mutating func hold(_ room: RoomID, chance: Double, at now: Timestamp) {
    var hold = held[room] ?? Hold(failures: 0, since: now)
    hold.failures += 1
    hold.until = now + pause(after: hold.failures, chance)
    held[room] = hold
  }

  /// The pause doubles up to the longest one. It is then shortened by chance, to half at most.
  private func pause(after failures: Int, _ chance: Double) -> Duration {
    // 2^20 times the first pause is longer than any sensible longest pause.
    let doubled = policy.firstPause * (1 << min(failures - 1, 20))
    let whole = min(doubled, policy.longestPause)
    return max(policy.firstPause, whole / 2 + whole / 2 * min(max(chance, 0), 1))
  }

  /// The first events of the pages are told.
  private mutating func advance(by count: Int) {
    var left = count
    while left > 0, let page = pages.first {
      held[page.room] = nil
      guard left < page.events.count else {
        left -= page.events.count
        pages.removeFirst()
        finish(page, isAnswer: true)
        continue
      }
      drop(left, ofPage: 0)
      left = 0
    }
  }

  /// One record may give two events; the cursor stays before it until both are told.
  private mutating func drop(_ count: Int, ofPage place: Int) {
    pages[place].events.removeFirst(count)
    let page = pages[place]
    let before = page.events[0].revision.previous
    move(
      page.room, to: Cursor(epoch: page.epoch, revision: max(before, cursors[page.room]?.revision ?? .zero)),
      isAnswer: true)
  }

  // MARK: Giving up

  /// Gives up events that are older than the retention, if the endpoint or the room has failed for as long.
  private mutating func giveUpOverdue(at now: Timestamp) {
    let cutoff = Timestamp(milliseconds: now.milliseconds - policy.retention.wholeMilliseconds)
    let isOverdue = failingSince.map { $0 <= cutoff } ?? false
    for place in pages.indices.reversed() {
      let page = pages[place]
      let isHeldLong = held[page.room].map { $0.since <= cutoff } ?? false
      guard isOverdue || isHeldLong else { continue }
      let old = page.events.prefix { $0.time <= cutoff }
      guard let first = old.first, let last = old.last else { continue }
      moves.lost(
        WebhookLoss(
          room: page.room, epoch: page.epoch, first: first.revision, last: last.revision, events: old.count,
          reason: .retention))
      held[page.room] = nil
      if old.count == page.events.count {
        pages.remove(at: place)
        finish(page, isAnswer: true)
      } else {
        drop(old.count, ofPage: place)
      }
    }
  }

  private mutating func lose(_ room: RoomID, through last: Revision?, _ reason: WebhookLoss.Reason) {
    let cursor = cursors[room]
    guard let last, last > cursor?.revision ?? .zero else { return }
    moves.lost(
      WebhookLoss(
        room: room, epoch: cursor?.epoch ?? Epoch(0), first: (cursor?.revision ?? .zero).next, last: last,
        events: nil, reason: reason))
  }

  private mutating func move(_ room: RoomID, to cursor: Cursor, isAnswer: Bool) {
    guard cursors[room] != cursor else { return }
    cursors[room] = cursor
    moves.moved(room, isAnswer: isAnswer)
  }

  // MARK: What is to be remembered

  /// What has to be written to disk before anything else is done. With `all` also cursors that only moved
  /// over events that are not told; these only save reading.
  mutating func takeMoves(all: Bool) -> WebhookMoves.Taken { moves.takeMoves(all: all, cursors: cursors) }

  /// How far the endpoint is behind, for metrics.
  func standing(at now: Timestamp) -> WebhookStanding {
    var standing = WebhookStanding(isFailing: failures > 0, isUnwanted: stage == .unwanted)
    for (room, goal) in goals {
      standing.revisions += max(0, goal.revision - (cursors[room]?.revision ?? .zero))
      standing.behind = max(standing.behind, now - goal.since)
    }
    standing.held = held.count
    return standing
  }
}
