import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import TestKit
import Testing

@testable import BoardroomClient

/// `WhiteRoomConfig.queuesWhileAway`: what is given in an outage waits for its end.
@Suite struct AwayQueueTests {
  /// A member whose connection has just broken.
  private func away(
    _ change: (inout WhiteRoomConfig) -> Void = { _ in }
  ) throws -> (world: World, anna: SimulatedClient, room: WhiteRoom) {
    let world = World(seed: 5)
    let anna = world.client("anna")
    let room = try anna.join(change)
    world.run(for: 1)
    anna.network.set(.cut)
    world.run(for: 0.1)
    #expect(room.phase == .reconnecting)
    return (world, anna, room)
  }

  private func code(of outcome: Outcome) -> RefusalCode? {
    if case .failure(let error)? = outcome.value { error.code } else { nil }
  }

  @Test("X-9: commands of an outage are shown at once, wait, and are done once, in their order")
  func waits() throws {
    let (world, anna, room) = try away()
    let before = world.log.count
    let outcomes = (0..<3).map { _ in Outcome() }
    for (number, outcome) in outcomes.enumerated() {
      room.setGlobalState(["k": JSONValue(number)]) { outcome.set($0) }
    }
    room.insert(WhiteShape(.rectangle, x: 1, y: 2, width: 3, height: 4), completion: nil)
    let stroke = room.beginStroke(WhitePen(), [WhitePoint(x: 0, y: 0)], completion: nil)
    stroke.end([WhitePoint(x: 9, y: 9)], completion: nil)
    world.run(for: 0.1)
    #expect(room.globalState["k"]?.text == "2")
    #expect(world.perform(atMost: 0.01) { await room.getElements().count } == 2)
    #expect(outcomes.allSatisfy { $0.value == nil })
    #expect(world.log.count == before, "the server is not reached")
    anna.network.set(.clear)
    world.run(for: 15)
    #expect(room.phase == .connected)
    for outcome in outcomes { #expect((try? outcome.value?.get()) != nil) }
    let kinds = world.log.dropFirst(before).map(\.event.kind)
    #expect(kinds.filter { $0 == EventKind.globalState.rawValue }.count == 3)
    #expect(kinds.filter { $0 == EventKind.elementPut.rawValue }.count == 1)
    #expect(world.foldedState.globalState["k"]?.text == "2")
    #expect(world.foldedState.elements.count == 2)
    #expect(room.pendingCommandCount == 0)
  }

  @Test(
    "X-9: it is not told before the phase: what others did is behind it, own commands before it are not lost")
  func order() throws {
    let (world, anna, room) = try away { $0.onlyCallbackRemoteStateModify = false }
    let ben = try world.client("ben").join()
    ben.setGlobalState(["b": .bool(true)], completion: nil)
    world.run(for: 1)
    anna.recorder.clear()
    room.setGlobalState(["a": .bool(true)], completion: nil)
    world.run(for: 0.1)
    #expect(anna.recorder.states.last?.globalState?.keys.sorted() == ["a"])
    anna.network.set(.clear)
    world.run(for: 15)
    let heard = anna.recorder.heard
    let connected = try #require(heard.firstIndex(of: .phase(.connected)))
    let withBen = heard.firstIndex {
      if case .state(let state) = $0 { state.globalState?["b"] != nil } else { false }
    }
    #expect(try #require(withBen) > connected)
    #expect(room.globalState.keys.sorted() == ["a", "b"])
  }

  @Test("Commands that wait are counted and listed, with their kind and how far they have come")
  func visible() throws {
    let world = World(seed: 5)
    let anna = world.client("anna")
    let heard = PendingEars()
    var config = anna.config
    config.tellsPendingCommands = true
    config.disableMagixEventDispatchLimit = false
    let room = try world.perform { [config, heard] in
      await asResult { () async throws(BoardroomError) in
        try await anna.sdk.joinRoom(config, callbacks: heard)
      }
    }.get()
    world.run(for: 1)
    heard.lists.value = []
    anna.network.set(.silent)
    room.setGlobalState(["k": .null], completion: nil)
    world.run(for: 0.01)
    #expect(room.pendingCommandCount == 1)
    anna.network.set(.cut)
    world.run(for: 0.1)
    room.insert(WhiteShape(.rectangle, x: 1, y: 2, width: 3, height: 4), completion: nil)
    room.dispatchMagixEvent("m", payload: .null, completion: nil)
    world.run(for: 0.1)
    let pending = world.perform(atMost: 0.01) { await room.getPendingCommands() }
    #expect(pending.map(\.kind) == ["globalState", "elementPut", "magix"])
    #expect(pending.map(\.status) == [.sent, .waiting, .waiting])
    #expect(Set(pending.map(\.id)).count == 3)
    #expect(heard.lists.value.last == pending)
    #expect(room.pendingCommandCount == 3)
    anna.network.set(.clear)
    world.run(for: 15)
    #expect(room.pendingCommandCount == 0)
    #expect(heard.lists.value.last?.isEmpty == true)
    #expect(world.log.filter { $0.event.kind == EventKind.magix.rawValue }.count == 1)
  }

  @Test("ObservedRoom has the commands that wait")
  @MainActor func observed() {
    let room = ObservedRoom(WhiteSdkConfiguration(endpoint: Endpoint(host: "127.0.0.1", port: 1)))
    let pending = [WhitePendingCommand(id: 1, kind: "stroke", status: .waiting)]
    room.firePendingCommandsChanged(pending)
    #expect(room.pendingCommands == pending)
  }

  @Test("At most awayCommandLimit commands wait; one more fails with tooMany, and those before it are done")
  func tooMany() throws {
    let (world, anna, room) = try away()
    let outcomes = (0...WhiteRoomConfig.awayCommandLimit).map { _ in Outcome() }
    for outcome in outcomes { room.setGlobalState(["k": .null]) { outcome.set($0) } }
    world.run(for: 0.1)
    #expect(outcomes.filter { $0.value != nil }.count == 1)
    guard case .failure(let error)? = outcomes.last?.value else { Issue.record("it waits"); return }
    #expect(error.code == .tooMany)
    #expect(error.actual == WhiteRoomConfig.awayCommandLimit + 1)
    #expect(error.allowed == WhiteRoomConfig.awayCommandLimit)
    #expect(!error.cure.isEmpty)
    anna.network.set(.clear)
    world.run(for: 20)
    #expect(outcomes.allSatisfy { $0.value != nil })
    // There is room again in the next outage.
    anna.network.set(.cut)
    world.run(for: 0.1)
    let next = Outcome()
    room.setGlobalState(["k": .null]) { next.set($0) }
    world.run(for: 0.1)
    #expect(next.value == nil)
  }

  @Test(
    "At most awayByteLimit bytes wait, magix events that wait for their turn counted",
    arguments: [false, true])
  func tooLarge(isPaced: Bool) throws {
    let (world, _, room) = try away { $0.disableMagixEventDispatchLimit = !isPaced }
    let payload = JSONValue.string(String(repeating: "x", count: 30_000))
    let outcomes = (0..<40).map { _ in Outcome() }
    for outcome in outcomes { room.dispatchMagixEvent("m", payload: payload) { outcome.set($0) } }
    world.run(for: 0.1)
    let refused = outcomes.filter { $0.value != nil }
    #expect(refused.count == 40 - WhiteRoomConfig.awayByteLimit / 30_050)
    #expect(refused.allSatisfy { code(of: $0) == .tooMany })
  }

  @Test("The server has let the session go: what waited fails, is taken back and is never sent")
  func sessionGone() throws {
    let (world, anna, room) = try away { $0.timeout = .seconds(300) }
    let before = world.log.count
    let outcome = Outcome()
    room.setGlobalState(["k": .bool(true)]) { outcome.set($0) }
    world.run(for: 40)
    #expect(outcome.value == nil)
    anna.network.set(.clear)
    world.run(for: 15)
    #expect(room.phase == .connected)
    #expect(code(of: outcome) == .networkLost)
    #expect(room.globalState.isEmpty)
    let kinds = world.log.dropFirst(before).map(\.event.kind)
    #expect(!kinds.contains(EventKind.globalState.rawValue))
  }

  @Test("The outage ends the room: what waited fails, once")
  func gaveUp() throws {
    let (world, _, room) = try away { $0.timeout = .seconds(5) }
    let outcome = Outcome()
    room.setGlobalState(["k": .bool(true)]) { outcome.set($0) }
    world.run(for: 10)
    #expect(room.phase == .disconnected)
    #expect(code(of: outcome) == .networkLost)
    #expect(room.pendingCommandCount == 0)
  }

  @Test("Pointers and reactions are of the moment: they fail at once")
  func ofTheMoment() throws {
    let (world, _, room) = try away()
    let outcomes = [Outcome(), Outcome()]
    room.movePointer(x: 1, y: 2) { outcomes[0].set($0) }
    room.react("👏", at: WhitePoint(x: 1, y: 2)) { outcomes[1].set($0) }
    world.run(for: 0.1)
    #expect(outcomes.map { code(of: $0) } == [.notConnected, .notConnected])
  }

  @Test("IDEM: an outage that breaks again and again while it ends does no command twice")
  func broken() throws {
    let (world, anna, room) = try away { $0.timeout = .seconds(600) }
    let outcomes = (0..<20).map { _ in Outcome() }
    for (number, outcome) in outcomes.enumerated() {
      room.dispatchMagixEvent("m\(number)", payload: .null) { outcome.set($0) }
    }
    world.run(for: 0.1)
    for budget in stride(from: 100, to: 2_000, by: 180) {
      anna.network.set(.clear)
      anna.network.breakAfter(budget, budget % 360 == 100 ? .toServer : .toClient)
      room.networkIsBack()
      world.run(for: 1)
    }
    anna.network.heal()
    room.networkIsBack()
    world.run(for: 15)
    #expect(room.phase == .connected)
    let names = world.log.compactMap { event -> String? in
      if case .custom(.magix(let magix)) = event.event { magix.name } else { nil }
    }
    #expect(names == (0..<20).map { "m\($0)" })
    for outcome in outcomes { #expect((try? outcome.value?.get()) != nil) }
  }
}

/// Hears of commands that wait.
private final class PendingEars: WhiteRoomCallbackDelegate, Sendable {
  let lists = Box<[[WhitePendingCommand]]>([])
  func firePendingCommandsChanged(_ pending: [WhitePendingCommand]) { lists.change { $0.append(pending) } }
}
