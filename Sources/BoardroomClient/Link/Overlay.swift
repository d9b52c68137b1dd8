import BoardroomCore
import BoardroomModel
import EventLogModel

/// Own commands on their way, laid over a state that does not hold them yet: what the app is shown at once.
///
/// Nothing is laid over the state itself. What an app reads is worked out from a copy when it is read, with the
/// same `Room` that the server decides with, and thrown away when the state moves on: of the room's parts from a
/// copy without the board, of the board only if somebody looks at it.
struct Overlay {
  struct PendingCommand {
    enum CommandStatus {
      /// Sent, and not in the log as far as we know.
      case wish(Command)
      /// In the log, but the state below is held back (SY-1).
      case fact(RoomEvent)
    }
    var counter: CommandCounter
    var content: CommandStatus
    /// What it did to the parts when it was last laid over them.
    var parts: WhiteParts = []
    var events: [Event] = []
  }

  /// In the order of their counters; what is done first goes first, which a slice does without moving the rest.
  private(set) var entries: ArraySlice<PendingCommand> = []
  private var partsView: TrialRoom?
  private var boardView: TrialRoom?
  /// What the server accepts, as it said in its welcome.
  var limits = WireLimits()

  /// A room that decides for us, and how many entries it has decided on.
  private struct TrialRoom {
    var room: Room
    var count = 0
    /// What left no event has a counter too, so ours are counted apart.
    var counter: CommandCounter = 0

    /// After the first entries have gone into the state below.
    func without(_ entries: Int) -> TrialRoom {
      var view = self
      view.count -= entries
      return view
    }
  }

  var isEmpty: Bool { entries.isEmpty }
  /// Whether something changes the room's parts.
  var hasParts: Bool { entries.contains { $0.reach.contains(.parts) } }
  /// Whether something is held back. What is known comes before what is wished.
  var hasFacts: Bool {
    switch entries.first?.content {
    case .fact: true
    case .wish, nil: false
    }
  }

  // MARK: What is on its way

  /// Says what it will change, if it is carried out.
  mutating func add(_ command: NumberedCommand, over state: RoomState, by member: MemberID?) -> WhiteParts {
    let entry = PendingCommand(counter: command.counter, content: .wish(command.command))
    guard !entry.reach.isEmpty else { return [] }
    entries.append(entry)
    if entry.reach.contains(.parts) { _ = parts(over: state, by: member) }
    return entries[entries.endIndex - 1].changes
  }

  /// An event of one's own has come but is held back: what was wished is now known.
  mutating func hold(_ event: RoomEvent) -> WhiteParts {
    let changed = remove(event.counter)
    guard !event.event.isRefusal else { return changed }
    entries.append(
      PendingCommand(counter: event.counter, content: .fact(event), parts: event.event.whiteParts))
    entries.sort { $0.counter < $1.counter }
    forget()
    return changed.union(event.event.whiteParts)
  }

  /// What an event of one's own means for what was shown of it.
  enum Settlement {
    /// It did what was shown, and nothing looks otherwise.
    case asShown
    /// These may look otherwise.
    case otherwise(WhiteParts)
  }

  /// An event of one's own is now in the state below. Nil if nothing was shown of it.
  mutating func settlePrediction(by event: RoomEvent) -> Settlement? {
    guard event.counter > 0, let place = entries.firstIndex(where: { $0.counter == event.counter }) else {
      return nil
    }
    let isFirst = place == entries.startIndex
    let entry = isFirst ? entries.removeFirst() : entries.remove(at: place)
    if isFirst, entry.foretold(event.event) {
      if let view = partsView { partsView = view.count > 0 ? view.without(1) : nil }
      return .asShown
    }
    forget()
    return .otherwise(entry.changes.union(removeOlderCameras(than: event)))
  }

  /// Of cameras that come fast the server keeps the newest, which stands for those before it.
  private mutating func removeOlderCameras(than event: RoomEvent) -> WhiteParts {
    guard case .drawing(.camera) = event.event else { return [] }
    return remove { entry in
      if case .wish(.drawing(.camera)) = entry.content { entry.counter < event.counter } else { false }
    }
  }

  /// The command will not be carried out, or it is and left nothing: what is not shown any more.
  mutating func remove(_ counter: CommandCounter) -> WhiteParts {
    remove { $0.counter == counter }
  }

  /// Everything goes that is not known to be in the log.
  mutating func removeWishes(but kept: Set<CommandCounter> = []) -> WhiteParts {
    remove { entry in
      switch entry.content {
      case .wish: !kept.contains(entry.counter)
      case .fact: false
      }
    }
  }

  private mutating func remove(_ isMeant: (PendingCommand) -> Bool) -> WhiteParts {
    let gone = entries.filter(isMeant)
    guard !gone.isEmpty else { return [] }
    entries.removeAll(where: isMeant)
    forget()
    return gone.reduce([]) { $0.union($1.changes) }
  }

  /// Commands took other counters, in their order.
  mutating func renumber(_ old: [CommandCounter], to new: [CommandCounter]) {
    let renamed = Dictionary(zip(old, new), uniquingKeysWith: { first, _ in first })
    for place in entries.indices {
      if let counter = renamed[entries[place].counter] { entries[place].counter = counter }
    }
  }

