import EventLogModel

/// The tables of a store, in the schema that the address's `search_path` names first.
enum PostgresSchema {
  /// Raised by one for each change. 1: the first; 2: the store's identity; 3: several nodes; 4: what is asked for again
  /// and again is found without a look at all logs; 5: images, and how far endpoints of webhooks were told.
  static let version: Int64 = 5
  /// Over how many tables the blocks are spread, so that a vacuum of one is short.
  static let partitions = 64
  /// Frame tables of a slot, used in turn and emptied by TRUNCATE.
  static let frameTables: UInt64 = 8
  /// The key of the lock that starts and changes of the tables take.
  static let lock: Int64 = 0x626f_6172_6472_6f6f

  static func frameTable(slot: Int64, segment: UInt64) -> String { "frame_\(slot)_\(segment % frameTables)" }

  /// Takes the lock until the transaction ends.
  static let locking = "select pg_advisory_xact_lock(\(lock))"

  /// Takes it if nobody has it; answers with a row then.
  static let tryingLock = "select 1 where pg_try_advisory_xact_lock(\(lock))"

  /// The version of the tables that are there; nil if there are none.
  static func version(_ transaction: SealingTransaction) throws(LogError) -> Int64? {
    let known = try transaction.run([Query("select 1 where to_regclass('meta') is not null")])[0]
    guard !known.isEmpty else { return nil }
    let row = try transaction.run([Query("select value from meta where name = 'version'")])[0]
    let found = row.isEmpty ? 0 : row.integer(0, 0)
    guard (1...version).contains(found) else {
      throw incompatible("tables of version \(found)", transaction.path)
    }
    return found
  }

  static func incompatible(_ found: String, _ place: String) -> LogError {
    .incompatible(path: place, found: found, supported: "tables of version \(version) and earlier")
  }

  /// Makes the tables, or brings those of an earlier version to the present one. Under the lock: two nodes may
  /// start at once.
  ///
  /// - Parameter found: the version that is there; nil if there are no tables.
  static func bring(
    _ transaction: SealingTransaction, from found: Int64?, partitions: Int
  ) throws(LogError) {
    if found == nil { try transaction.run(first(partitions: partitions).map { Query($0) }) }
    for step in steps.dropFirst(Int(found ?? 1) - 1) { try transaction.run(step.map { Query($0) }) }
    guard found != version else { return }
    try transaction.run([Query("update meta set value = $1 where name = 'version'", .integer(version))])
  }

  static func identity(_ transaction: SealingTransaction) throws(LogError) -> [UInt8] {
    let rows = try transaction.run([Query("select identity from store")])[0]
    return rows.isEmpty ? [] : rows.bytes(0, 0)
  }

  /// What leads from each version to the next, beginning with version 1.
  private static let steps: [[String]] = [
    [
      "create table store(identity bytea not null)",
      "insert into store select decode(replace(gen_random_uuid()::text, '-', ''), 'hex')",
    ],
    [
      // Where other nodes reach this one; null for a node that shares the tables with none.
      "alter table incarnation add column address text",
      // A table of its own: a beat must wait for no commit.
      "create table beat(incarnation bigint primary key, at timestamptz not null) with (fillfactor = 50)",
      "create sequence log_number",
      raiseNumbers,
      "create index log_owner on log(owner)",
      "create index incarnation_left on incarnation(id) where not recovered",
    ],
    [
      "create index log_import on log(no) where import_last is not null",
      "create index log_removal on log(no) where \(removalIsDue)",
    ],
    [
      """
      create table image(
        log bytea not null, name text not null, put_ms bigint not null, size bigint not null, bytes bytea not null,
        primary key(log, name))
      """,
      """
      create table webhook(
        endpoint text primary key, failing_ms bigint, duty bigint, duty_until timestamptz)
      """,
      """
      create table webhook_cursor(
        endpoint text not null, log bytea not null, epoch bigint not null, revision bigint not null,
        primary key(endpoint, log)) with (fillfactor = 70)
      """,
    ] + external("image"),
  ]

