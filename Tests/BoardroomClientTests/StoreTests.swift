import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import Synchronization
import TestKit
import Testing

@Suite struct StoreTests {
  private final class Watcher: WhiteSyncedStoreDelegate, Sendable {
    let changes = Mutex<[[String: WhiteStoreChange]]>([])
    func storageDidUpdate(_ store: WhiteSyncedStore, changes: [String: WhiteStoreChange]) {
      self.changes.withLock { $0.append(changes) }
    }
    /// Each change as `key: old > new`.
    var told: [[String]] {
      changes.withLock { $0 }.map { changes in
        changes.sorted { $0.key < $1.key }.map {
          "\($0.key): \($0.value.oldValue?.text ?? "-") > \($0.value.newValue?.text ?? "-")"
        }
      }
    }
  }

  private func connect(
    _ world: World, _ room: WhiteRoom, _ defaults: [String: JSONValue] = [:], _ watcher: Watcher? = nil
  ) throws -> WhiteSyncedStore {
    try world.perform {
      await asResult { () async throws(BoardroomError) in
        try await room.connectSyncedStore("poll", defaults: defaults, delegate: watcher)
      }
    }.get()
  }

  @Test("SS-1: connecting sets missing defaults; changes are told by key with old and new value")
  func changes() throws {
    let (world, _, _, a, b) = try pair()
    let (anna, ben) = (Watcher(), Watcher())
    let one = try connect(world, a, ["yes": .number("0"), "no": .number("0")], anna)
    let two = try connect(world, b, ["yes": .number("9"), "open": .bool(true)], ben)
    #expect(two.state.mapValues(\.text) == ["yes": "0", "no": "0", "open": "true"])
    world.perform {
      _ = try? await one.setState(["yes": .number("1"), "no": .null])
      _ = try? await one.setState(["yes": .number("1")])
    }
    world.run(for: 1)
    #expect(anna.told == [["open: - > true"], ["no: 0 > -", "yes: 0 > 1"]])
    #expect(ben.told == [["no: 0 > -", "yes: 0 > 1"]])
    #expect(one.state == two.state)
    #expect(world.perform { await two.getState() } == two.state)
    #expect(a.globalState.isEmpty)
  }

  @Test("SS-1: reset goes back to the defaults, delete leaves nothing, disconnect ends only the calls")
  func ends() throws {
    let (world, _, _, a, b) = try pair()
    let watcher = Watcher()
    let one = try connect(world, a, ["k": .number("1")])
    let two = try connect(world, b, [:], watcher)
    world.perform {
      _ = try? await one.setState(["k": .number("2"), "more": .bool(true)])
      _ = try? await one.resetState()
    }
    world.run(for: 1)
    #expect(two.state.mapValues(\.text) == ["k": "1"])
    world.perform { _ = try? await one.deleteStorage() }
    world.run(for: 1)
    #expect(two.state.isEmpty)
    #expect(watcher.told.last == ["k: 1 > -"])
    let count = watcher.told.count
    two.disconnectStorage()
    world.perform { _ = try? await one.setState(["k": .number("3")]) }
    world.run(for: 1)
    #expect(watcher.told.count == count)
    let closed = world.perform { await code { try await two.setState(["k": .null]) } }
    #expect(closed == .notConnected)
    let again = try connect(world, b)
    #expect(again.state.mapValues(\.text) == ["k": "3"])
  }

  @Test(
    "SS-1: a change is shown at once and told once; what an outage kept back comes in one call")
  func outage() throws {
    let (world, anna, _, a, b) = try pair()
    let watcher = Watcher()
    let one = try connect(world, a, [:], watcher)
    let two = try connect(world, b)
    anna.network.set(.cut)
    world.run(for: 1)
    world.perform {
      for value in 1...3 { _ = try? await two.setState(["k": JSONValue(value)]) }
    }
    anna.network.set(.clear)
    world.run(for: 15)
    #expect(watcher.told == [["k: - > 3"]])
    #expect(one.state == two.state)
    one.setState(["own": .bool(true)], completion: nil)
    world.run(for: 0)
    #expect(watcher.told.last == ["own: - > true"])
    #expect(two.state["own"] == nil)
    world.run(for: 1)
    #expect(watcher.told.count == 2)
    #expect(two.state["own"]?.text == "true")
  }

  @Test("SS-1: a read-only member connects and reads; its defaults are not set")
  func readOnly() throws {
    let world = World()
    let (anna, ben) = (world.client("anna"), world.client("ben"))
    let (a, b) = (try anna.join(), try ben.join { $0.isWritable = false })
    let one = try connect(world, a, ["k": .number("1")])
    world.run(for: 1)
    let two = try connect(world, b, ["other": .number("1")])
    #expect(two.state == one.state)
    #expect(two.state.count == 1)
    #expect(world.perform { await code { try await two.setState(["k": .null]) } } == .notWritable)
  }
}
