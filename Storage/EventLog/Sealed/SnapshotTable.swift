import EventLogFormat
import EventLogModel

extension SealedStore {
  /// Stores a snapshot of a log that is in the catalog; a part whose key is stored already is not written
  /// again, and one without bytes only names a stored part.
  ///
  /// Removes older snapshots by the rule of `snapshotKeeping`, and the parts that no other snapshot names.
  /// Throws `.deleted`, and `.missingPart` for a part that is named and not stored.
  func put(_ snapshot: Snapshot, number: UInt64) throws(LogError) {
    let keeping = snapshotKeeping
    try writing { database throws(LogError) in
      guard let entry = try CatalogEntry.load(number, from: database) else {
        throw .damaged(
          Damage(what: "a snapshot of log number \(number), which is not in the catalog", place: path))
      }
      guard entry.state == .live else { throw .deleted(entry.row.log) }
      let table = SnapshotTable(database: database, number: number)
      try table.insert(snapshot, of: entry.row.log)
      guard keeping == .thinned else { return }
      let stays = SnapshotThinning.kept(of: try table.revisions())
      try table.drop { revision, _ in !stays.contains(revision) }
    }
  }
}

/// Which snapshots stay as a log grows.
package enum SnapshotThinning {
  /// Of rising revisions, those that stay: the newest two, the oldest, and fewer and fewer between them, so
  /// that the distance from the newest at least doubles with every second one.
  package static func kept(of revisions: [Revision]) -> Set<Revision> {
    guard let newest = revisions.last else { return [] }
    var kept = Array(revisions.suffix(2).reversed())
    let older = Array(revisions.dropLast(2).reversed())
    for (index, revision) in older.enumerated() {
      guard index + 1 < older.count, let newer = kept.last else {
        kept.append(revision)
        continue
      }
      if newest - older[index + 1] > 2 * (newest - newer) { kept.append(revision) }
    }
    return Set(kept)
  }
}

/// The snapshots and parts of one log.
struct SnapshotTable {
  let database: SQLiteConnection
  let number: UInt64

  func revisions() throws(LogError) -> [Revision] {
    let bounds = BlockKey.bounds(number)
    return try database.statement("SELECT id FROM snap WHERE id BETWEEN ? AND ? ORDER BY id").all(
      bounds.lower, bounds.upper
    ) { BlockKey.revision($0.integer(0)) }
  }

  func insert(_ snapshot: Snapshot, of log: LogID) throws(LogError) {
    for part in snapshot.parts { try store(part, of: log) }
    let keys = snapshot.parts.flatMap(\.key)
    let head = SnapshotHead(
      revision: snapshot.revision, time: snapshot.time, hash: snapshot.stateHash, keys: keys)
    try database.statement("INSERT OR REPLACE INTO snap(id, t, hash, keys, root) VALUES(?, ?, ?, ?, ?)").run(
      BlockKey.value(number, snapshot.revision), .integer(snapshot.time.milliseconds),
      .blob(snapshot.stateHash), .blob(keys), .blob(Piece.encode(snapshot.root, seed: head.seed(log))))
  }

  private func store(_ part: SnapshotPart, of log: LogID) throws(LogError) {
    precondition(part.key.count == SnapshotHead.keyLength, "a snapshot part's key has 16 bytes")
    let known = try database.statement("SELECT 1 FROM part WHERE log = ? AND key = ?").first(
      .bits(number), .blob(part.key)
    ) { _ in true }
    guard known == nil else { return }
    guard !part.bytes.isEmpty else { throw .missingPart(log, key: SnapshotHead.hex(part.key)) }
    try database.statement("INSERT INTO part(log, key, d) VALUES(?, ?, ?)").run(
      .bits(number), .blob(part.key),
      .blob(Piece.encode(part.bytes, seed: SnapshotHead.partSeed(log, part.key))))
  }

