import CPostgres
import EventLogModel
import NodeCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Why statements were not carried out, or why that is not known.
enum PostgresFailure: Error {
  /// The server refused one, and carried out nothing of the transaction.
  case refused(state: String, message: String)
  /// It is not known whether they were carried out: the connection was lost, no answer came in time, or the
  /// answer came with a warning, which is how a commit is answered that waits for no standby any more.
  case unknown(reason: String)
  /// Another node has fenced this one's incarnation: nothing was carried out, and nothing ever will be.
  case fenced

  /// As an error of the store, for a caller to whom both mean the same.
  func asLogError(in place: String) -> LogError {
    switch self {
    case .refused(let state, _) where PostgresConnection.answer.canPass(state): .full(place: place)
    case .refused(let state, let message):
      .stopped(reason: "\(place) refused a statement: \(message) (\(state))")
    case .unknown(let reason): .stopped(reason: "\(place): \(reason)")
    case .fenced: .stopped(reason: "another node has taken over the logs of this one at \(place)")
    }
  }

  /// What a server answers that cannot read a page of a table or of an index, the file of one, or a value: a wrong length of
  /// a value is an internal error to it.
  private static let unreadable: Set<String> = ["XX000", "XX001", "XX002", "58030", "58P01"]

  /// Whether the server cannot read what it stores.
  var isDamage: Bool {
    if case .refused(let state, _) = self { Self.unreadable.contains(state) } else { false }
  }

  /// The same for a statement that only reads: `damaged` where the server cannot read what it stores. Its message names files and pages, and
  /// no content.
  func asReadingError(in place: String) -> LogError {
    guard isDamage, case .refused(let state, let message) = self else { return asLogError(in: place) }
    return .damaged(
      Damage(what: "the server cannot read what it stores: \(message) (\(state))", place: place))
  }
}

/// One connection to the server, in pipeline mode. Used by one thread at a time.
final class PostgresConnection {
  private let connection: OpaquePointer
  private let address: DatabaseAddress
  /// Nil until the server has named it.
  private var timeline: Int64?
  private let warnings: UnsafeMutablePointer<Int32>
  private var names: [String: String] = [:]
  fileprivate static let answer = AnswerReading()

  /// Milliseconds between two calls of `waiting`.
  private static let pollMilliseconds: Int32 = 100

  /// Connects as one of an incarnation's connections, by whose name another node finds it.
  convenience init(_ address: DatabaseAddress, incarnation: Int64) throws(PostgresFailure) {
    try self.init(address, name: "boardroom node")
    _ = try run([NodeTables.naming(incarnation)], waiting: Self.settingLimit)
  }

  /// Writes a record to the server's log, which changes no table: its answer says that a standby has all that was there
  /// before it.
  static let record = "select pg_logical_emit_message(true, 'boardroom', '')"

  /// Connects to read. After a crash a server shows commits at once that no standby has. So a record is written to its
  /// log first, which changes no table: its answer says that a standby has all that was there before it.
  ///
  /// - Parameter limit: milliseconds after which it is given up while no standby answers.
  static func reading(
    _ address: DatabaseAddress, limit: Int = 30_000
  ) throws(PostgresFailure) -> PostgresConnection {
    let connection = try PostgresConnection(address, name: "boardroom reader")
    let earlier = Query(
      """
      select 1 from pg_stat_activity where query = $1 and wait_event = 'SyncRep' and datname = current_database()
      and query_start < clock_timestamp() - interval '1 second' limit 1
      """, .text(record))
    // A server keeps a connection that waits, also without its client: not one more for each read that is tried.
    guard try connection.run([earlier], waiting: settingLimit)[0].isEmpty else {
      throw .unknown(reason: "no standby answers")
    }
    _ = try connection.run([Query(FencedConnection.durability)], waiting: settingLimit)
    try connection.waitUntilReplicated(limit: limit)
    return connection
  }

  /// Returns when a standby has all that was there before, on a connection that `reading` made.
  ///
  /// - Parameter limit: milliseconds after which it is given up while no standby answers.
  func waitUntilReplicated(limit: Int = 30_000) throws(PostgresFailure) {
    _ = try run([Query(Self.record)]) { milliseconds throws(PostgresFailure) in
      if milliseconds >= limit { throw .unknown(reason: "no standby has answered for \(limit) ms") }
    }
  }

