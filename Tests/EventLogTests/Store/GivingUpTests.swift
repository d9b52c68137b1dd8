import EventLogModel
import StorageTestKit
import Testing

@testable import EventLog

/// What a store does with a log that it shares with other nodes and gives to one of them.
@Suite struct GivingUpTests {
  private static let number: UInt64 = 9

  @Test(
    "NODE-4: a log is given up by one release: a second one that begins meanwhile leaves it alone"
  )
  func once() async throws {
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    let log = DamagedFolder.log(Self.number)
    _ = try await store.create(log, at: .zero)
    try await DamagedFolder.append(1...20, to: Self.number, store)
    async let first = store.base.giveUp([log])
    async let second = store.base.giveUp([log])
    #expect(try await [first, second].sorted { $0.count < $1.count } == [[], [log]])
    #expect(store.base.holding(of: log) == .givenUp)
    #expect(try await store.base.giveUp([log]).isEmpty)
    store.base.drop([log])
    #expect(store.base.holding(of: log) == .none)
    await store.shutdown()
  }
}
