import BoardroomCodec
import BoardroomModel
import EventLog
import EventLogModel
import Foundation
import Synchronization
import TestKit
import Testing

@testable import BoardroomWebhooks

/// The tables of webhooks of one endpoint, in memory.
private final class CursorTable: Sendable {
  struct State {
    var isKnown = false
    var cursors: [LogID: Cursor] = [:]
    var failingSince: Timestamp?
    var duty: Int?
    var owners: [LogID: Int] = [:]
    var isAway = false
    var writes = 0
    /// Starts of nodes that have ended.
    var ended = 0
    /// Logs of nobody that were looked at.
    var looked = 0
  }

  let state = Mutex(State())
  let base: MemoryLogStore

  init(_ base: MemoryLogStore) { self.base = base }

  func asked<Value>(_ body: (inout sending State) throws(LogError) -> sending Value) throws(LogError) -> Value
  {
    let answer = state.withLock { state -> Result<Value, LogError> in
      guard !state.isAway else { return .failure(.full(place: "the tables", isSilent: true)) }
      do throws(LogError) { return .success(try body(&state)) } catch { return .failure(error) }
    }
    return try answer.get()
  }

  func own(_ log: LogID, by node: Int?) { state.withLock { $0.owners[log] = node } }
  func cursor(_ log: LogID) -> Cursor? { state.withLock { $0.cursors[log] } }
}

/// The tables as one node uses them.
private struct NodeCursors: SharedCursors {
  let table: CursorTable
  let node: Int

  func begin(with cursors: [LogID: Cursor], skips: Bool) async throws(LogError) -> Bool {
    let ends = try await table.base.logs(after: nil, limit: 1_000)
    return try table.asked { state throws(LogError) in
      state.cursors.merge(cursors) { $0.revision < $1.revision ? $1 : $0 }
      guard !state.isKnown else { return false }
      state.isKnown = true
      for info in ends where skips && cursors[info.log] == nil {
        state.cursors[info.log] = Cursor(epoch: info.epoch, revision: info.last)
      }
      return true
    }
  }

  func failingSince() async throws(LogError) -> Timestamp? {
    try table.asked { state throws(LogError) in state.failingSince }
  }

  func note(failingSince: Timestamp?) async throws(LogError) {
    try table.asked { state throws(LogError) in state.failingSince = failingSince }
  }

  func cursors(of logs: [LogID]) async throws(LogError) -> [LogID: Cursor] {
    try table.asked { state throws(LogError) in state.cursors.filter { logs.contains($0.key) } }
  }

  func move(_ cursors: [LogID: Cursor?]) async throws(LogError) -> [LogID: Cursor] {
    try table.asked { state throws(LogError) in
      state.writes += 1
      var ahead: [LogID: Cursor] = [:]
      for (log, cursor) in cursors {
        if let known = state.cursors[log], let cursor, known.epoch == cursor.epoch,
          known.revision > cursor.revision
        {
          ahead[log] = known
        } else {
          state.cursors[log] = cursor
        }
      }
      return ahead
    }
  }

  func behind(after last: LogID?, limit: Int, ofNobody: Bool) async throws(LogError) -> BehindPage {
    var found: [LogBehind] = []
    let infos = try await table.base.logs(after: last, limit: limit)
    for info in infos {
      try table.asked { state throws(LogError) in
        guard state.owners[info.log] == (ofNobody ? nil : node) else { return }
        if ofNobody { state.looked += 1 }
        let cursor = state.cursors[info.log]
        guard (cursor?.revision ?? .zero) < info.last else { return }
        found.append(LogBehind(log: info.log, last: info.last, cursor: cursor))
      }
    }
    return BehindPage(logs: found, last: infos.count < limit ? nil : infos.last?.log)
  }

  func takeDuty() async throws(LogError) -> Int? {
    try table.asked { state throws(LogError) in
      state.duty = state.duty ?? node
      return state.duty == node ? state.ended : nil
    }
  }

  func giveUpDuty() async {
    try? table.asked { state throws(LogError) in if state.duty == node { state.duty = nil } }
  }
}

/// Two nodes with one store, one table and one receiver.
private struct NodesWorld {
  let first: SenderWorld
  let second: SenderWorld
  let table: CursorTable

  init(_ answer: WebhookAnswer = Answers.fine) throws {
    first = try SenderWorld(answer)
    second = try SenderWorld(beside: first)
    table = CursorTable(first.base)
    try first.start(shared: NodeCursors(table: table, node: 1))
    try second.start(shared: NodeCursors(table: table, node: 2))
  }

  var types: [String] { first.transport.types }

  /// The ids of all events in the order of the requests.
  var ids: [String] {
    first.transport.requests.compactMap { request in request.headers.first { $0.0 == "webhook-id" }?.1 }
  }
}

@Test("HOOK-11: each of two nodes tells of what is committed at it, and no event is told twice")
func nodesShareTheWork() throws {
  let world = try NodesWorld()
  world.table.own(one, by: 1)
  world.table.own(two, by: 2)
  world.first.make(one)
  world.second.make(two)
  world.first.append([(.member(0), joined)], to: one)
  world.second.append([(.member(0), joined)], to: two)
  world.first.settle(.seconds(25))
  #expect(world.types.sorted() == ["member.joined", "member.joined", "room.created", "room.created"])
  #expect(Set(world.ids).count == 4)
  world.first.stop()
  world.second.stop()
}

