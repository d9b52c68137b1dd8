import EventLogFormat
import EventLogModel

/// The file `COMMITTED`. After each commit it notes how far the journal is durable. If the journal later ends
/// before that, acknowledged events were lost, and it is not taken for a journal whose last frame was cut
/// short.
///
/// It is evidence and nothing else. It is written after the flush of a frame, and is not flushed each time.
/// So it never says too much: after a killed process it is exact, after a power cut it may be older. If it
/// cannot be written or read, less is known, and nothing else is wrong.
///
/// Used by one thread at a time: the one that opens the store, then the commit thread.
final class CommitMarkFile: @unchecked Sendable {
  static let name = "COMMITTED"

  private let store: [UInt8]
  private var file: (any DiskFile)?

  private init(store: [UInt8], file: any DiskFile) {
    self.store = store
    self.file = file
  }

  /// The last frame that was durable, by the folder's file; `nil` if the file does not say it.
  static func frame(in folder: String, of store: [UInt8], on disk: any Disk) -> UInt64? {
    do throws(LogError) {
      guard try disk.list(folder).contains(name) else { return nil }
      let file = try disk.open(folder + "/" + name, create: false, readOnly: true)
      defer { file.close() }
      return CommitMark.newest(in: try file.readAll(), store: store)?.frame
    } catch {
      return nil
    }
  }

  /// Begins the file again at `frame`, whatever it said before, because a loss has been accepted. If that
  /// fails for lack of space or of open files, returns `nil` and removes the file.
  static func begin(
    in folder: String, of store: [UInt8], at frame: UInt64, on disk: any Disk
  ) throws(LogError) -> CommitMarkFile? {
    let path = folder + "/" + name
    do throws(LogError) {
      let file = try disk.open(path, create: true, readOnly: false)
      do throws(LogError) {
        let mark = CommitMark(store: store, frame: frame)
        var bytes = [UInt8](repeating: 0, count: CommitMark.fileBytes)
        bytes.replaceSubrange(mark.offset..<mark.offset + CommitMark.length, with: mark.encoded)
        try file.truncate(to: bytes.count)
        try file.write(bytes, at: 0)
        try file.flush()
      } catch {
        file.close()
        throw error
      }
      return CommitMarkFile(store: store, file: file)
    } catch {
      guard ErrorNumber.canPass(error) else { throw error }
      if try disk.list(folder).contains(name) { try disk.unlink(path) }
      return nil
    }
  }

  /// Notes that `frame` is durable. After a failure nothing is noted any more.
  func note(_ frame: UInt64) {
    guard let file else { return }
    let mark = CommitMark(store: store, frame: frame)
    do throws(LogError) { try file.write(mark.encoded, at: mark.offset) } catch { close() }
  }

  /// Makes durable what was noted.
  func flush() {
    do throws(LogError) { try file?.flush() } catch { close() }
  }

  func close() {
    file?.close()
    file = nil
  }
}