  /// Connects. Blocks for seconds where nobody answers.
  init(_ address: DatabaseAddress, name: String) throws(PostgresFailure) {
    guard let connection = address.connect(name: name) else { throw .unknown(reason: "no memory to connect") }
    guard PQstatus(connection) == CONNECTION_OK else {
      let reason = Self.error(of: connection)
      PQfinish(connection)
      throw .unknown(reason: reason)
    }
    self.connection = connection
    self.address = address
    warnings = .allocate(capacity: 1)
    warnings.initialize(to: 0)
    br_pq_count_warnings(connection, warnings)
    guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else {
      throw .unknown(reason: Self.error(of: connection))
    }
    let found = try run([Query(Self.settings)], waiting: Self.settingLimit)[0]
    address.note(timeline: found.integer(0, 4))
    timeline = found.integer(0, 4)
    try checkTimeline()
  }

  /// Throws if another connection has seen a higher timeline: then a standby was promoted, and this server is an old
  /// primary. What is under way there has an outcome that nobody knows.
  private func checkTimeline() throws(PostgresFailure) {
    guard let timeline, case let newest = address.newestTimeline, newest > timeline else { return }
    throw .unknown(reason: "an old primary answers: its timeline is \(timeline), and \(newest) was seen")
  }

  private static func settingLimit(_ milliseconds: Int) throws(PostgresFailure) {
    if milliseconds >= settingMilliseconds { throw .unknown(reason: "no answer to a new connection") }
  }

  /// What the statements here need, whatever the server, the database, the user or the address has as a default: each
  /// statement sees what was committed before it, also after it has waited for a lock; nothing but its own client
  /// gives a statement up; and tables are found and made in the first schema of the path only, where another's table of
  /// the same name could stand further on.
  private static let settings = """
    select set_config('default_transaction_isolation', 'read committed', false),
    set_config('lock_timeout', '0', false), set_config('statement_timeout', '0', false),
    set_config('search_path', coalesce(quote_ident(current_schema()), ''), false),
    \(ServerChoice.timeline)
    """
  /// Milliseconds after which a server that was reached and does not take the settings is given up.
  private static let settingMilliseconds = 2_000

  /// Ends the connection. What the server has under way it goes on with.
  deinit {
    PQfinish(connection)
    warnings.deallocate()
  }

  private static func error(of connection: OpaquePointer) -> String {
    let text = String(cString: PQerrorMessage(connection))
    let line = text.split(separator: "\n").first.map(String.init) ?? "the connection was lost"
    return line.isEmpty ? "the connection was lost" : hidden(line, connection)
  }

  /// A message of the server or of libpq without the user and the password, which they may name.
  private static func hidden(_ message: String, _ connection: OpaquePointer) -> String {
    func value(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }
    let (user, password) = (value(PQuser(connection)), value(PQpass(connection)))
    let text = password.isEmpty ? message : message.replacing(password, with: "…")
    return user.isEmpty ? text : text.replacing("\"\(user)\"", with: "…")
  }

  /// Carries statements out in one pipeline. Unless they begin a transaction themselves, they are one.
  ///
  /// - Parameter waiting: called ten times a second with the milliseconds since the sending, while the answer
  ///   is not there. It throws to give up; then the outcome is unknown, and the connection must not be used
  ///   again.
  /// - Returns: the rows of each statement.
  func run(
    _ queries: [Query], waiting: (Int) throws(PostgresFailure) -> Void = { _ in }
  ) throws(PostgresFailure) -> [Rows] {
    try checkTimeline()
    warnings.pointee = 0
    let start = Self.milliseconds
    var steps: [Bool] = []
    for query in queries {
      if names[query.text] == nil {
        try prepare(query)
        steps.append(false)
      }
      try send(query)
      steps.append(true)
    }
    guard PQpipelineSync(connection) == 1 else { throw lost }
    try flush(start, waiting)
    var found: [Rows] = []
    var refusal: PostgresFailure?
    for isQuery in steps {
      let result = try result(start, waiting)
      switch PQresultStatus(result) {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
        let rows = Rows(result)
        if isQuery { found.append(rows) }
      case PGRES_PIPELINE_ABORTED: PQclear(result)
      default:
        refusal = refusal ?? self.refusal(result)
        PQclear(result)
      }
      try endOfResult(start, waiting)
    }
    let refusedEnd = try end(start, waiting)
    if let refusal = refusal ?? refusedEnd {
      // A statement whose preparation may have failed is prepared anew, under another name.
      for query in queries { names[query.text] = nil }
      throw refusal
    }
    guard !Self.answer.isOpen(warnings: Int(warnings.pointee)) else {
      throw .unknown(reason: "the server answered with a warning")
    }
    return found
  }

  private var count = 0

  private func prepare(_ query: Query) throws(PostgresFailure) {
    count += 1
    let name = "s\(count)"
    let types = query.parameters.map { Oid($0.type) }
    guard PQsendPrepare(connection, name, query.text, Int32(types.count), types) == 1 else { throw lost }
    names[query.text] = name
  }

