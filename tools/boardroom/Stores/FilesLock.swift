import EventLog
import EventLogModel

/// Keeps other servers off the folder beside a database, with keys, the secret of webhooks and events that endpoints were
/// never told. A data folder has a lock of its store.
struct FilesLock {
  private let file: any DiskFile

  init(folder: String) throws {
    do throws(LogError) { file = try SystemDisk().lock(folder + "/files.lock") } catch {
      guard case .locked(let path) = error else { throw error }
      throw Failure(
        .busy, "Another server keeps its keys in \(folder).",
        "Stop it, or give this one a folder of its own with --files.", at: path, code: "locked")
    }
  }

  func release() { file.close() }
}
