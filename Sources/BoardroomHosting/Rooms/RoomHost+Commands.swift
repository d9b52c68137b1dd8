import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

extension RoomHost {
  /// Takes what a connection said in one turn.
  func receive(_ inbox: Inbox) {
    guard !isClosed, let seat = lines[inbox.connection] else { return }
    guard hear(seat, on: inbox.connection, at: inbox.at) else { return }
    if !inbox.commands.isEmpty { carryOut(inbox.commands, from: seat, at: inbox.at) }
    guard !isClosed else { return }
    for ask in inbox.asks { consider(ask, from: seat, at: inbox.at) }
    // Nothing was decided and nothing is to be said.
    if inbox.commands.isEmpty, inbox.asks.isEmpty, !inbox.leaves, awaited.isEmpty { return }
    if inbox.leaves { leave(seat, over: inbox.connection, at: inbox.at) }
    settle(at: inbox.at)
    dispatch()
  }

  private func carryOut(_ commands: [CommandReading], from seat: Seat, at now: Timestamp) {
    if case .entering = seat.stage, let line = seat.line {
      let refusal = Refusal(.outOfOrder, cause: "A command came before the welcome.")
      return sendAway(line.connection, Farewell(refusal, comeBack: false), at: now)
    }
    do throws(LogError) {
      try appender.together { () throws(LogError) in
        // A connection that was sent away in the middle has said nothing after it.
        let line = seat.line?.id
        for command in commands where seat.line?.id == line { try carryOut(command, from: seat, at: now) }
      }
    } catch {
      fail(error, at: now)
    }
  }

  private func carryOut(
    _ reading: CommandReading, from seat: Seat, at now: Timestamp
  ) throws(LogError) {
    let before = room.state.revision
    do throws(LogError) {
      switch reading {
      case .command(let command, let body):
        try carryOut(
          room.decide(command, from: seat.member, at: now, raw: body), of: command, from: seat, at: now)
      case .faulty(let counter, let kind, let error):
        try refuse(kind, counter, error.refusal, from: seat, at: now)
      }
    } catch {
      // A full log takes nothing, and the room is as it was: the author is told, the others do not notice.
      // Told at once: what was taken before may be waiting for space, and there is no event to wait for.
      guard case .full = error, room.state.revision == before else { throw error }
      refuse(seat, reading.counter, Refusal(.logFull), at: durable)
    }
  }

  private func carryOut(
    _ decision: Decision, of command: NumberedCommand, from seat: Seat, at now: Timestamp
  ) throws(LogError) {
    let counter = command.counter
    switch decision {
    case .events, .later: seat.decided = max(seat.decided, counter)
    case .refused(let refusal, _):
      if refusal.code != .outOfOrder { seat.decided = max(seat.decided, counter) }
    case .duplicate: break
    }
    switch decision {
    case .events(let proposals):
      let revision = try record(proposals, at: now)
      if proposals.isEmpty { seat.silent.add(Receipt(counter: counter, revision: revision), nil) }
      awaited.add(.receipt(seat, counter), at: revision)
    case .refused(let refusal, let proposals):
      let revision = try record(proposals, at: now)
      if proposals.isEmpty, refusal.code != .outOfOrder {
        seat.silent.add(Receipt(counter: counter, revision: revision), refusal)
      }
      awaited.add(.refused(seat, counter, refusal), at: revision)
    case .duplicate:
      answerAgain(WantedReceipt(counter: counter, kind: command.command.kind.rawValue), to: seat)
    case .later(let time): wake(at: time, from: now)
    }
  }

  /// A command that has a number, but cannot be read: it uses the number up, as any refused command does.
  private func refuse(
    _ kind: UInt8, _ counter: CommandCounter, _ refusal: Refusal, from seat: Seat, at now: Timestamp
  ) throws(LogError) {
    guard let author = room.state.members[seat.member] else { return }
    let last = max(seat.decided, author.lastCounter)
    guard counter > last else { return answerAgain(WantedReceipt(counter: counter, kind: kind), to: seat) }
    guard counter == last + 1 else {
      awaited.add(.refused(seat, counter, Room.gap(counter, after: last)), at: room.state.revision)
      return
    }
    seat.faults += 1
    guard seat.faults <= Seat.allowedFaults else {
      guard let line = seat.line else { return }
      let flood = Refusal(
        .rateLimited, cause: "Too many commands could not be read.", allowed: Seat.allowedFaults)
      return sendAway(line.connection, Farewell(flood, comeBack: false), at: now)
    }
    seat.decided = counter
    guard room.refused(counter, of: seat.member, at: now) else {
      seat.silent.add(Receipt(counter: counter, revision: room.state.revision), refusal)
      return awaited.add(.refused(seat, counter, refusal), at: room.state.revision)
    }
    let event = Event.refused(RefusedCommand(kind: kind, code: refusal.code))
    let proposed = Proposed(actor: .member(seat.member), counter: counter, event: event)
    let revision = try record([proposed], at: now)
    awaited.add(.refused(seat, counter, refusal), at: revision)
  }

