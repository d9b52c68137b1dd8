import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

extension SpaceHost {
  /// Takes what a connection said in one turn.
  func receive(_ inbox: Inbox) {
    guard !isClosed, !isGivenUp, let session = sessions[connection: inbox.connection] else { return }
    guard noteSignOfLife(of: session, on: inbox.connection, at: inbox.at) else { return }
    noteQuiet(of: session, inbox)
    if !inbox.commands.isEmpty { perform(inbox.commands, from: session, at: inbox.at) }
    guard !isClosed else { return }
    for ask in inbox.asks { consider(ask, from: session, at: inbox.at) }
    // Nothing was decided and nothing is to be said.
    if inbox.commands.isEmpty, inbox.asks.isEmpty, !inbox.leaves, awaited.isEmpty { return }
    if inbox.leaves { leave(session, over: inbox.connection, at: inbox.at) }
    performDue(at: inbox.at)
    dispatch()
  }

  /// How soon the next message has to come. Who was not told that the room is quiet, or was told more since, has said
  /// so too early. What it said itself since does not matter: that may have crossed what it was told.
  private func noteQuiet(of session: MemberSession, _ inbox: Inbox) {
    if let interval = inbox.quiet, session.knowsQuiet, let most = policy.quietInterval {
      session.machine.noteQuiet(for: min(interval, most), at: inbox.at)
    } else if inbox.hasMessage {
      session.hasSpokenSince = true
      session.machine.endQuiet(at: inbox.at)
    }
    if !inbox.commands.isEmpty || !inbox.asks.isEmpty { lastActive = inbox.at }
  }

  private func perform(_ commands: [CommandReading], from session: MemberSession, at now: Timestamp) {
    if case .entering = session.stage, let line = session.line {
      let refusal = Refusal(.outOfOrder, cause: "A command came before the welcome.")
      return sendAway(line.connection, Farewell(refusal, comeBack: false), at: now)
    }
    do throws(LogError) {
      try appender.together { () throws(LogError) in
        // A connection that was sent away in the middle has said nothing after it.
        let line = session.line?.id
        for command in commands where session.line?.id == line {
          try perform(command, from: session, at: now)
        }
      }
    } catch {
      fail(error)
    }
  }

  private func perform(
    _ reading: CommandReading, from session: MemberSession, at now: Timestamp
  ) throws(LogError) {
    let before = room.state.revision
    do throws(LogError) {
      switch reading {
      case .command(let command, let body):
        try perform(
          room.decide(command, from: session.member, at: now, raw: body), of: command, from: session, at: now)
      case .faulty(let counter, let kind, let error):
        try refuse(kind, counter, error.refusal, from: session, at: now)
      }
    } catch {
      // A full log takes nothing, and the room is as it was: the author is told, the others do not notice.
      // Told at once: what was taken before may be waiting for space, and there is no event to wait for.
      guard case .full = error, room.state.revision == before else { throw error }
      refuseByFullLog(reading.counter, of: session, at: now)
    }
  }

  /// A command whose event found no space has used its number up, if it was the next one: later ones may be
  /// decided already. No event says what became of it, so that is kept for when it comes again.
  private func refuseByFullLog(_ counter: CommandCounter, of session: MemberSession, at now: Timestamp) {
    let refusal = Refusal(.logFull)
    if counter <= session.decided {
      session.silent.add(Receipt(counter: counter, revision: durable), refusal)
    }
    owed.refuse(session, counter, refusal, at: durable, now: now)
  }

  private func perform(
    _ decision: Decision, of command: NumberedCommand, from session: MemberSession, at now: Timestamp
  ) throws(LogError) {
    let counter = command.counter
    switch decision {
    case .events, .later: session.decided = max(session.decided, counter)
    case .refused(let refusal, _):
      if refusal.code != .outOfOrder { session.decided = max(session.decided, counter) }
    case .duplicate: break
    }
    switch decision {
    case .events(let proposals):
      let revision = try record(proposals, at: now)
      if proposals.isEmpty { session.silent.add(Receipt(counter: counter, revision: revision), nil) }
      afterCommit(.receipt(session, counter), at: revision)
    case .refused(let refusal, let proposals):
      let revision = try record(proposals, at: now)
      if proposals.isEmpty, refusal.code != .outOfOrder {
        session.silent.add(Receipt(counter: counter, revision: revision), refusal)
      }
      afterCommit(.refused(session, counter, refusal), at: revision)
    case .duplicate:
      answerAgain(WantedReceipt(counter: counter, kind: command.command.kind.rawValue), to: session)
    case .later(let time): wake(at: time, from: now)
    }
  }

