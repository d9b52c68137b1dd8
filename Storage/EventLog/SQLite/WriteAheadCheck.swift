import EventLogModel

/// Checks the database's write-ahead log before SQLite reads it. SQLite takes the first frame with a wrong
/// checksum for the end of the log, and drops everything after it without an error
/// (sqlite.org/fileformat2.html, section 4).
///
/// A frame that a power cut left half written looks the same, but nothing follows it: every transaction is synced before
/// the next one is written. So a bad frame is damage when a transaction behind it was begun.
struct WriteAheadCheck {
  let disk: any Disk
  let folder: String

  private static let headerLength = 32
  private static let frameHeaderLength = 24
  /// How often damage must be seen at the same place, because a server may be writing there.
  private static let attempts = 3

  struct WALDamage: Hashable {
    var damage: Damage
    /// Whether the frames before the damage are one whole state of the database, from which the journal can
    /// go on.
    var isSafe: Bool
  }

  /// The first damaged frame; `nil` when there is none, or no file.
  func run() throws(LogError) -> WALDamage? {
    guard try disk.list(folder).contains(SealedStore.fileName + "-wal") else { return nil }
    var seen: WALDamage?
    for _ in 0..<Self.attempts {
      let found = try look()
      guard let found, seen == nil || seen == found else { return nil }
      seen = found
    }
    return seen
  }

  private func look() throws(LogError) -> WALDamage? {
    let path = folder + "/" + SealedStore.fileName + "-wal"
    let file = try disk.open(path, create: false, readOnly: true)
    defer { file.close() }
    let size = try file.size()
    guard size >= Self.headerLength else { return nil }
    let header = try read(file, at: 0, Self.headerLength)
    guard let page = pageSize(header) else {
      let damage = Damage(what: "the header of the write-ahead log is not one", place: path, offset: 0)
      return WALDamage(damage: damage, isSafe: true)
    }
    var walk = Walk(header: header, isBigEndian: header[3] & 1 == 1)
    let length = Self.frameHeaderLength + page
    var (offset, number) = (Self.headerLength, 0)
    while offset + length <= size {
      number += 1
      walk.check(try read(file, at: offset, length), number: number, at: offset)
      if walk.isOver { break }
      offset += length
    }
    guard let found = walk.damage(at: path) else { return nil }
    guard try !isSettling(walk.behind, page, file) else {
      let what = "\(found.what), and it was being settled: the database's pages are of different times"
      return WALDamage(damage: Damage(what: what, place: path, offset: found.offset), isSafe: false)
    }
    let what = "\(found.what); what they hold is taken from the journal"
    return WALDamage(damage: Damage(what: what, place: path, offset: found.offset), isSafe: true)
  }

  /// Whether pages after the damaged frame are in the database's file already. SQLite would see only the
  /// older pages before the frame, and use them in place of the newer ones.
  private func isSettling(_ behind: [UInt32: Int], _ page: Int, _ file: any DiskFile) throws(LogError) -> Bool
  {
    let database = try disk.open(folder + "/" + SealedStore.fileName, create: false, readOnly: true)
    defer { database.close() }
    // A page behind the file's end is not there, even where the newer one is empty.
    let pages = try database.size() / page
    for (number, offset) in behind.sorted(by: { $0.key < $1.key }) where number > 0 && number <= pages {
      let there = try read(database, at: (Int(number) - 1) * page, page)
      if there == (try read(file, at: offset + Self.frameHeaderLength, page)) { return true }
    }
    return false
  }

