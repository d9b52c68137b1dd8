import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLog
import EventLogModel

/// What is true at the end of a simulation, held against what should be.
struct Reckoning {
  private let simulation: Simulation
  private let log: [RoomEvent]
  private(set) var faults: [String] = []

  init(_ simulation: Simulation) {
    self.simulation = simulation
    log = Self.log(of: simulation, &faults)
    var watch = RoomWatch(limit: simulation.plan.limit)
    let snapshots = simulation.snapshots
    var next = 0
    for event in log {
      watch.take(event)
      if next < snapshots.count, snapshots[next].revision == event.revision {
        compare(snapshots[next], with: watch.state, isLast: next == snapshots.count - 1)
        next += 1
      }
    }
    faults += watch.faults
    if next < snapshots.count { faults.append("snapshot: there is one of a revision that is not in the log") }
    compareStates(watch.state)
    for person in simulation.people { check(person, watch.state) }
    checkOnce()
  }

  private static func log(of simulation: Simulation, _ faults: inout [String]) -> [RoomEvent] {
    var events: [RoomEvent] = []
    let memo = EventMemo()
    for run in simulation.runs {
      run.forEach { view, _ in
        do {
          events.append(try (simulation.server.memo ?? memo).decode(view, in: run.records))
        } catch {
          faults.append("log: a record cannot be read: \(error)")
        }
      }
    }
    for (place, event) in events.enumerated() where event.revision.rawValue != UInt64(place + 1) {
      faults.append("log: revision \(event.revision) stands at place \(place + 1)")
      break
    }
    return events
  }

  // MARK: One state

  private mutating func compare(_ snapshot: Snapshot, with state: RoomState, isLast: Bool) {
    do {
      let read = try StateDecoder.state(
        root: snapshot.root, parts: snapshot.parts.map(\.bytes), keptByStore: true)
      guard read == state else {
        return faults.append("snapshot: that of \(snapshot.revision) is not the fold up to it")
      }
      guard isLast else { return }
      var rest = read
      for event in log[Int(read.revision.rawValue)...] { rest.apply(event) }
      snapshotHash = StateEncoder.hash(of: rest)
    } catch {
      faults.append("snapshot: that of \(snapshot.revision) cannot be read: \(error)")
    }
  }
  private var snapshotHash: [UInt8]?

  private mutating func compareStates(_ folded: RoomState) {
    let hash = StateEncoder.hash(of: folded)
    if let snapshotHash, snapshotHash != hash {
      faults.append("hash: the rest from the last snapshot differs")
    }
    if let server = simulation.serverState {
      if StateEncoder.hash(of: server) != hash { faults.append("hash: server and log differ") }
    } else if !folded.members.isEmpty {
      faults.append("members: the room is closed with members in it")
    }
    var here: Set<MemberID> = []
    for person in simulation.people {
      guard let member = person.member, person.isLive else { continue }
      here.insert(member)
      if StateEncoder.hash(of: person.mirror) != hash {
        faults.append("hash: mirror of \(person.number) and log differ")
      }
    }
    if Set(folded.members.keys) != here {
      let there = folded.members.keys.sorted()
      faults.append("members: \(there) are in the room, \(here.sorted()) are connected")
    }
  }

  // MARK: Receipts

  private mutating func check(_ person: Person, _ state: RoomState) {
    let faults = person.faults + (person.peer?.faults ?? [])
    self.faults += faults.map { "delivery: to \(person.number): \($0)" }
    for peer in person.peers {
      for event in peer.events where at(event.revision) != event {
        self.faults.append(
          "delivery: \(person.number) was told of \(event.revision) what the log does not hold")
        break
      }
    }
    for stay in person.stays { check(stay, of: person) }
    if person.isLive, let stay = person.stay, !stay.waiting.isEmpty {
      self.faults.append("receipts: commands \(stay.waiting.keys.sorted()) of \(person.number) never ended")
    }
  }

  private func at(_ revision: Revision) -> RoomEvent? {
    let place = Int(clamping: revision.rawValue) - 1
    return log.indices.contains(place) ? log[place] : nil
  }

  private mutating func check(_ stay: Stay, of person: Person) {
    let own = log.filter { $0.actor.member == stay.member && $0.counter > 0 }
    for event in own {
      guard let said = stay.said[event.counter] else {
        faults.append("receipts: \(event.revision) is of a command that \(person.number) never said")
        continue
      }
      if case .diagnostics(.refused) = event.event { continue }
      if !said.contains(where: { $0.isCause(of: event.event) }) {
        faults.append("receipts: \(event.revision) is not what \(person.number) said as \(event.counter)")
      }
    }
    for (receipt, command) in stay.receipts {
      let found = own.filter { $0.counter == receipt.counter }
      if found.contains(where: { $0.revision == receipt.revision && command.isCause(of: $0.event) }) {
        continue
      }
      // A server that was restarted knows fewer numbers than had receipts, and one may be used again.
      if command.isPosition { continue }
      faults.append(
        "receipts: \(person.number) has one for \(receipt.counter), \(command.kind), at \(receipt.revision),"
          + " where its own are \(own.map { "\($0.counter) at \($0.revision): \($0.event.kind)" })")
    }
    // DEC-4: while a member floods, not all is recorded.
    guard simulation.plan.policy.room.rate == nil else { return }
    for (counter, refusal, revision) in stay.refusals {
      if let event = at(revision), event.counter == counter, event.actor.member == stay.member,
        case .diagnostics(.refused) = event.event
      {
        continue
      }
      if !wasRefusedJustBefore(stay.member, revision) {
        faults.append("receipts: refusal of \(counter) as \(refusal.code) is not in the log at \(revision)")
      }
    }
  }

