import EventLogModel
import Synchronization

/// Files that wait to become journal segments: written with zeros once, later recycled. To overwrite written
/// space and flush takes a third of the time of an append, because the file's length does not change.
final class SpareShelf: Sendable {
  private struct Contents {
    var numbers: [UInt64] = []
    var nextNumber: UInt64 = 1
  }

  private let disk: any Disk
  private let folder: JournalFolder
  private let segmentBytes: Int
  private let wanted: Int
  private let contents = Mutex(Contents())

  init(disk: any Disk, folder: JournalFolder, segmentBytes: Int, wanted: Int) {
    self.disk = disk
    self.folder = folder
    self.segmentBytes = segmentBytes
    self.wanted = wanted
  }

  var count: Int { contents.withLock { $0.numbers.count } }
  var isShort: Bool { count < wanted }

  /// Takes the spare files and the unneeded segments that an earlier process left.
  func adopt(names: [String], obsolete: [UInt64]) throws(LogError) {
    for name in names {
      if JournalFolder.isDraft(name) { try disk.unlink(folder.path + "/" + name) }
      guard let number = JournalFolder.spareNumber(name) else { continue }
      contents.withLock { $0.nextNumber = max($0.nextNumber, number + 1) }
      try shelve(folder.spare(number), number: number)
    }
    for number in obsolete { try recycle(segment: number, flushing: false) }
    try disk.flushFolder(folder.path)
  }

  /// The path of a spare, which is the caller's from now on; `nil` if there is none.
  func takeSpare() -> String? {
    let number = contents.withLock { $0.numbers.popLast() }
    return number.map { folder.spare($0) }
  }

  /// Gives back a spare that was taken and not used.
  func giveBack(_ path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    if let number = JournalFolder.spareNumber(name) { contents.withLock { $0.numbers.append(number) } }
  }

  /// Makes one spare: zeros, flushed. Throws `full` when there is no space.
  ///
  /// The file gets its name last. A file whose flush has failed looks whole while the system runs. As a
  /// segment it could be cut short by a power cut long after its frames were flushed.
  func make() throws(LogError) {
    let number = newNumber()
    let draft = folder.draft(number)
    do throws(LogError) {
      try write(draft)
      try disk.rename(draft, to: folder.spare(number))
      try disk.flushFolder(folder.path)
    } catch {
      // The file only takes space. If it cannot be removed, the first error already says why.
      try? disk.unlink(draft)
      throw ErrorNumber.asFull(error, in: folder.path)
    }
    contents.withLock { $0.numbers.append(number) }
  }

  private func write(_ draft: String) throws(LogError) {
    let file = try disk.open(draft, create: true, readOnly: false)
    defer { file.close() }
    try fill(file)
    try file.flush()
  }

  private func fill(_ file: any DiskFile) throws(LogError) {
    let zeros = [UInt8](repeating: 0, count: min(segmentBytes, 256 << 10))
    var offset = 0
    while offset < segmentBytes {
      let count = min(zeros.count, segmentBytes - offset)
      try file.write(count == zeros.count ? zeros : Array(zeros[..<count]), at: offset)
      offset += count
    }
  }

  /// Turns a segment that nothing needs any more into a spare, or removes it when there are enough.
  func recycle(segment: UInt64, flushing: Bool = true) throws(LogError) {
    if isShort {
      let number = newNumber()
      try disk.rename(folder.segment(segment), to: folder.spare(number))
      do throws(LogError) {
        // The old name must be gone before the content is written over.
        if flushing { try disk.flushFolder(folder.path) }
        try shelve(folder.spare(number), number: number)
      } catch {
        // No file can be opened now. A spare is made later, and the file under its old name is unchanged.
        guard ErrorNumber.canPass(error) else { throw error }
        try disk.unlink(folder.spare(number))
      }
    } else {
      try disk.unlink(folder.segment(segment))
    }
  }

  /// Removes a segment that nothing needs any more, so that its content does not stay in a spare file.
  func remove(segment: UInt64) throws(LogError) { try disk.unlink(folder.segment(segment)) }

  /// Removes all spares, because they still hold the content of their earlier use.
  func removeSpares() throws(LogError) {
    while let spare = takeSpare() { try disk.unlink(spare) }
    try disk.flushFolder(folder.path)
  }

  private func shelve(_ path: String, number: UInt64) throws(LogError) {
    let file = try disk.open(path, create: false, readOnly: true)
    let size: Int
    do throws(LogError) { size = try file.size() } catch {
      file.close()
      throw error
    }
    file.close()
    guard size == segmentBytes, isShort else { return try disk.unlink(path) }
    contents.withLock { $0.numbers.append(number) }
  }

  private func newNumber() -> UInt64 {
    contents.withLock { contents in
      defer { contents.nextNumber += 1 }
      return contents.nextNumber
    }
  }
}