  /// A command that has a number, but cannot be read: it uses the number up, as any refused command does.
  private func refuse(
    _ kind: UInt8, _ counter: CommandCounter, _ refusal: Refusal, from session: MemberSession,
    at now: Timestamp
  ) throws(LogError) {
    guard let author = room.state.members[session.member] else { return }
    let last = max(session.decided, author.lastCounter)
    guard counter > last else { return answerAgain(WantedReceipt(counter: counter, kind: kind), to: session) }
    guard counter == last + 1 else {
      afterCommit(.refused(session, counter, Room.gap(counter, after: last)), at: room.state.revision)
      return
    }
    session.faults += 1
    guard session.faults <= MemberSession.allowedFaults else {
      guard let line = session.line else { return }
      let flood = Refusal(
        .rateLimited, cause: "Too many commands could not be read.", allowed: MemberSession.allowedFaults)
      return sendAway(line.connection, Farewell(flood, comeBack: false), at: now)
    }
    session.decided = counter
    guard room.refused(counter, of: session.member, at: now) else {
      session.silent.add(Receipt(counter: counter, revision: room.state.revision), refusal)
      return afterCommit(.refused(session, counter, refusal), at: room.state.revision)
    }
    let event = Event.diagnostics(.refused(RefusedCommand(kind: kind, code: refusal.code)))
    let proposed = Proposed(actor: .member(session.member), counter: counter, event: event)
    let revision = try record([proposed], at: now)
    afterCommit(.refused(session, counter, refusal), at: revision)
  }

  /// Positions that were held back to be gathered go on their way.
  func recordDue(at now: Timestamp) {
    guard !isClosed, let due = room.nextDue, due <= now else { return }
    let proposals = room.due(at: now)
    for proposed in proposals {
      let session = proposed.actor.member.flatMap { sessions[$0] }
      switch recordUnlessFull([proposed], at: now) {
      case .at(let revision):
        if let session { afterCommit(.receipt(session, proposed.counter), at: revision) }
      case .full:
        if let session { refuseByFullLog(proposed.counter, of: session, at: now) }
      case .failed: return
      }
    }
    if let next = room.nextDue { wake(at: next, from: now) }
  }

  private func wake(at time: Timestamp, from now: Timestamp) {
    let me = Confined(self, to: loop)
    let delay = max(.zero, time - now)
    loop.execute(after: delay) {
      let host = me.value
      host.recordDue(at: max(time, host.clock()))
      host.performDue(at: host.clock())
      host.dispatch()
    }
  }

  // MARK: Receipts

  /// A command that was decided before gets its first receipt: from the queue if it is not durable yet, from
  /// the tail, or else from the log.
  private func answerAgain(_ wanted: WantedReceipt, to session: MemberSession) {
    let counter = wanted.counter
    guard !awaited.holdsReceipt(of: session, counter) else { return }
    if let answer = session.silent.answer(to: counter) {
      return afterCommit(.again(session, answer.receipt, answer.refusal), at: durable)
    }
    guard let author = room.state.members[session.member], counter <= author.lastCounter else { return }
    let actor = Actor.member(session.member).code
    if let (view, run) = tail.newest(where: { view, records in
      view.actor == actor && (try? EventCodec.counter(of: records[view.body])) == counter
    }) {
      afterCommit(Self.answer(to: session, counter, view, in: run), at: durable)
    } else {
      guard session.wanted.count < MemberSession.allowedAnswers,
        !session.wanted.contains(where: { $0.counter == counter })
      else {
        return
      }
      session.wanted.append(wanted)
      searchLog(for: session)
    }
  }

  private static func answer(
    to session: MemberSession, _ counter: CommandCounter, _ view: RecordView, in run: Run
  ) -> PostCommitAction {
    let receipt = Receipt(counter: counter, revision: view.revision)
    guard view.kind == EventKind.refused.rawValue,
      let event = try? EventCodec.decode(view, in: run.records),
      case .diagnostics(.refused(let refused)) = event.event
    else { return .again(session, receipt, nil) }
    return .again(session, receipt, Refusal(refused.code))
  }