  /// BOUND-7: of the refusals of one member one a second is recorded. One that is not has a recorded one less than a
  /// second before it; when it was told itself no log holds, only that it was not before the event at its revision.
  private func wasRefusedJustBefore(_ member: MemberID, _ revision: Revision) -> Bool {
    guard let now = at(revision)?.time else { return false }
    let before = log.last { event in
      guard event.revision <= revision, event.actor.member == member,
        case .diagnostics(.refused) = event.event
      else {
        return false
      }
      return true
    }
    return before.map { now - $0.time < .seconds(1) } ?? false
  }

  /// Every command is in the log once, and but for positions in the order of its number.
  private mutating func checkOnce() {
    var last: [MemberID: CommandCounter] = [:]
    var seen: [MemberID: Set<CommandCounter>] = [:]
    for event in log where event.counter > 0 {
      guard let member = event.actor.member else { continue }
      if !seen[member, default: []].insert(event.counter).inserted {
        faults.append("once: command \(event.counter) of \(member) is there again at \(event.revision)")
      }
      if case .drawing(.pointer) = event.event { continue }
      if case .drawing(.camera) = event.event { continue }
      if case .diagnostics(.nothingChanged(let kind)) = event.event,
        kind == EventKind.pointer.rawValue || kind == EventKind.camera.rawValue
      {
        continue
      }
      if event.counter <= last[member] ?? 0 {
        faults.append("order: command \(event.counter) of \(member) came late, at \(event.revision)")
      }
      last[member] = event.counter
    }
  }
}

extension Simulation {
  fileprivate var runs: [Run] { server.runs(of: room) }

  fileprivate var snapshots: [Snapshot] {
    let (store, room) = (server.store, room)
    return server.wait {
      var snapshots: [Snapshot] = []
      var last = Revision(rawValue: .max)
      while last > .zero, let snapshot = try? await store.latestSnapshot(of: room, notAfter: last) {
        snapshots.insert(snapshot, at: 0)
        last = snapshot.revision.previous
      }
      return snapshots
    }
  }

  fileprivate var serverState: RoomState? { server.state(of: room) }
}

extension SimulatedServer {
  /// All of a log that is durable.
  func runs(of log: RoomID) -> [Run] {
    let store = store
    return wait {
      var runs: [Run] = []
      var last = Revision.zero
      while let next = try? await store.runs(of: log, after: last, limit: 1 << 20), let end = next.last {
        runs += next
        last = end.lastRevision
      }
      return runs
    }
  }

  /// Nil where the log is not open.
  func state(of log: RoomID) -> RoomState? {
    let engine = engine
    return wait { await engine.summary(of: log)?.state }
  }
}

extension Command {
  fileprivate var isPosition: Bool {
    switch self {
    case .drawing(.pointer), .drawing(.camera): true
    default: false
    }
  }

  /// Whether it may be done and change nothing.
  private var mayChangeNothing: Bool {
    switch self {
    case .state(.setStore), .state(.deleteStore), .scenes(.move), .moderation: true
    // What waited for its time, and is not allowed any more then (DEC-13).
    case .drawing(.pointer), .drawing(.camera): true
    default: false
    }
  }

  /// Whether the event is what was asked for; where it says what was said, to the byte.
  fileprivate func isCause(of event: Event) -> Bool {
    switch (self, event) {
    case (_, .diagnostics(.nothingChanged(let done))): kind.rawValue == done && mayChangeNothing
    case (.drawing(.stroke(let said)), .drawing(.stroke(let done))): said == done
    case (.drawing(.pointer(let said)), .drawing(.pointer(let done))): said == done
    case (.drawing(.camera(let said)), .drawing(.camera(let done))): said == done
    case (.members(.setWritable(let said)), .members(.writable(let done))): said == done
    case (.state(.global(let said)), .state(.global(let done))): said == done
    case (.state(.member(let said)), .state(.member(let done))): said == done
    case (.elements(.put(let said)), .elements(.put(let done))): said.raw == done.raw
    case (.members(.viewMode(let said)), .members(.viewMode(let done))): said == done
    case (.moderation(let said), .moderation(let done)): said == done
    case (.custom(let said), .custom(let done)): said == done
    default: kind.rawValue == event.kind
    }
  }
}