  /// Positions that were held back to be gathered go on their way.
  func recordDue(at now: Timestamp) {
    guard !isClosed, let due = room.nextDue, due <= now else { return }
    let proposals = room.due(at: now)
    for proposed in proposals {
      let seat = proposed.actor.member.flatMap { seats[$0] }
      switch recordUnlessFull([proposed], at: now) {
      case .at(let revision):
        if let seat { awaited.add(.receipt(seat, proposed.counter), at: revision) }
      case .full:
        if let seat { refuse(seat, proposed.counter, Refusal(.logFull), at: durable) }
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
      host.settle(at: host.clock())
      host.dispatch()
    }
  }

  // MARK: Receipts

  /// A command that was decided before gets its first receipt: from the queue if it is not durable yet, from
  /// the tail, or else from the log.
  private func answerAgain(_ wanted: WantedReceipt, to seat: Seat) {
    let counter = wanted.counter
    guard !awaited.holdsReceipt(of: seat, counter) else { return }
    if let answer = seat.silent.answer(to: counter) {
      return awaited.add(.again(seat, answer.receipt, answer.refusal), at: durable)
    }
    guard let author = room.state.members[seat.member], counter <= author.lastCounter else { return }
    let actor = Actor.member(seat.member).code
    if let (view, run) = tail.newest(where: { view, records in
      view.actor == actor && (try? EventCodec.counter(of: records[view.body])) == counter
    }) {
      awaited.add(Self.answer(to: seat, counter, view, in: run), at: durable)
    } else {
      guard seat.wanted.count < Seat.allowedAnswers, !seat.wanted.contains(where: { $0.counter == counter })
      else {
        return
      }
      seat.wanted.append(wanted)
      searchLog(for: seat)
    }
  }

  private static func answer(
    to seat: Seat, _ counter: CommandCounter, _ view: RecordView, in run: Run
  ) -> Consequence {
    let receipt = Receipt(counter: counter, revision: view.revision)
    guard view.kind == EventKind.refused.rawValue,
      let event = try? EventCodec.decode(view, in: run.records), case .refused(let refused) = event.event
    else { return .again(seat, receipt, nil) }
    return .again(seat, receipt, Refusal(refused.code))
  }

  /// One search at a time, for all that is wanted by then: a client that asks for everything again does not make the
  /// log its echo.
  private func searchLog(for seat: Seat) {
    guard !seat.isSearching, !seat.wanted.isEmpty, let author = room.state.members[seat.member] else {
      return
    }
    let wanted = seat.wanted
    seat.wanted = []
    seat.isSearching = true
    // The last one may have been refused: only its record says.
    let isLast = wanted.allSatisfy { $0.counter == author.lastCounter } && author.lastRevision > .zero
    let known = isLast ? author.lastRevision.previous : nil
    let (room, actor, last) = (id, Actor.member(seat.member).code, durable)
    door.ask { store throws(LogError) in
      try await ReceiptSearch.find(
        wanted, of: actor, in: room, store, since: author.joined, after: known, last: last)
    } then: { [weak self] result in
      seat.isSearching = false
      guard let self, !isClosed else { return }
      for (counter, view, run) in (try? result.get()) ?? [] {
        awaited.add(Self.answer(to: seat, counter, view, in: run), at: durable)
      }
      searchLog(for: seat)
      settle(at: clock())
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
  typealias Found = (counter: CommandCounter, view: RecordView, run: Run)

  private static let stride = 1 << 20

  /// The last record that each command caused; of a position that another one took the place of, the record of that
  /// one. Commands of which nothing is left are not among them.
  static func find(
    _ wanted: [WantedReceipt], of actor: UInt64, in room: RoomID, _ store: any LogStore,
    since joined: Timestamp, after known: Revision?, last: Revision
  ) async throws(LogError) -> [Found] {
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
    private(set) var found: [CommandCounter: Found] = [:]

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
        case .nothingChanged(let kind)? = try? EventCodec.decode(view, in: run.records).event
      else { return view.kind }
      return kind
    }
  }
}