  /// Of which logs blocks are to be removed: of deleted and of trimmed ones.
  static let removalIsDue = "(state = 1 or (state = 0 and first_kept < low))"

  /// Lets `log_number` go on above all logs. Only while nobody takes numbers from it.
  static let raiseNumbers = """
    select setval('log_number', greatest(
      (select coalesce(max(no), 0) from log), (select last_value from log_number)) + 1, false)
    """

  /// The tables of version 1.
  static func first(partitions: Int) -> [String] {
    tables + ["block", "snapshot", "part"].flatMap { external($0) }
      + (0..<partitions).map { part in
        """
        create table if not exists block_\(part) partition of block
          for values with (modulus \(partitions), remainder \(part))
        """
      } + ["insert into meta(name, value) values ('version', 1) on conflict do nothing"]
  }

  private static let tables = [
    "create table if not exists meta(name text primary key, value bigint not null)",
    """
    create table if not exists incarnation(
      id bigint generated always as identity primary key, node text not null, slot bigint not null,
      started timestamptz not null default now(), recovered boolean not null default false)
    """,
    // A row a connection: two transactions that hold one row at once make a multixact each time.
    """
    create table if not exists fence(
      incarnation bigint not null, kind bigint not null, link bigint not null default 0,
      fenced boolean not null default false, primary key(incarnation, kind)) with (fillfactor = 50)
    """,
    """
    create table if not exists log(
      no bigint primary key, id bytea not null unique, epoch bigint not null, created_ms bigint not null,
      state bigint not null, low bigint not null, next bigint not null, last_ms bigint not null,
      blocks bigint not null, raw_bytes bigint not null, stored_bytes bigint not null, chain bytea not null,
      first_kept bigint not null, chain_before bytea not null, open_first bigint not null,
      open_before bytea not null, crc bigint not null, import_last bigint, owner bigint)
    """,
    """
    create table if not exists block(
      log bigint not null, first bigint not null, count bigint not null, raw bigint not null,
      t0 bigint not null, t1 bigint not null, bytes bytea not null, primary key(log, first))
      partition by hash(log)
    """,
    "create index if not exists block_time on block(log, t0)",
    """
    create table if not exists snapshot(
      log bigint not null, revision bigint not null, time_ms bigint not null, hash bytea not null,
      keys bytea not null, bytes bytea not null, primary key(log, revision))
    """,
    """
    create table if not exists part(
      log bigint not null, key bytea not null, bytes bytea not null, primary key(log, key))
    """,
    """
    create table if not exists damage(
      n bigint generated always as identity primary key, found timestamptz not null default now(),
      log bigint not null, first bigint not null, last bigint not null, what text not null,
      place text not null)
    """,
  ]

  /// The bytes are packed already: to compress them again takes time and gains nothing.
  private static func external(_ table: String) -> [String] {
    ["alter table \(table) alter column bytes set storage external"]
  }

  /// Makes the frame tables of a slot where they are missing. `create table if not exists` needs the right to make
  /// tables also where they are there.
  static func makeFrameTables(_ transaction: SealingTransaction, slot: Int64) throws(LogError) {
    let last = frameTable(slot: slot, segment: frameTables - 1)
    let isThere = try transaction.run([Query("select 1 where to_regclass($1) is not null", .text(last))])[0]
    guard isThere.isEmpty else { return }
    try transaction.run(Self.frameTables(slot: slot).map { Query($0) })
  }

  /// The frame tables of a slot. Their rows are never dead: they only go with all others, so that vacuum
  /// would only write them once more.
  static func frameTables(slot: Int64) -> [String] {
    (0..<frameTables).flatMap { index -> [String] in
      let table = frameTable(slot: slot, segment: index)
      return [
        """
        create table if not exists \(table)(
          incarnation bigint not null, number bigint not null, segment bigint not null,
          bytes bytea not null, primary key(incarnation, number))
          with (autovacuum_enabled = off, toast.autovacuum_enabled = off)
        """
      ] + external(table)
    }
  }
}