  private func send(_ query: Query) throws(PostgresFailure) {
    let name = names[query.text] ?? ""
    let values = query.parameters.map(\.bytes)
    let lengths = values.map { Int32($0.count) }
    let formats = [Int32](repeating: 1, count: values.count)
    let code = Self.withPointers(values[...], []) { pointers in
      PQsendQueryPrepared(connection, name, Int32(values.count), pointers, lengths, formats, 1)
    }
    guard code == 1 else { throw lost }
  }

  /// Calls `body` with the places of all values at once. None is null: that would be a null of SQL.
  private static func withPointers(
    _ values: ArraySlice<[UInt8]>, _ pointers: [UnsafePointer<CChar>?],
    _ body: ([UnsafePointer<CChar>?]) -> Int32
  ) -> Int32 {
    guard let first = values.first else { return body(pointers) }
    // An empty array may have no place.
    return (first.isEmpty ? [0] : first).withUnsafeBytes { bytes in
      withPointers(
        values.dropFirst(), pointers + [bytes.baseAddress?.assumingMemoryBound(to: CChar.self)], body)
    }
  }

  private func flush(
    _ start: Int, _ waiting: (Int) throws(PostgresFailure) -> Void
  ) throws(PostgresFailure) {
    while true {
      switch PQflush(connection) {
      case 0: return
      case 1: try wait(Int16(POLLIN | POLLOUT), start, waiting)
      default: throw lost
      }
    }
  }

  private func wait(
    _ events: Int16, _ start: Int, _ waiting: (Int) throws(PostgresFailure) -> Void
  ) throws(PostgresFailure) {
    var place = pollfd(fd: PQsocket(connection), events: events, revents: 0)
    let ready = poll(&place, 1, Self.pollMilliseconds)
    if ready == 0 {
      try checkTimeline()
      try waiting(Self.milliseconds - start)
    }
    guard
      ready <= 0 || place.revents & Int16(POLLIN | POLLHUP | POLLERR) == 0 || PQconsumeInput(connection) == 1
    else { throw lost }
  }

  private func next(
    _ start: Int, _ waiting: (Int) throws(PostgresFailure) -> Void
  ) throws(PostgresFailure) -> OpaquePointer? {
    while PQisBusy(connection) == 1 { try wait(Int16(POLLIN), start, waiting) }
    return PQgetResult(connection)
  }

  private func result(
    _ start: Int, _ waiting: (Int) throws(PostgresFailure) -> Void
  ) throws(PostgresFailure) -> OpaquePointer {
    guard let result = try next(start, waiting) else { throw lost }
    guard PQstatus(connection) == CONNECTION_OK else {
      PQclear(result)
      throw lost
    }
    return result
  }

  /// Waits for the end of the pipeline, where the server commits: only this answer says that it has. The rows of a
  /// statement arrive before.
  ///
  /// - Returns: why the commit was refused, if it was.
  private func end(
    _ start: Int, _ waiting: (Int) throws(PostgresFailure) -> Void
  ) throws(PostgresFailure) -> PostgresFailure? {
    var refusal: PostgresFailure?
    while true {
      guard let answer = try next(start, waiting) else {
        guard refusal != nil, PQstatus(connection) == CONNECTION_OK else { throw lost }
        continue
      }
      defer { PQclear(answer) }
      guard PQresultStatus(answer) != PGRES_PIPELINE_SYNC else { return refusal }
      let found = self.refusal(answer)
      // Nothing follows: the server has ended the connection.
      if case .unknown = found { throw found }
      guard refusal == nil else { throw lost }
      refusal = found
    }
  }

  private func endOfResult(
    _ start: Int, _ waiting: (Int) throws(PostgresFailure) -> Void
  ) throws(PostgresFailure) {
    while let more = try next(start, waiting) { PQclear(more) }
    guard PQstatus(connection) == CONNECTION_OK else { throw lost }
  }

  private var lost: PostgresFailure { .unknown(reason: Self.error(of: connection)) }

  private func refusal(_ result: OpaquePointer) -> PostgresFailure {
    let state = br_pq_state(result).map { String(cString: $0) } ?? ""
    let message = br_pq_message(result).map { Self.hidden(String(cString: $0), connection) } ?? "no message"
    return Self.answer.isOpen(refusal: state)
      ? .unknown(reason: message) : .refused(state: state, message: message)
  }

  static var milliseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
  }

  /// Waits a moment before another attempt to connect.
  static func pause() { poll(nil, 0, pollMilliseconds) }
}