  private func read(_ file: any DiskFile, at offset: Int, _ count: Int) throws(LogError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var failure: LogError?
    bytes.withUnsafeMutableBytes { raw in
      var done = 0
      do throws(LogError) {
        while done < count {
          let got = try file.pread(
            into: UnsafeMutableRawBufferPointer(rebasing: raw[done...]), at: offset + done)
          guard got > 0 else { return }
          done += got
        }
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  /// The page size of the log's header; `nil` if it is not a page size.
  private func pageSize(_ header: [UInt8]) -> Int? {
    let size = Int(header.bigEndian(at: 8))
    return size >= 512 && size <= 65_536 && size & (size - 1) == 0 ? size : nil
  }

  /// The walk over the frames.
  private struct Walk {
    private let isBigEndian: Bool
    private var salts: [UInt8]
    /// The value from which the next frame's checksum is computed: as the file has it, and as it should be.
    private var seeds: [Sum]
    private var bad: (number: Int, offset: Int)?
    /// Whether a frame of this use of the file since the bad one, or the bad one, ends a transaction.
    private var hasCommit = false
    /// Whether another transaction begins after the one with the bad frame.
    private var isProven = false
    /// Of each page the last whole frame behind the bad one: where it begins.
    private(set) var behind: [UInt32: Int] = [:]
    /// An earlier use of the file begins here.
    private(set) var isOver = false

    init(header: [UInt8], isBigEndian: Bool) {
      self.isBigEndian = isBigEndian
      salts = Array(header[16..<24])
      let computed = Sum(0, 0).adding(header[..<24], isBigEndian)
      let written = Sum(header.bigEndian(at: 24), header.bigEndian(at: 28))
      seeds = computed == written ? [computed] : [computed, written]
      if computed != written { bad = (0, 0) }
    }

    mutating func check(_ frame: [UInt8], number: Int, at offset: Int) {
      let written = Sum(frame.bigEndian(at: 16), frame.bigEndian(at: 20))
      let sums = seeds.map { $0.adding(frame[..<8], isBigEndian).adding(frame[24...], isBigEndian) }
      if number == 1, bad != nil, sums.contains(written) {
        // The header is damaged, perhaps in its salts; the first frame has the salts, too.
        salts = Array(frame[8..<16])
        isProven = true
      }
      let isOfThisUse = frame[8..<16].elementsEqual(salts)
      let isWhole = isOfThisUse && sums.contains(written)
      if bad != nil {
        if hasCommit, isOfThisUse || isWhole { isProven = true }
        guard isOfThisUse else { return isOver = true }
      } else if !isWhole {
        // A frame of an earlier use of the file, unless the frames after it continue from it.
        bad = (number, offset)
      }
      if bad != nil, frame.bigEndian(at: 4) != 0 { hasCommit = true }
      if bad != nil, isWhole { behind[frame.bigEndian(at: 0)] = offset }
      seeds = isWhole ? [written] : [written] + sums
    }

    func damage(at path: String) -> Damage? {
      guard isProven, let bad else { return nil }
      let what = bad.number == 0 ? "the header" : "frame \(bad.number)"
      return Damage(
        what: "\(what) of the write-ahead log fails its checksum, and whole transactions follow",
        place: path, offset: bad.offset)
    }
  }

  /// SQLite's checksum of its write-ahead log: a Fibonacci-weighted sum over pairs of 32-bit words.
  private struct Sum: Hashable {
    var first: UInt32
    var second: UInt32

    init(_ first: UInt32, _ second: UInt32) {
      self.first = first
      self.second = second
    }

    func adding(_ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) -> Sum {
      var sum = self
      bytes.withUnsafeBytes { raw in
        for at in stride(from: 0, to: raw.count, by: 8) {
          let first = raw.loadUnaligned(fromByteOffset: at, as: UInt32.self)
          let second = raw.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
          sum.first &+= (isBigEndian ? UInt32(bigEndian: first) : UInt32(littleEndian: first)) &+ sum.second
          sum.second &+= (isBigEndian ? UInt32(bigEndian: second) : UInt32(littleEndian: second)) &+ sum.first
        }
      }
      return sum
    }
  }
}

extension [UInt8] {
  fileprivate func bigEndian(at offset: Int) -> UInt32 {
    withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
  }
}