@Test("HOOK-11: a node goes on at the cursor where another one has stopped")
func nodeGoesOn() throws {
  let world = try NodesWorld()
  world.table.own(one, by: 1)
  world.first.make(one)
  world.first.settle()
  world.first.stop()
  // The log changes its owner, and comes back.
  world.table.own(one, by: 2)
  world.second.append([(.member(0), joined)], to: one)
  world.second.settle()
  #expect(world.types == ["room.created", "member.joined"])
  try world.first.start(shared: NodeCursors(table: world.table, node: 1))
  world.table.own(one, by: 1)
  world.first.append([(.member(0), .members(.left(.left)))], to: one)
  world.first.settle(.seconds(25))
  #expect(world.types.prefix(3) == ["room.created", "member.joined", "member.left"])
  #expect(Set(world.ids).count == world.ids.count, "nothing is told twice")
  world.first.stop()
  world.second.stop()
}

@Test(
  "HOOK-1, HOOK-11: what a lost node has not told is told by another one, also of rooms that nobody opens")
func lostNode() throws {
  let world = try NodesWorld(Answers.status(500))
  world.table.own(one, by: 1)
  world.first.make(one)
  world.first.settle()
  world.first.stop()
  world.first.transport.answer.withLock { $0 = Answers.fine }
  let tried = world.types.count
  // Recovered: nobody owns it.
  world.table.own(one, by: nil)
  world.second.settle(.seconds(25))
  #expect(world.types.dropFirst(tried) == ["room.created"])
  #expect(world.table.cursor(one)?.revision == 1)
  world.second.stop()
}

@Test("HOOK-11: while cursors cannot be written or read nothing is sent, and afterwards it goes on")
func tablesAreAway() throws {
  let world = try NodesWorld()
  world.table.own(one, by: 1)
  world.first.make(one)
  world.first.settle()
  world.table.state.withLock { $0.isAway = true }
  world.first.append([(.member(0), joined)], to: one)
  world.first.settle(.seconds(5))
  #expect(world.types == ["room.created"])
  world.table.state.withLock { $0.isAway = false }
  world.first.settle(.seconds(5))
  #expect(world.types == ["room.created", "member.joined"])
  world.first.stop()
  world.second.stop()
}

@Test("HOOK-11: cursors in a node's file are brought to the tables once")
func filesAreBrought() throws {
  let world = try SenderWorld()
  try world.start { $0.from = .beginning }
  world.make(one)
  world.settle()
  world.stop()
  let table = CursorTable(world.base)
  try world.start(shared: NodeCursors(table: table, node: 1)) { $0.from = .beginning }
  world.settle(.seconds(25))
  #expect(world.transport.types == ["room.created"])
  #expect(table.cursor(one)?.revision == 1)
  let names = try FileManager.default.contentsOfDirectory(atPath: world.folder)
  #expect(names.contains { $0.hasSuffix(".cursors.moved") })
  #expect(!names.contains { $0.hasSuffix(".cursors") })
  world.stop()
}

@Test("HOOK-11: of a new endpoint the logs that are there are skipped once, for all nodes")
func newForAll() throws {
  let first = try SenderWorld()
  let second = try SenderWorld(beside: first)
  first.make(one)
  let table = CursorTable(first.base)
  try first.start(shared: NodeCursors(table: table, node: 1))
  first.make(two)
  first.settle()
  try second.start(shared: NodeCursors(table: table, node: 2))
  second.settle(.seconds(25))
  #expect(first.transport.types == ["room.created"], "of the room that was made since")
  first.stop()
  second.stop()
}

@Test(
  "DB-12: how many logs of nobody are looked at each time does not grow with their number, but when a node has ended"
)
func looksAreBounded() throws {
  let world = try SenderWorld()
  for number in 0..<1_500 { world.make(LogID(high: UInt64(number), low: 7)) }
  let table = CursorTable(world.base)
  try world.start(shared: NodeCursors(table: table, node: 1))
  func looked(after time: Duration) -> Int {
    world.settle(time)
    return table.state.withLock { state in
      defer { state.looked = 0 }
      return state.looked
    }
  }
  #expect(looked(after: .seconds(1)) == 1_500, "at the start all")
  #expect(looked(after: .seconds(10)) == 1_000)
  #expect(looked(after: .seconds(10)) == 500)
  #expect(looked(after: .seconds(10)) == 1_000, "again from the first")
  table.state.withLock { $0.ended += 1 }
  #expect(looked(after: .seconds(10)) == 1_500)
  world.stop()
}

@Test("HOOK-3: a cursor that another node moved further ends what this one would tell twice")
func machineIsOvertaken() {
  var machine = WebhookMachine(policy: .init())
  let epoch = Epoch(7)
  func event(_ revision: Revision) -> WebhookEvent { Reception.event(revision, at: .zero, in: one) }
  machine.advanced(one, WebhookNote(first: 1, last: 3, isWanted: true), at: .zero)
  guard case .look(one, nil, _) = machine.next(at: .zero) else { return #expect(Bool(false)) }
  machine.found(
    .init(room: one, epoch: epoch, events: [event(1), event(2), event(3)], through: 3, isEnd: true), at: .zero
  )
  machine.place(one, at: Cursor(epoch: epoch, revision: 2))
  guard case .look(one, let cursor, _) = machine.next(at: .zero) else { return #expect(Bool(false)) }
  #expect(cursor?.revision == 2)
  // One that is not as far changes nothing.
  machine.place(one, at: Cursor(epoch: epoch, revision: 1))
  #expect(machine.cursors[one]?.revision == 2)
}
