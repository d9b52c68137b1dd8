import EventLogModel
import Foundation
import Testing

@testable import PostgresLog

/// A schema of a test's own on the server that `tools/postgres` started.
struct TestDatabase {
  /// The server's address; nil where these tests are run without one.
  static let server = ProcessInfo.processInfo.environment["BOARDROOM_TEST_POSTGRES"]

  let address: String
  let schema: String

  init() throws {
    schema = "test_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
    let server = try #require(Self.server, "run these tests by tools/postgres --test")
    address = "\(server)&options=-csearch_path%3D\(schema)"
    try run("create schema \(schema)")
  }

  /// Few partitions, because making them takes most of a short test.
  func options() -> PostgresLogStore.Options {
    var options = PostgresLogStore.Options()
    options.partitions = 2
    options.minimumCommitInterval = .zero
    options.segmentBytes = 1 << 20
    return options
  }

  /// The first column of the first row, as an integer; zero where there is no row.
  @discardableResult
  func run(_ statement: String) throws -> Int64 {
    let connection = try PostgresConnection(DatabaseAddress(address), name: "test")
    let rows = try connection.run([Query(statement)])[0]
    return rows.isEmpty ? 0 : rows.integer(0, 0)
  }

  /// Calls `pg_terminate_backend` or `pg_cancel_backend` for the writing connections of which `condition`
  /// holds. Answers how many there were.
  @discardableResult
  func strike(_ function: String, where condition: String) throws -> Int64 {
    let connection = try PostgresConnection(DatabaseAddress(address), name: "test")
    let strike = """
      select count(*) from (select \(function)(pid) from pg_stat_activity
      where application_name like 'boardroom incarnation %' and \(condition)) as struck
      """
    // One that ends by itself meanwhile would be a warning.
    return try connection.run([Query("set client_min_messages = error"), Query(strike)])[1].integer(0, 0)
  }

  /// Kills the server's side of a commit that waits for a standby, as a crash would: the server ends all connections,
  /// and recovers from its write-ahead log.
  func crash() throws {
    let process = try run("select pid from pg_stat_activity where wait_event = 'SyncRep' limit 1")
    // The answer is lost with the server's other connections.
    _ = try? run("copy (select 1) to program 'kill -9 \(process)'")
  }

  /// Ends the server as by a crash, and returns when it is there again. Nothing of its memory is left.
  func restart() throws {
    // The server ends all its connections, but takes new ones for a moment before that.
    let witness = try PostgresConnection(DatabaseAddress(address), name: "test")
    _ = try? run("copy (select pg_backend_pid()) to program 'xargs kill -9'")
    while (try? witness.run([Query("select 1")])) != nil { PostgresConnection.pause() }
    for _ in 0..<600 {
      do {
        try run("select 1")
        return
      } catch { PostgresConnection.pause() }
    }
    Issue.record("the server does not come back")
  }

  /// Overwrites a page of a table or of an index, whose checksum is wrong then, and lets the server forget what it has of it.
  ///
  /// - Parameter relation: SQL that gives its number.
  func spoil(page: Int = 0, of relation: String) throws {
    let file = try FileHandle(forUpdating: URL(filePath: try path(of: relation)))
    try file.seek(toOffset: UInt64(page * 8_192))
    try file.write(contentsOf: Data(repeating: 0xFF, count: 8_192))
    try file.synchronize()
    try file.close()
    try restart()
  }

  /// The file of a table or of an index, with all that was written to it.
  func path(of relation: String) throws -> String {
    try run("checkpoint")
    let connection = try PostgresConnection(DatabaseAddress(address), name: "test")
    return try connection.run([
      Query(
        "select current_setting('data_directory') || '/' || pg_relation_filepath((\(relation))::regclass)")
    ])[0].text(0, 0)
  }

  /// SQL for the partition that the blocks of a log are in.
  static func partition(of number: Int64) -> String {
    "select tableoid from block where log = \(number) limit 1"
  }

  /// SQL for the index of a table's primary key.
  static func index(of relation: String) -> String {
    "select indexrelid from pg_index where indisprimary and indrelid = (\(relation))"
  }

  /// SQL for the table that long values of a table are in.
  static func longValues(of relation: String) -> String {
    "select reltoastrelid from pg_class where oid = (\(relation))"
  }

  /// Lets commits wait for a standby that is not there, or for none.
  func loseStandby(_ isLost: Bool) throws {
    try run(
      "alter system \(isLost ? "set synchronous_standby_names = 'nobody'" : "reset synchronous_standby_names")"
    )
    try run("select 1 from pg_reload_conf()")
  }

  /// Whether a statement like this one waits for a standby.
  func isWaiting(_ pattern: String) throws -> Bool {
    try run("select count(*) from pg_stat_activity where wait_event = 'SyncRep' and query like '\(pattern)'")
      > 0
  }
}