  /// What was held back is in the state below now, or never will be.
  mutating func removeFacts() {
    entries.removeAll { entry in
      switch entry.content {
      case .wish: false
      case .fact: true
      }
    }
    forget()
  }

  mutating func clear() {
    entries = []
    forget()
  }

  /// The state below is another one.
  mutating func forget() {
    partsView = nil
    boardView = nil
  }

  /// The state below moves on; a board that shares its elements would have them copied.
  mutating func stateMoves() { boardView = nil }

  /// Says what of one's own may look otherwise on the state as it is now.
  mutating func stateMoved(_ touched: RoomParts) -> WhiteParts {
    guard !touched.isSubset(of: [.elements, .pointer, .history, .struck]) else { return [] }
    partsView = nil
    return entries.reduce([]) { $0.union($1.parts) }
  }

  // MARK: What is shown

  /// The state with all that is on its way, but without a board.
  mutating func parts(over state: RoomState, by member: MemberID?) -> RoomState {
    guard hasParts else { return state }
    var view = partsView ?? TrialRoom(room: room(over: state.withoutBoard))
    partsView = nil
    lay(&view, .parts, by: member)
    partsView = view
    return view.room.state
  }

  /// The state with all that is on its way.
  mutating func board(over state: RoomState, by member: MemberID?) -> RoomState {
    guard !isEmpty else { return state }
    var view = boardView ?? TrialRoom(room: room(over: state))
    boardView = nil
    lay(&view, .board, by: member)
    boardView = view
    return view.room.state
  }

  /// Without paces and rates: those are the server's to keep.
  private func room(over state: RoomState) -> Room {
    Room(
      state: state,
      policy: RoomPolicy(limits: limits, pointers: .all, cameras: .all, rate: nil, rates: [:]))
  }

  private mutating func lay(_ view: inout TrialRoom, _ reach: Reach, by member: MemberID?) {
    guard let member else { return }
    while view.count < entries.count {
      let place = entries.startIndex + view.count
      let entry = entries[place]
      if reach == .board || entry.reach.contains(reach) {
        let events = Self.eventsOfTrial(entry, in: &view, by: member)
        if reach == .parts {
          entries[place].events = events
          entries[place].parts = events.reduce([]) { $0.union($1.whiteParts) }
        }
      }
      view.count += 1
    }
  }

  private static func eventsOfTrial(_ entry: PendingCommand, in view: inout TrialRoom, by member: MemberID)
    -> [Event]
  {
    let (revision, time) = (view.room.state.revision, view.room.state.time)
    switch entry.content {
    case .fact(let event):
      let proposed = Proposed(actor: event.actor, counter: event.counter, event: event.event)
      view.room.apply(proposed, revision: revision, at: time)
      return [event.event]
    case .wish(let command):
      view.counter = max(view.counter, view.room.state.members[member]?.lastCounter ?? 0) + 1
      let numbered = NumberedCommand(counter: view.counter, command: command)
      guard case .events(let proposed) = view.room.decide(numbered, from: member, at: time) else { return [] }
      for event in proposed { view.room.apply(event, revision: revision, at: time) }
      return proposed.map(\.event)
    }
  }
}

// MARK: What reaches where

/// What of the state something can change.
typealias Reach = ForetoldParts

extension Overlay.PendingCommand {
  /// What looks otherwise without it.
  var changes: WhiteParts { reach.contains(.board) ? parts.union(.elements) : parts }

  var reach: Reach {
    switch content {
    case .wish(let command): command.reach
    case .fact: [.parts, .board]
    }
  }

  /// Whether the log says what was shown already.
  func foretold(_ event: Event) -> Bool {
    switch content {
    case .fact: true
    case .wish(let command): events == [event] || (!reach.contains(.parts) && command.verbatim == event)
    }
  }
}

extension Command {
  /// Who may write is the server's to say, and of what has no lasting effect there is nothing to show.
  var reach: Reach { kind.command?.foretells ?? [] }

  /// The event that it becomes to the word, where that is so whatever the room's state.
  var verbatim: Event? {
    switch self {
    case .drawing(.stroke(let segment)): .drawing(.stroke(segment))
    case .elements(.erase(let ids)): .elements(.erased(ids))
    case .elements(.put(let put)): .elements(.put(put))
    case .elements(.change(let changes)): .elements(.changed(changes))
    case .elements(.copy(let copies)): .elements(.copied(copies))
    default: nil
    }
  }
}

extension Event {
  var isRefusal: Bool { if case .diagnostics(.refused) = self { true } else { false } }

  /// The parts of the state shown that it can change.
  var whiteParts: WhiteParts { Self.whiteParts[Int(kind)] }

  /// By the kind's number.
  private static let whiteParts = (0...UInt8.max).map { number in
    EventKind(rawValue: number).map { WhiteParts(of: $0.traits) } ?? []
  }
}

extension RoomState {
  /// Cheap to copy: everything but what is drawn.
  fileprivate var withoutBoard: RoomState {
    var copy = self
    copy.elements = ElementStore()
    return copy
  }
}
