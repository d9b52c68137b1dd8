import CPostgres
import EventLogModel
import Synchronization

/// Where a database is: an address as libpq takes it, for instance `postgresql://user@host1,host2/name`.
struct DatabaseAddress: Sendable {
  private let text: String
  /// The servers that it names, if it names several.
  private let servers: [ServerChoice.Server]
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
    servers = Self.servers(options)
    PQconninfoFree(options)
    self.text = text
    place = named.description
  }

  /// The highest timeline that was seen at each address by this process. It never falls: a standby is promoted onto a higher
  /// one.
  private static let timelines = Mutex<[String: Int64]>([:])

  /// Notes a server's timeline.
  func note(timeline: Int64) {
    Self.timelines.withLock { seen in seen[text] = max(timeline, seen[text] ?? 0) }
  }

  /// The highest timeline that was noted at this address; zero before the first.
  var newestTimeline: Int64 { Self.timelines.withLock { $0[text] ?? 0 } }

  /// Whether it names several servers.
  var hasChoice: Bool { servers.count > 1 }

  /// The error of a database that takes nothing at present, because nobody answers.
  var silent: LogError { .full(place: place, isSilent: true) }

  /// Seconds until an attempt to connect to one host is given up; the least that libpq takes.
  private static let connectSeconds = 2
  /// Milliseconds after which sent bytes that nobody acknowledges end the connection.
  private static let silenceMilliseconds = 1_500

  /// Host, address and port may be lists, of one length or with one value for all.
  private static func servers(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [ServerChoice.Server] {
    var lists: [(keyword: String, values: [String])] = []
    var option = options
    while let keyword = option.pointee.keyword {
      let name = String(cString: keyword)
      if ["host", "hostaddr", "port"].contains(name), let value = option.pointee.val {
        let values = String(cString: value).split(separator: ",", omittingEmptySubsequences: false)
        lists.append((name, values.map(String.init)))
      }
      option += 1
    }
    let count = lists.map(\.values.count).max() ?? 0
    guard count > 1, lists.allSatisfy({ [1, count].contains($0.values.count) }) else { return [] }
    return (0..<count).map { index in
      lists.map { ($0.keyword, $0.values.count == 1 ? $0.values[0] : $0.values[index]) }
    }
  }

  /// Connects and returns the connection, good or bad. Blocks.
  func connect(name: String) -> OpaquePointer? {
    guard !servers.isEmpty else { return Self.connect(options(name: name)) { PQconnectdbParams($0, $1, 1) } }
    let choice = ServerChoice(limit: Self.connectSeconds * 1_000) { server in
      Self.connect(options(name: name) + server) { PQconnectStartParams($0, $1, 1) }
    }
    return choice.connect(to: servers.flatMap(ServerChoice.addresses))
  }

  private func options(name: String) -> [(keyword: String, value: String)] {
    [
      ("dbname", text), ("application_name", name), ("client_encoding", "UTF8"),
      ("connect_timeout", String(Self.connectSeconds)), ("target_session_attrs", "read-write"),
      ("tcp_user_timeout", String(Self.silenceMilliseconds)), ("keepalives_idle", "1"),
      ("keepalives_interval", "1"), ("keepalives_count", "2"),
    ]
  }

  private typealias TextList = UnsafePointer<UnsafePointer<CChar>?>

  /// A `dbname` that is an address gives all of its parts; later entries win over them.
  private static func connect(
    _ options: [(keyword: String, value: String)], by call: (TextList, TextList) -> OpaquePointer?
  ) -> OpaquePointer? {
    withStrings(options.map(\.keyword)) { keywords in
      withStrings(options.map(\.value)) { values in call(keywords, values) }
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
