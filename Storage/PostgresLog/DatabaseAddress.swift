import CPostgres
import EventLogModel

/// Where a database is: an address as libpq takes it, for instance `postgresql://user@host1,host2/name`.
struct DatabaseAddress: Sendable {
  private let text: String
  /// The same without user, password and options, for errors.
  let place: String

  /// Throws `incompatible` for a text that libpq cannot read, and for one of which it is not certain what is a
  /// password.
  init(_ text: String) throws(LogError) {
    let named = StorePlace(text)
    let options = named.isDatabase && named.isReadable ? PQconninfoParse(text, nil) : nil
    guard let options else {
      throw .incompatible(
        path: "The database's address", found: "an unknown form",
        supported: "postgresql://user@host/name, a password in it with % codes for @ and /")
    }
    PQconninfoFree(options)
    self.text = text
    place = named.description
  }

  /// Seconds until an attempt to connect to one host is given up; the least that libpq takes.
  private static let connectSeconds = 2
  /// Milliseconds after which sent bytes that nobody acknowledges end the connection.
  private static let silenceMilliseconds = 1_500

  /// Connects and returns the connection, good or bad. Blocks.
  func connect(name: String) -> OpaquePointer? {
    let options = [
      ("dbname", text), ("application_name", name), ("client_encoding", "UTF8"),
      ("connect_timeout", String(Self.connectSeconds)), ("target_session_attrs", "read-write"),
      ("tcp_user_timeout", String(Self.silenceMilliseconds)), ("keepalives_idle", "1"),
      ("keepalives_interval", "1"), ("keepalives_count", "2"),
    ]
    return Self.withStrings(options.map(\.0)) { keywords in
      // A `dbname` that is an address gives all of its parts; later entries win over them.
      Self.withStrings(options.map(\.1)) { values in PQconnectdbParams(keywords, values, 1) }
    }
  }

  /// Calls `body` with C strings, a null after the last.
  private static func withStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    var bytes: [CChar] = []
    var starts: [Int] = []
    for text in texts {
      starts.append(bytes.count)
      bytes += text.utf8CString
    }
    return bytes.withUnsafeBufferPointer { buffer in
      var pointers = starts.map { start in buffer.baseAddress.map { $0 + start } }
      pointers.append(nil)
      return pointers.withUnsafeBufferPointer { list in
        guard let first = list.baseAddress else { preconditionFailure("a list with a null has a place") }
        return body(first)
      }
    }
  }
}