  /// Removes the snapshots that `isDoomed` picks, and the parts that no snapshot left names.
  func drop(where isDoomed: (Revision, [UInt8]) -> Bool) throws(LogError) {
    let bounds = BlockKey.bounds(number)
    let all = try database.statement("SELECT id, keys FROM snap WHERE id BETWEEN ? AND ?").all(
      bounds.lower, bounds.upper
    ) { (id: $0.integer(0), keys: $0.bytes(1)) }
    let doomed = all.filter { isDoomed(BlockKey.revision($0.id), $0.keys) }
    guard !doomed.isEmpty else { return }
    let doomedIDs = Set(doomed.map(\.id))
    let stillNamed = Set(all.filter { !doomedIDs.contains($0.id) }.flatMap { SnapshotHead.split($0.keys) })
    for snapshot in doomed {
      try database.statement("DELETE FROM snap WHERE id = ?").run(.integer(snapshot.id))
    }
    for key in Set(doomed.flatMap { SnapshotHead.split($0.keys) }).subtracting(stillNamed) {
      try database.statement("DELETE FROM part WHERE log = ? AND key = ?").run(.bits(number), .blob(key))
    }
  }

  /// How many parts no snapshot names.
  func unnamedParts() throws(LogError) -> Int {
    let bounds = BlockKey.bounds(number)
    let named = try database.statement("SELECT keys FROM snap WHERE id BETWEEN ? AND ?").all(
      bounds.lower, bounds.upper
    ) { SnapshotHead.split($0.bytes(0)) }
    let stored = try database.statement("SELECT key FROM part WHERE log = ?").all(.bits(number)) {
      $0.bytes(0)
    }
    return Set(stored).subtracting(named.joined()).count
  }

  /// The newest snapshot at or below `limit`, `nil` when there is none. Throws when it cannot be read.
  func newest(notAfter limit: Revision, of log: LogID) throws(LogError) -> Snapshot? {
    let lower = BlockKey.bounds(number).lower
    return try database.statement(
      "SELECT id, t, hash, keys, root FROM snap WHERE id <= ? AND id >= ? ORDER BY id DESC LIMIT 1"
    ).first(BlockKey.value(number, limit), lower) { row throws(LogError) in
      let head = SnapshotHead(
        revision: BlockKey.revision(row.integer(0)), time: Timestamp(milliseconds: row.integer(1)),
        hash: row.bytes(2), keys: row.bytes(3))
      let root = try decode(
        row.borrowed(4), seed: head.seed(log), "the root of a snapshot", log, head.revision)
      var parts: [SnapshotPart] = []
      for key in SnapshotHead.split(head.keys) { parts.append(try part(key, of: log, head.revision)) }
      return Snapshot(
        revision: head.revision, time: head.time, stateHash: head.hash, root: root, parts: parts)
    }
  }

  /// Makes the checks of a read of one snapshot: of its root, and of those parts that are not in `proved`
  /// yet; adds these to `proved`. Snapshots of one log share nearly all of their parts.
  ///
  /// - Throws: the errors of a read: `.missingPart`, `.damaged`.
  func prove(_ revision: Revision, of log: LogID, proved: inout Set<[UInt8]>) throws(LogError) {
    let keys = try database.statement("SELECT id, t, hash, keys, root FROM snap WHERE id = ?").first(
      BlockKey.value(number, revision)
    ) { row throws(LogError) in
      let head = SnapshotHead(
        revision: revision, time: Timestamp(milliseconds: row.integer(1)), hash: row.bytes(2),
        keys: row.bytes(3))
      _ = try decode(row.borrowed(4), seed: head.seed(log), "the root of a snapshot", log, revision)
      return head.keys
    }
    for key in SnapshotHead.split(keys ?? []) where !proved.contains(key) {
      _ = try part(key, of: log, revision)
      proved.insert(key)
    }
  }

  private func part(_ key: [UInt8], of log: LogID, _ revision: Revision) throws(LogError) -> SnapshotPart {
    let bytes = try database.statement("SELECT d FROM part WHERE log = ? AND key = ?").first(
      .bits(number), .blob(key)
    ) { row throws(LogError) in
      try decode(
        row.borrowed(0), seed: SnapshotHead.partSeed(log, key), "a part of a snapshot", log, revision)
    }
    guard let bytes else { throw .missingPart(log, key: SnapshotHead.hex(key)) }
    return SnapshotPart(key: key, bytes: bytes)
  }

  private func decode(
    _ piece: UnsafeRawBufferPointer, seed: UInt32, _ what: String, _ log: LogID, _ revision: Revision
  ) throws(LogError) -> [UInt8] {
    do throws(WireError) { return try Piece.decode(piece, seed: seed) } catch {
      throw .damaged(Damage(what: "\(what) at revision \(revision)", place: database.path, log: log))
    }
  }
}
