import EventLogFormat
import EventLogModel

/// What is known of a data folder besides its database: the file `MANIFEST`, so that an empty, foreign or older database
/// is never taken for the folder's own. docs/FORMAT.md, "Manifest", is the reference.
///
/// The database is settled before the manifest is written. So in a folder with a manifest nothing is only in
/// the database's write-ahead log.
struct Manifest: Sendable, Hashable {
  /// The identity of the store, as in the database and in every journal segment.
  var store: [UInt8]
  /// When the folder's first manifest was written.
  var created: Timestamp
  /// The highest number that a log has had.
  var logs: UInt64
  /// The first journal segment that was needed: the database never knows of an earlier one.
  var oldestSegment: UInt64
  /// The last journal frame known to be durable when this was written.
  var frame: UInt64

  static let name = "MANIFEST"
  private static let title = "boardroom data folder 1"

  var encoded: [UInt8] {
    let text = Self.lines(
      [
        Self.title, "store \(LogID(bytes: store)?.description ?? "")", "created \(created.milliseconds)",
        "logs \(logs)",
        "segment \(oldestSegment)", "frame \(frame)",
      ])
    return Array((text + "checksum \(Self.checksum(text))\n").utf8)
  }

  /// - Throws: `.damaged` for anything but what `encoded` gave.
  init(reading bytes: [UInt8], place: String) throws(LogError) {
    let damage = LogError.damaged(Damage(what: "the manifest is not what was written", place: place))
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    )
    .map(String.init)
    guard lines.count == 8, lines[0].hasPrefix("boardroom data folder "), lines[7].isEmpty else {
      throw damage
    }
    let text = Self.lines(Array(lines[..<6]))
    guard lines[6] == "checksum \(Self.checksum(text))" else { throw damage }
    guard lines[0] == Self.title else {
      throw .incompatible(path: place, found: lines[0], supported: Self.title)
    }
    func value(_ line: Int, _ name: String) -> String? {
      lines[line].hasPrefix(name + " ") ? String(lines[line].dropFirst(name.count + 1)) : nil
    }
    guard let store = value(1, "store").flatMap(LogID.init),
      let created = value(2, "created").flatMap(Int64.init),
      let logs = value(3, "logs").flatMap(UInt64.init),
      let segment = value(4, "segment").flatMap(UInt64.init),
      let frame = value(5, "frame").flatMap(UInt64.init)
    else { throw damage }
    self.init(
      store: store.bytes, created: Timestamp(milliseconds: created), logs: logs, oldestSegment: segment,
      frame: frame)
    guard encoded == bytes else { throw damage }
  }

  init(store: [UInt8], created: Timestamp, logs: UInt64, oldestSegment: UInt64, frame: UInt64) {
    self.store = store
    self.created = created
    self.logs = logs
    self.oldestSegment = oldestSegment
    self.frame = frame
  }

  private static func lines(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

  private static func checksum(_ text: String) -> String {
    let digits = String(CRC32C.of(Array(text.utf8)), radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}

/// The manifest of one folder.
struct ManifestFile: Sendable {
  let disk: any Disk
  let folder: String
  var path: String { folder + "/" + Manifest.name }

  /// The manifest; `nil` where there is none. Throws `.damaged` when it is not what was written.
  func read() throws(LogError) -> Manifest? {
    guard try disk.list(folder).contains(Manifest.name) else { return nil }
    let file = try disk.open(path, create: false, readOnly: true)
    defer { file.close() }
    return try Manifest(reading: try file.readAll(), place: path)
  }

  /// Whether there is a manifest and it is as it was written.
  func isWhole() throws(LogError) -> Bool {
    do throws(LogError) { return try read() != nil } catch {
      guard case .damaged = error else { throw error }
      return false
    }
  }

  /// Replaces the manifest, durably. At any moment the file is the old one or the new one.
  func write(_ manifest: Manifest) throws(LogError) {
    let fresh = path + ".new"
    let file = try disk.open(fresh, create: true, readOnly: false)
    do throws(LogError) {
      let bytes = manifest.encoded
      try file.truncate(to: 0)
      try file.write(bytes, at: 0)
      try file.flush()
    } catch {
      file.close()
      throw error
    }
    file.close()
    try disk.rename(fresh, to: path)
    try disk.flushFolder(folder)
  }
}

extension Manifest {
  /// What the folder's other parts should have and do not have, by the manifest.
  ///
  /// - Parameters:
  ///   - oldest: the first journal segment needed, as the database says.
  ///   - logs: the highest log number in database and journal.
  func missing(store: [UInt8], oldest: UInt64, logs: UInt64, in folder: String) -> [Damage] {
    let database = folder + "/" + SealedStore.fileName
    guard store == self.store else {
      return [
        Damage(what: "the database is another folder's: the manifest names another store", place: database)
      ]
    }
    var found: [Damage] = []
    if oldest < oldestSegment {
      let what =
        "the database is older than the manifest: it knows journal segments up to \(oldest), the manifest \(oldestSegment)"
      found.append(Damage(what: what, place: database))
    }
    if logs < self.logs {
      let what = "logs are missing: the manifest knows \(self.logs), database and journal \(logs)"
      found.append(Damage(what: what, place: database))
    }
    return found
  }
}
