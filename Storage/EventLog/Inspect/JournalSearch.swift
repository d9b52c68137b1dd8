import EventLogFormat
import EventLogModel

/// All sound frames in all files that are or were part of the journal: segments that nothing needs any more,
/// spare files that have not been used again, and copies of damaged segments. Their events may be nowhere
/// else.
struct JournalSearch {
  /// A run of one log, and which frame of which use of a file had it.
  struct JournalPiece: Sendable {
    var segment: UInt64
    var frame: UInt64
    var run: Run
  }

  /// Runs by the number of their log, in the order of their frames.
  private(set) var pieces: [UInt64: [JournalPiece]] = [:]
  /// Logs whose creation was found, by their numbers.
  private(set) var created: [UInt64: (log: LogID, epoch: Epoch, time: Timestamp)] = [:]
  private(set) var deleted: Set<UInt64> = []
  private(set) var files = 0

  /// Reads the files of `folder` whose header names `store`.
  init(folder: String, store: [UInt8], disk: any Disk) throws(LogError) {
    for path in try Self.paths(in: folder, disk) { try read(path, store, disk) }
    for number in pieces.keys {
      pieces[number]?.sort { ($0.segment, $0.frame) < ($1.segment, $1.frame) }
    }
  }

  /// The store that most of a folder's journal files name; `nil` where no header can be read.
  static func store(of folder: String, disk: any Disk) throws(LogError) -> [UInt8]? {
    var count: [[UInt8]: Int] = [:]
    for path in try paths(in: folder, disk) {
      let file = try disk.open(path, create: false, readOnly: true)
      defer { file.close() }
      let bytes = try file.readAll()
      guard let header = bytes.withUnsafeBytes({ try? JournalSegmentHeader(reading: $0) }) else { continue }
      count[header.store, default: 0] += 1
    }
    return count.max { ($0.value, $1.key.description) < ($1.value, $0.key.description) }?.key
  }

  private static func paths(in folder: String, _ disk: any Disk) throws(LogError) -> [String] {
    var paths: [String] = []
    for name in ["journal", DamagedParts.name] {
      let place = folder + "/" + name
      guard try DurableFile(place, on: disk).exists() else { continue }
      paths += try disk.list(place).filter { $0.hasSuffix(".brj") }.sorted().map { place + "/" + $0 }
    }
    return paths
  }

  private mutating func read(_ path: String, _ store: [UInt8], _ disk: any Disk) throws(LogError) {
    let file = try disk.open(path, create: false, readOnly: true)
    defer { file.close() }
    let bytes = try file.readAll()
    bytes.withUnsafeBytes { raw in
      guard let header = try? JournalSegmentHeader(reading: raw), header.store == store else { return }
      files += 1
      var scan = JournalScan(segment: raw, header: header, previous: nil)
      while true {
        switch scan.next() {
        case .frame(let frame, at: _): for entry in frame.entries { add(entry, header.segment, frame.number) }
        case .gap: continue
        case .end, .unreadable: return
        }
      }
    }
  }

  private mutating func add(_ entry: JournalEntry, _ segment: UInt64, _ frame: UInt64) {
    switch entry {
    case .run(let number, let run):
      pieces[number, default: []].append(JournalPiece(segment: segment, frame: frame, run: run))
    case .created(let number, let log, let epoch, let time): created[number] = (log, epoch, time)
    case .deleted(let number, _): deleted.insert(number)
    case .low, .importing: break
    }
  }
}
