import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import StorageTestKit
import Synchronization
import TestKit
import Testing

@Suite struct SessionTests {
  /// One person in a random session: draws, writes, and lives with a bad network.
  struct Person {
    let client: SimulatedClient
    var room: WhiteRoom
    var stroke: WhiteStroke?
  }

  @Test(
    "At the end of a random session with cuts, every mirror, the server and the fold of the log agree",
    arguments: UInt64(1)...12)
  func randomSession(_ seed: UInt64) throws {
    var luck = SeededGenerator(seed: seed)
    let world = World(seed: seed)
    var people: [Person] = []
    for number in 0..<Int.random(in: 3...5, using: &luck) {
      let subprotocol: Subprotocol = Bool.random(using: &luck) ? .binary : .json
      let client = world.client("person \(number)", subprotocol: subprotocol)
      people.append(Person(client: client, room: try client.join()))
    }
    let ledger = Ledger()
    for _ in 0..<300 {
      let place = Int.random(in: 0..<people.count, using: &luck)
      try act(&people[place], ledger, &luck)
      world.run(for: Double.random(in: 0...0.5, using: &luck))
    }
    for person in people {
      person.client.network.heal()
      person.room.networkIsBack()
    }
    world.run(for: 12)
    for place in people.indices where people[place].room.phase == .disconnected {
      people[place].room = try people[place].client.join()
    }
    world.run(for: 3)
    for person in people { #expect(person.room.phase == .connected, "seed \(seed)") }
    world.expectAgreement(people.map(\.room), "seed \(seed)")
    ledger.check(against: world.log, seed)
    for person in people { Self.checkPhases(person.client.recorder, seed) }
  }

  /// What was dispatched, and how each ended.
  final class Ledger: Sendable {
    private let state = Mutex((count: 0, outcomes: [String: WhiteResult]()))

    func dispatch(in room: WhiteRoom) {
      let name = state.withLock { state in
        state.count += 1
        return "n\(state.count)"
      }
      room.dispatchMagixEvent(name, payload: .null) { [self] result in
        state.withLock { state in
          #expect(state.outcomes[name] == nil, "a command ended twice")
          state.outcomes[name] = result
        }
      }
    }

    /// Receipts are true: what was receipted is in the log once, at its revision; what failed as not carried
    /// out is not. Every command ended.
    func check(against log: [RoomEvent], _ seed: UInt64) {
      var found: [String: [Revision]] = [:]
      for event in log {
        guard case .custom(.magix(let magix)) = event.event else { continue }
        found[magix.name, default: []].append(event.revision)
      }
      let (count, outcomes) = state.withLock { ($0.count, $0.outcomes) }
      #expect(outcomes.count == count, "seed \(seed): a command never ended")
      for (name, result) in outcomes {
        switch result {
        case .success(let receipt): #expect(found[name] == [receipt.revision], "seed \(seed), \(name)")
        case .failure(let error):
          if error.code == .notConnected { continue }
          #expect((found[name] ?? []).count <= 1, "seed \(seed), \(name)")
        }
      }
      #expect(found.values.allSatisfy { $0.count == 1 }, "seed \(seed): a command was applied twice")
    }
  }

  private func act(
    _ person: inout Person, _ ledger: Ledger, _ luck: inout SeededGenerator
  ) throws {
    let (room, network) = (person.room, person.client.network)
    switch Int.random(in: 0..<20, using: &luck) {
    case 0: network.set(.cut)
    case 1: network.set(.silent)
    case 2: network.set(.halfOpen(Bool.random(using: &luck) ? .toServer : .toClient))
    case 3: network.breakAfter(Int.random(in: 0...2_000, using: &luck), .toClient)
    case 4: network.breakAfter(Int.random(in: 0...500, using: &luck), .toServer)
    case 5, 6, 7:
      network.set(.clear)
      room.networkIsBack()
    case 8, 9: ledger.dispatch(in: room)
    case 10:
      room.setGlobalState(
        ["k\(Int.random(in: 0...3, using: &luck))": JSONValue(luckyNumber(&luck))], completion: nil)
    case 11:
      var state = WhiteMemberState()
      state.strokeWidth = Double(luckyNumber(&luck))
      room.setMemberState(state, completion: nil)
    case 12:
      room.moveCamera(
        WhiteCameraState(centerX: Double(luckyNumber(&luck)), centerY: 0, scale: 1), completion: nil)
    case 13:
      room.setViewMode(
        [.freedom, .broadcaster, .follower].randomElement(using: &luck) ?? .freedom, completion: nil)
    case 14:
      room.putScenes(
        "/d", scenes: [WhiteScene(name: "p\(luckyNumber(&luck) % 4)")], index: 0, completion: nil)
      room.setScenePath("/d", completion: nil)
    case 15: person.stroke = room.beginStroke(WhitePen(), [WhitePoint(x: 0, y: 0)])
    case 16: person.stroke?.append([WhitePoint(x: Double(luckyNumber(&luck)), y: 1, time: .milliseconds(9))])
    case 17: person.stroke?.finish()
    case 18: if let id = person.stroke?.id { room.erase([id], completion: nil) }
    default: room.setWritable(Int.random(in: 0..<4, using: &luck) > 0, completion: nil)
    }
    if person.room.phase == .disconnected, !person.client.network.isBad {
      person.room = try person.client.join()
      person.stroke = nil
    }
  }

  private func luckyNumber(_ luck: inout SeededGenerator) -> Int { Int.random(in: 0...999, using: &luck) }

  /// Complaint 4, over the whole session.
  static func checkPhases(_ recorder: Recorder, _ seed: UInt64) {
    let phases = recorder.phases.map(\.phase)
    for (before, after) in zip(phases, phases.dropFirst()) {
      #expect(before != after, "seed \(seed)")
      if before == .reconnecting {
        #expect([.connected, .disconnected, .disconnecting].contains(after), "seed \(seed)")
      }
    }
    #expect(phases.last == .connected, "seed \(seed)")
  }

  @Test("A server that is restarted in between: members keep their numbers, nothing is lost or done twice")
  func restarts() throws {
    let world = World(seed: 5)
    let (anna, ben) = (world.client("anna"), world.client("ben"))
    let (a, b) = (try anna.join(), try ben.join())
    let (mine, theirs) = (a.roomMemberId, b.roomMemberId)
    let heard = CutPointTests.follow(a, in: world)
    let ledger = Ledger()
    for round in 1...5 {
      // Many positions at once: most get a receipt and no event, so that a new server knows fewer counters.
      for step in 1...20 {
        a.moveCamera(
          WhiteCameraState(centerX: Double(step), centerY: Double(round), scale: 1), completion: nil)
        ledger.dispatch(in: a)
        ledger.dispatch(in: b)
      }
      a.moveCamera(WhiteCameraState(centerX: -1, centerY: Double(round), scale: 1), completion: nil)
      a.moveCamera(WhiteCameraState(centerX: -2, centerY: Double(round), scale: 1), completion: nil)
      world.run(for: Double(round) * 0.02)
      world.restart()
      world.run(for: 4)
    }
    world.run(for: 3)
    #expect(a.phase == .connected)
    #expect(a.roomMemberId == mine)
    #expect(b.roomMemberId == theirs)
    ledger.dispatch(in: a)
    world.run(for: 2)
    let revisions = heard.all.map(\.revision.rawValue)
    #expect(revisions == Array(revisions[0]...revisions[revisions.count - 1]))
    ledger.check(against: world.log, 5)
    world.expectAgreement([a, b], "after five restarts")
  }

  @Test("A restarted server knows fewer counters than had receipts: the member goes on all the same")
  func forgottenCounters() throws {
    var room = RoomPolicy()
    room.cameras = .off
    let world = World(seed: 6, policy: ServerPolicy(room: room))
    let anna = world.client("anna")
    let a = try anna.join()
    for step in 1...5 {
      a.moveCamera(WhiteCameraState(centerX: Double(step), centerY: 0, scale: 1), completion: nil)
    }
    world.run(for: 1)
    world.restart()
    world.run(for: 4)
    #expect(a.phase == .connected)
    let ledger = Ledger()
    for _ in 1...3 { ledger.dispatch(in: a) }
    world.run(for: 2)
    ledger.check(against: world.log, 6)
    #expect(world.log.filter { $0.event.kind == EventKind.magix.rawValue }.count == 3)
  }
}