  /// One search at a time, for all that is wanted by then: a client that asks for everything again does not make the
  /// log its echo.
  private func searchLog(for session: MemberSession) {
    guard !session.isSearching, !session.wanted.isEmpty, let author = room.state.members[session.member]
    else {
      return
    }
    let wanted = session.wanted
    session.wanted = []
    session.isSearching = true
    // The last one may have been refused: only its record says.
    let isLast = wanted.allSatisfy { $0.counter == author.lastCounter } && author.lastRevision > .zero
    let known = isLast ? author.lastRevision.previous : nil
    let (room, actor, last) = (id, Actor.member(session.member).code, durable)
    storeQueue.ask { store throws(LogError) in
      try await ReceiptSearch.find(
        wanted, of: actor, in: room, store, since: author.joined, after: known, last: last)
    } then: { [weak self] result in
      session.isSearching = false
      guard let self, !isClosed else { return }
      for (counter, view, run) in (try? result.get()) ?? [] {
        afterCommit(Self.answer(to: session, counter, view, in: run), at: durable)
      }
      searchLog(for: session)
      performDue(at: clock())
      dispatch()
    }
  }
}

extension CommandReading {
  var counter: CommandCounter {
    switch self {
    case .command(let command, _): command.counter
    case .faulty(let counter, _, _): counter
    }
  }
}

/// Finds the records of old commands in the log.
enum ReceiptSearch {
  typealias FoundCommand = (counter: CommandCounter, view: RecordView, run: Run)

  private static let stride = 1 << 20

  /// The last record that each command caused; of a position that another one took the place of, the record of that
  /// one. Commands of which nothing is left are not among them.
  static func find(
    _ wanted: [WantedReceipt], of actor: UInt64, in room: RoomID, _ store: any LogStore,
    since joined: Timestamp, after known: Revision?, last: Revision
  ) async throws(LogError) -> [FoundCommand] {
    // The join's own millisecond may hold commands already.
    var cursor = Revision.zero
    if let known {
      cursor = known
    } else {
      cursor = try await store.revision(in: room, at: Timestamp(milliseconds: joined.milliseconds - 1))
    }
    var search = Search(wanted)
    while cursor < last, !search.isDone {
      let runs = try await store.runs(of: room, after: cursor, limit: stride)
      guard let end = runs.last?.lastRevision else { break }
      for run in runs { search.look(in: run, of: actor) }
      cursor = end
    }
    return wanted.compactMap { search.found[$0.counter] }
  }

  private struct Search {
    private let counters: Set<CommandCounter>
    /// Positions of which nothing was found yet.
    private var positions: [WantedReceipt]
    private(set) var found: [CommandCounter: FoundCommand] = [:]

    init(_ wanted: [WantedReceipt]) {
      counters = Set(wanted.map(\.counter))
      positions = wanted.filter(\.isPosition)
    }

    var isDone: Bool { found.count == counters.count }

    mutating func look(in run: Run, of actor: UInt64) {
      run.forEach { view, _ in
        guard view.actor == actor, let counter = try? EventCodec.counter(of: run.records[view.body]),
          counter > 0
        else { return }
        if counters.contains(counter) { found[counter] = (counter, view, run) }
        guard !positions.isEmpty else { return }
        let kind = Self.kind(of: view, in: run)
        guard WantedReceipt(counter: counter, kind: kind).isPosition else { return }
        for one in positions where one.counter < counter && one.kind == kind && found[one.counter] == nil {
          found[one.counter] = (one.counter, view, run)
        }
        positions.removeAll { found[$0.counter] != nil }
      }
    }

    /// The kind of the command that a record is of: a position may have changed nothing any more when its time came (DEC-13).
    private static func kind(of view: RecordView, in run: Run) -> UInt8 {
      guard view.kind == EventKind.nothingChanged.rawValue,
        case .diagnostics(.nothingChanged(let kind))? = try? EventCodec.decode(view, in: run.records).event
      else { return view.kind }
      return kind
    }
  }
}
