import EventLogModel

/// The file calls that the store needs. A test implements them on a simulated disk.
///
/// Every failure is `LogError.io` with the call's name, the path and `errno`. Nothing is durable before
/// `DiskFile.flush` (content) or `flushFolder` (names) has returned.
package protocol Disk: Sendable {
  /// Makes a folder and the folders above it; content if it is there.
  func makeFolder(_ path: String) throws(LogError)
  /// Names in a folder, in no order.
  func list(_ folder: String) throws(LogError) -> [String]
  /// Opens a file for reading and, unless `readOnly`, writing. With `create` it is made if missing.
  func open(_ path: String, create: Bool, readOnly: Bool) throws(LogError) -> any DiskFile
  func rename(_ path: String, to new: String) throws(LogError)
  func unlink(_ path: String) throws(LogError)
  /// Bytes of the file of this name; nil where there is none. Opens nothing, because closing any descriptor
  /// of a file releases all POSIX locks that SQLite's connections in this process hold on it.
  func size(of path: String) throws(LogError) -> Int?
  /// Makes the names in a folder durable.
  func flushFolder(_ path: String) throws(LogError)
  /// Takes the one write right on a folder by locking a file in it, until the result is closed.
  /// Throws `locked` while someone else holds it.
  func lock(_ path: String) throws(LogError) -> any DiskFile
  /// Whether the file is still the one at its path: its folder may have been moved or removed, or another
  /// file system mounted over it. True where that cannot be known.
  func isInPlace(_ file: any DiskFile) -> Bool
  /// The name under which SQLite knows an `sqlite3_vfs` of these files; nil for the operating system's.
  var databaseFiles: String? { get }
}

extension Disk {
  package var databaseFiles: String? { nil }
  package func isInPlace(_ file: any DiskFile) -> Bool { true }
}

/// An open file.
package protocol DiskFile: AnyObject, Sendable {
  var path: String { get }
  /// Writes up to all of `bytes` and returns how many.
  func pwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogError) -> Int
  /// Reads up to all of `bytes` and returns how many; fewer at the end of the file.
  func pread(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(LogError) -> Int
  /// `fdatasync`, or what makes content and length durable on this system.
  func flush() throws(LogError)
  func truncate(to length: Int) throws(LogError)
  func size() throws(LogError) -> Int
  func close()
}

extension DiskFile {
  /// Writes all of `bytes`, going on after short writes.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = try pwrite(rest, at: offset + done)
      guard count > 0 else { throw .io(operation: "pwrite", path: path, code: ErrorNumber.io) }
      done += count
    }
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(LogError) {
    var failure: LogError?
    bytes.withUnsafeBytes { raw in
      do throws(LogError) { try write(raw, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Bytes from `offset` on; fewer than `count` at the end of the file.
  func read(_ count: Int, at offset: Int) throws(LogError) -> [UInt8] {
    var failure: LogError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      let raw = UnsafeMutableRawBufferPointer(buffer)
      do throws(LogError) {
        while done < count {
          let got = try pread(into: UnsafeMutableRawBufferPointer(rebasing: raw[done...]), at: offset + done)
          guard got > 0 else { return }
          done += got
        }
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  /// The whole file.
  func readAll() throws(LogError) -> [UInt8] { try read(try size(), at: 0) }
}
