import CPostgres

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Connects to all servers that an address names at once, and keeps the connection to one that takes writes.
///
/// Two may take them: an old primary that goes on, or was started again as a primary, after another one was promoted. It has
/// no standby, so it acknowledges nothing; but who stays with it waits for ever. Each promotion begins a new timeline, so the
/// one with the highest is right.
struct ServerChoice {
  /// What of libpq's keywords is another one for each server: host, address, port.
  typealias Server = [(keyword: String, value: String)]

  /// Milliseconds until servers that do not answer are given up.
  let limit: Int
  /// Begins to connect to one server.
  let start: (Server) -> OpaquePointer?

  /// How long after the first server that takes writes others are waited for, in milliseconds: an old primary and the new one
  /// are both alive, and answer as fast.
  private static let grace = 300
  /// How long a server may take to name its timeline, in milliseconds.
  private static let patience = 1_000

  private struct PendingServer {
    var connection: OpaquePointer
    var waitsFor: PostgresPollingStatusType = PGRES_POLLING_WRITING
  }

  /// Each address of a server's name as a server of its own, because an attempt stays with the first that is silent. The
  /// server itself if it has no name, or one that is not known.
  static func addresses(of server: Server) -> [Server] {
    let isGiven = server.contains { $0.keyword == "hostaddr" && !$0.value.isEmpty }
    let name = server.first { $0.keyword == "host" }?.value ?? ""
    // A path is a socket of this machine.
    guard !isGiven, let first = name.first, first != "/", first != "@" else { return [server] }
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, nil, &list) == 0 else { return [server] }
    defer { freeaddrinfo(list) }
    var found: [String] = []
    var entry = list
    while let known = entry?.pointee {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let size = socklen_t(text.count)
      if getnameinfo(known.ai_addr, known.ai_addrlen, &text, size, nil, 0, NI_NUMERICHOST) == 0 {
        let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if !found.contains(address) { found.append(address) }
      }
      entry = known.ai_next
    }
    return found.isEmpty ? [server] : found.map { server + [("hostaddr", $0)] }
  }

  /// A good connection; a bad one, which says why, if there is none; nil for want of memory. Blocks.
  func connect(to servers: [Server]) -> OpaquePointer? {
    var attempts = servers.compactMap { start($0).map { PendingServer(connection: $0) } }
    var (good, bad): ([OpaquePointer], [OpaquePointer]) = ([], [])
    var end = PostgresConnection.milliseconds + limit
    while !attempts.isEmpty, PostgresConnection.milliseconds < end {
      let ready = Self.wait(for: attempts, until: end)
      for index in attempts.indices.reversed() where ready.contains(index) {
        let connection = attempts[index].connection
        attempts[index].waitsFor = PQconnectPoll(connection)
        switch attempts[index].waitsFor {
        case PGRES_POLLING_OK:
          good.append(connection)
          attempts.remove(at: index)
          end = min(end, PostgresConnection.milliseconds + Self.grace)
        case PGRES_POLLING_FAILED:
          bad.append(connection)
          attempts.remove(at: index)
        default: break
        }
      }
    }
    bad += attempts.map(\.connection)
    let chosen = good.count > 1 ? good.max { Self.timeline(of: $0) < Self.timeline(of: $1) } : good.first
    let kept = chosen ?? bad.first
    for connection in good + bad where connection != kept { PQfinish(connection) }
    return kept
  }

  /// The places of the attempts that can go on.
  private static func wait(for attempts: [PendingServer], until end: Int) -> [Int] {
    var places = attempts.map { attempt in
      pollfd(
        fd: PQsocket(attempt.connection),
        events: Int16(attempt.waitsFor == PGRES_POLLING_READING ? POLLIN : POLLOUT), revents: 0)
    }
    // One without a socket has failed, and says so when it is asked.
    let failed = places.indices.filter { places[$0].fd < 0 }
    guard failed.isEmpty else { return failed }
    let left = max(0, end - PostgresConnection.milliseconds)
    guard poll(&places, nfds_t(places.count), Int32(left)) > 0 else { return [] }
    return places.indices.filter { places[$0].revents != 0 }
  }

  /// The name of the segment that is written begins with the timeline, in eight hexadecimal digits.
  static let timeline = "('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint"

  /// Zero for a server that does not say.
  private static func timeline(of connection: OpaquePointer) -> Int64 {
    guard PQsendQuery(connection, "select \(timeline)") == 1 else { return 0 }
    let end = PostgresConnection.milliseconds + patience
    var found: Int64 = 0
    while true {
      while PQisBusy(connection) == 1 {
        var place = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        let left = max(0, end - PostgresConnection.milliseconds)
        guard poll(&place, 1, Int32(left)) > 0, PQconsumeInput(connection) == 1 else { return 0 }
      }
      guard let result = PQgetResult(connection) else { return found }
      if PQntuples(result) == 1, let text = PQgetvalue(result, 0, 0) {
        found = Int64(String(cString: text)) ?? 0
      }
      PQclear(result)
    }
  }
}
