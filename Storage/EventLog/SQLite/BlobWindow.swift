import CSQLite
import EventLogModel

/// Looks into the blobs of one column, row after row, and reads only the pages that are asked for. To be used
/// inside `SQLiteConnection.reading`, and closed there.
final class BlobWindow {
  private var handle: OpaquePointer?
  private unowned let connection: SQLiteConnection

  fileprivate init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
    self.handle = handle
    self.connection = connection
  }

  deinit { close() }

  func close() {
    sqlite3_blob_close(handle)
    handle = nil
  }

  /// Looks at another row.
  func move(to row: Int64) throws(LogError) {
    let code = sqlite3_blob_reopen(handle, row)
    guard code == SQLITE_OK else { throw connection.error(code, operation: "look at a blob") }
  }

  /// Bytes of the blob; zeros where it is too short.
  func bytes(_ count: Int, at offset: Int) throws(LogError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard Int(sqlite3_blob_bytes(handle)) >= offset + count else { return bytes }
    let code = bytes.withUnsafeMutableBytes { buffer in
      sqlite3_blob_read(handle, buffer.baseAddress, Int32(count), Int32(offset))
    }
    guard code == SQLITE_OK else { throw connection.error(code, operation: "read a blob") }
    return bytes
  }
}

extension SQLiteConnection {
  /// A window on the blobs of a column, at first on this row's.
  func window(table: String, column: String, row: Int64) throws(LogError) -> BlobWindow {
    var blob: OpaquePointer?
    let code = sqlite3_blob_open(handle, "main", table, column, row, 0, &blob)
    guard code == SQLITE_OK, let blob else { throw error(code, operation: "open a blob") }
    return BlobWindow(blob, of: self)
  }
}
