import EventLog
import EventLogModel
import Foundation
import Synchronization
import Testing

@testable import PostgresLog

/// A start on a thread of its own, because it blocks.
final class Start: Sendable {
  private let outcome = Mutex<Result<PostgresLogStore, LogError>?>(nil)

  init(address: String, options: PostgresLogStore.Options) {
    Thread.detachNewThread { [self] in
      let result: Result<PostgresLogStore, LogError>
      do throws(LogError) {
        result = .success(try PostgresLogStore.open(address: address, options: options))
      } catch { result = .failure(error) }
      outcome.withLock { $0 = result }
    }
  }

  var isDone: Bool { outcome.withLock { $0 != nil } }
  var result: Result<PostgresLogStore, LogError>? { outcome.withLock { $0 } }
}

/// What a server's settings, other schemas and other nodes must not change.
extension PostgresTests {
  /// Starts that wait for the lock of starts.
  static let waitingStarts = """
    select count(*) from pg_stat_activity where application_name = 'boardroom start' and wait_event = 'advisory'
    """

  @Test(
    "LOG-1, LOG-3, DB-14: a take-over says that it waits, and misses nothing acknowledged, whatever isolation is usual",
    arguments: ["read\\ committed", "repeatable\\ read", "serializable"])
  func isolation(_ level: String) async throws {
    let database = try TestDatabase()
    let setting = " -cdefault_transaction_isolation=\(level)"
    let encoded = try #require(setting.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    var options = database.options()
    options.takesOver = true
    let node = try PostgresLogStore.open(address: database.address + encoded, options: options)
    _ = try await node.create(Self.log, at: Self.start)
    try await node.append(Self.records(1...5), to: Self.log, expecting: nil, epoch: nil)
    let holder = try PostgresConnection(DatabaseAddress(database.address), name: "test")
    _ = try holder.run([Query("begin"), Query(PostgresSchema.locking)])
    let isTold = Mutex(false)
    options.onWaiting = { isTold.withLock { $0 = true } }
    let start = Start(address: database.address + encoded, options: options)
    try await until { try database.run(Self.waitingStarts) == 1 }
    #expect(isTold.withLock { $0 })
    try await node.append(Self.records(6...6), to: Self.log, expecting: 5, epoch: nil)
    _ = try holder.run([Query("rollback")])
    try await until { start.isDone }
    let next = try #require(try start.result?.get())
    #expect(try await Self.all(next) == Self.records(1...6))
    await node.shutdown()
    await next.shutdown()
  }

  @Test("LOG-1: no default of the server ends a statement before its outcome is known")
  func timeouts() throws {
    let database = try TestDatabase()
    let address = database.address + "%20-clock_timeout%3D1%20-cstatement_timeout%3D60000"
    let connection = try PostgresConnection(DatabaseAddress(address), name: "test")
    let rows = try connection.run([
      Query("select current_setting('lock_timeout'), current_setting('statement_timeout')")
    ])[0]
    #expect(rows.text(0, 0) == "0")
    #expect(rows.text(0, 1) == "0")
  }
}
