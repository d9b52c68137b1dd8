import EventLogFormat
import EventLogModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A SQLite file as bare pages, for when SQLite itself cannot read it. Pages that a WAL beside it holds in a
/// newer form can be seen through it.
///
/// File formats: sqlite.org/fileformat2.html, sections 1.3 (pages), 1.6 (cells, overflow), 4.1 (WAL).
final class PageFile {
  /// Which form of a page to read, where the WAL has one.
  enum PageVersion: Sendable, Hashable { case newest, mainFileOnly }

  /// All our files have this page size; a destroyed header cannot say another.
  static let pageSize = 4_096

  let path: String
  private let file: Int32
  private let wal: Int32
  private(set) var pageCount: Int
  /// Offsets of the newest committed form of pages in the WAL.
  private(set) var walPages: [Int: Int] = [:]

  init(path: String) throws(LogError) {
    self.path = path
    file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .io(operation: "open", path: path, code: errno) }
    wal = open(path + "-wal", O_RDONLY | O_CLOEXEC)
    pageCount = (Int(lseek(file, 0, SEEK_END)) + PageFile.pageSize - 1) / PageFile.pageSize
    if wal >= 0 { indexWAL() }
    pageCount = max(pageCount, walPages.keys.max() ?? 0)
  }

  deinit {
    close(file)
    if wal >= 0 { close(wal) }
  }

  /// A page; missing bytes of a shortened file are zero. Pages count from 1.
  func page(_ number: Int, _ view: PageVersion) -> [UInt8] {
    if view == .newest, let offset = walPages[number] { return read(wal, at: offset, PageFile.pageSize) }
    return read(file, at: (number - 1) * PageFile.pageSize, PageFile.pageSize)
  }

  private func read(_ file: Int32, at offset: Int, _ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    _ = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, count, off_t(offset)) }
    return bytes
  }

  /// Collects the pages of all whole transactions of the WAL, as SQLite's own recovery does.
  private func indexWAL() {
    let header = read(wal, at: 0, 32)
    let magic = bigEndian(header, 0)
    guard magic & ~1 == 0x377F_0682, bigEndian(header, 8) == UInt32(PageFile.pageSize) else { return }
    var sum = WALChecksum(isBigEndian: magic & 1 == 1)
    sum.add(header[..<24])
    guard sum.matches(header, at: 24) else { return }
    let frameLength = 24 + PageFile.pageSize
    var open: [Int: Int] = [:]
    var offset = 32
    let end = Int(lseek(wal, 0, SEEK_END))
    while offset + frameLength <= end {
      let frame = read(wal, at: offset, frameLength)
      guard frame[8..<16] == header[16..<24] else { return }
      sum.add(frame[..<8])
      sum.add(frame[24...])
      guard sum.matches(frame, at: 16) else { return }
      open[Int(bigEndian(frame, 0))] = offset + 24
      if bigEndian(frame, 4) > 0 {
        walPages.merge(open) { _, new in new }
        open = [:]
      }
      offset += frameLength
    }
  }
}

func bigEndian(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
  bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
}

/// The running checksum of a WAL.
private struct WALChecksum {
  let isBigEndian: Bool
  private var first: UInt32 = 0
  private var second: UInt32 = 0

  init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

  mutating func add(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { buffer in
      for offset in stride(from: 0, to: buffer.count - 7, by: 8) {
        first = first &+ word(buffer, offset) &+ second
        second = second &+ word(buffer, offset + 4) &+ first
      }
    }
  }

  private func word(_ buffer: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    let word = buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
  }

  func matches(_ bytes: [UInt8], at offset: Int) -> Bool {
    bigEndian(bytes, offset) == first && bigEndian(bytes, offset + 4) == second
  }
}
