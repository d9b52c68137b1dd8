import BoardroomCodec
import BoardroomModel
import EventLogModel
import Synchronization

/// The logs of a running server, read over HTTP as a store that is open for reading only.
///
/// What reads a `LogStore` reads this one, too: `Replay`, exports and checks of `BoardroomReplay`, and
/// ``LogReplaySource``. An administrator's SDK token opens every log (`/v5/store` of docs/HTTP.md). Any other
/// token of the server or of a room opens the recorded rooms that it may replay. One answer at a
/// time is in memory. All methods may be called from any thread.
///
/// What creates, changes or removes a log throws `LogError.readOnly`. If the server cannot be reached, or
/// refuses, a method throws `LogError.stopped`, and ``failure`` has the code.
public final class RemoteLogStore: LogStore {
  /// The calls that the token opens.
  private enum OpenedCalls: Sendable {
    /// Every log of the store, by name.
    case store
    /// Recorded rooms.
    case rooms
  }

  private struct RemoteFacts {
    var access: OpenedCalls?
    var failure: BoardroomError?
    /// The log that was asked for last, and which life of it.
    var opened: (log: LogID, epoch: Epoch)?
  }

  /// The most bytes of stored records in one answer, as the server has it: 16 MiB.
  private static let mostRunBytes = 16 << 20
  /// The most logs in one answer, as the server has it.
  private static let mostLogs = 1_000
  /// Bytes that are asked for at once while a time is searched for.
  private static let searchBytes = 1 << 20

  private let door: any ReplayDoor
  private let place: String
  private let token: @Sendable () throws -> String
  private let wire = WireCodec(.binary)
  private let known = Mutex(RemoteFacts())

  /// - Parameters:
  ///   - endpoint: The server.
  ///   - trust: Whose certificates count, over TLS; nil: the system's.
  ///   - token: Gives a token for each request: an SDK token, or a token of the room that is read.
  public convenience init(
    _ endpoint: Endpoint, trust: TrustRoots? = nil, token: @escaping @Sendable () throws -> String
  ) {
    self.init(
      HTTPReplayDoor(endpoint, trust: trust),
      place: "\(endpoint.isSecure ? "https" : "http")://\(endpoint.address)", token: token)
  }

  /// - Parameters:
  ///   - door: Asks the server.
  ///   - place: The server's name in errors.
  ///   - token: Gives a token for each request.
  public init(
    _ door: any ReplayDoor, place: String = "the server", token: @escaping @Sendable () throws -> String
  ) {
    (self.door, self.place, self.token) = (door, place, token)
  }

  /// Why the last call that threw `LogError.stopped` had no answer: what the server or the network refused.
  /// Nil if every call had one.
  public var failure: BoardroomError? { known.withLock { $0.failure } }

  // MARK: Logs

  /// What the server says of a log. Of a room that is read as such, the index does not say how many bytes the
  /// records have when unpacked: `rawBytes` is then the same as `storedBytes`.
  public func info(of log: LogID) async throws(LogError) -> LogInfo {
    switch try await access() {
    case .store:
      let body = try await object("/v5/store/logs/\(log)", of: log)
      guard let info = LogInfo(body) else { throw strange(log) }
      return info
    case .rooms:
      known.withLock { $0.opened = nil }
      let body = try await index(of: log)
      let outline: ReplayOutline
      do throws(ReplaySourceError) { outline = try ReplayIndex(body).outline } catch { throw strange(log) }
      known.withLock { $0.opened = (log, outline.epoch) }
      let bytes = Self.spans(in: body).reduce(0) { $0 + $1.bytes }
      return LogInfo(
        log: log, epoch: outline.epoch, created: outline.begin, low: outline.low, last: outline.last,
        lastTime: outline.end, rawBytes: bytes, storedBytes: bytes)
    }
  }

  /// Up to `limit` logs after the one named `after`. An administrator's SDK token is needed.
  public func logs(after: LogID?, limit: Int) async throws(LogError) -> [LogInfo] {
    let begin = after.map { "&after=\($0)" } ?? ""
    let body = try await object("/v5/store/logs?limit=\(min(max(limit, 1), Self.mostLogs))\(begin)", of: nil)
    guard let logs = body["logs"]?.array else { throw strange(nil) }
    var infos: [LogInfo] = []
    for log in logs {
      guard let info = LogInfo(log) else { throw strange(nil) }
      infos.append(info)
    }
    return infos
  }

  // MARK: Events

  /// Durable events after a revision, as the server stores them.
  public func read(
    _ log: LogID, after: Revision, limit: Int
  ) async throws(LogError) -> [StoredRun] {
    var (pieces, at): ([StoredRun], Revision) = ([], after)
    for notice in try messages(try await runs(of: log, after: after, bytes: limit), of: log) {
      guard let piece = StoredRun(sent: notice), piece.lastRevision > at else { continue }
      guard piece.first <= at.next else {
        if !pieces.isEmpty { break }
        throw damaged(
          "events are missing in what was sent", of: log,
          lost: at.next.rawValue...piece.first.previous.rawValue)
      }
      pieces.append(piece)
      at = piece.lastRevision
    }
    return pieces
  }

  /// A fault of the server may pass, so it is asked twice. What it then cannot send counts as damaged.
  private func runs(of log: LogID, after: Revision, bytes: Int) async throws(LogError) -> [UInt8] {
    let limit = min(max(bytes, 1), Self.mostRunBytes)
    let path = try await path(to: log, "runs", query: "after=\(after)&limit=\(limit)")
    for isRepeated in [false, true] {
      do throws(BoardroomError) { return try await ask(path) } catch {
        if error.code == .internalFailure {
          if isRepeated { break }
          continue
        }
        if error.code == .badParameter, case let info = try await info(of: log), after < info.low.previous {
          throw .trimmed(log, low: info.low)
        }
        throw failed(error, log)
      }
    }
    let spans = (try? await spans(of: log, after: after, limit: 1)) ?? []
    let lost = spans.first.map { after.next.rawValue...max($0.last, after.next).rawValue }
    throw damaged("the server cannot send a stored piece", of: log, lost: lost)
  }

  /// Unpacks and checks what `read` returned.
  public func unpack(_ stored: StoredRun, of log: LogID) throws(LogError) -> Run {
    do throws(CodecError) { return try Run(unpacking: stored) } catch {
      let last = max(stored.first, stored.lastRevision)
      throw damaged(
        "what was sent cannot be unpacked: \(error)", of: log,
        lost: stored.first.rawValue...last.rawValue)
    }
  }

  /// Where the events after a revision are stored. Only of recorded rooms, whose index says it.
  public func spans(
    of log: LogID, after: Revision, limit: Int
  ) async throws(LogError) -> [StoredSpan] {
    Array(Self.spans(in: try await index(of: log)).filter { $0.last > after }.prefix(limit))
  }

  private static func spans(in index: JSONValue) -> [StoredSpan] {
    index["blocks"]?.array?.compactMap { StoredSpan($0) } ?? []
  }

  /// The last revision whose time is not after `time`; zero if none. The server searches in recorded rooms;
  /// any other log is read up to this time.
  public func revision(in log: LogID, at time: Timestamp) async throws(LogError) -> Revision {
    guard time.milliseconds >= 0 else { return .zero }
    do throws(BoardroomError) {
      let body = try await ask("/v5/rooms/\(log)/replay/revision?at=\(time.milliseconds)")
      guard let revision = (try? JSONValue.parse(body))?["revision"]?.int else { throw Self.strange }
      return Revision(UInt64(clamping: revision))
    } catch {
      let isNoRoom = [.notFound, .notRecorded, .forbidden].contains(error.code)
      guard isNoRoom, try await access() == .store else { throw failed(error, log) }
      return try await searched(time, in: log)
    }
  }

  private func searched(_ time: Timestamp, in log: LogID) async throws(LogError) -> Revision {
    let info = try await info(of: log)
    var (found, at): (Revision, Revision) = (.zero, info.low.previous)
    while at < info.last {
      let pieces = try await read(log, after: at, limit: Self.searchBytes)
      guard let last = pieces.last else { return found }
      for piece in pieces {
        guard piece.last > time else {
          found = piece.lastRevision
          continue
        }
        try unpack(piece, of: log).forEach { record, _ in
          if record.time <= time { found = max(found, record.revision) }
        }
        return found
      }
      at = last.lastRevision
    }
    return found
  }

  // MARK: Snapshots

  /// The newest snapshot not after a revision, whose parts have been compared with its hash.
  public func latestSnapshot(of log: LogID, notAfter: Revision) async throws(LogError) -> Snapshot? {
    guard notAfter > .zero else { return nil }
    let path = try await path(to: log, "snapshots/\(notAfter)", query: nil)
    let body: [UInt8]
    do throws(BoardroomError) { body = try await ask(path) } catch {
      if error.code == .notFound { return nil }
      if error.code == .internalFailure { throw damaged("the server cannot send a snapshot", of: log) }
      throw failed(error, log)
    }
    guard let snapshot = Snapshot(sent: try messages(body, of: log)) else {
      throw damaged("a snapshot is not of the state that its hash names", of: log)
    }
    return snapshot
  }

  /// The snapshots that the server keeps, the oldest first, without their content.
  public func snapshots(of log: LogID) async throws(LogError) -> [SnapshotInfo] {
    let body =
      switch try await access() {
      case .store: try await object("/v5/store/logs/\(log)", of: log)
      case .rooms: try await index(of: log)
      }
    let snapshots = body["snapshots"]?.array?.compactMap { SnapshotInfo($0) } ?? []
    return snapshots.sorted { $0.revision < $1.revision }
  }

  // MARK: Asking

  /// Which calls the token opens, asked for once.
  private func access() async throws(LogError) -> OpenedCalls {
    if let access = known.withLock({ $0.access }) { return access }
    let access: OpenedCalls
    do throws(BoardroomError) {
      _ = try await ask("/v5/store/logs?limit=1")
      access = .store
    } catch {
      // An older server has no such call. If the token is of no use at all, the first call of a room is
      // refused, too.
      guard [.tokenInvalid, .tokenExpired, .forbidden, .banned, .notFound].contains(error.code) else {
        throw failed(error, nil)
      }
      access = .rooms
    }
    known.withLock { $0.access = access }
    return access
  }

  /// The address of what a log has. With the epoch of the log that was opened, so that another life of it is
  /// refused.
  private func path(to log: LogID, _ rest: String, query: String?) async throws(LogError) -> String {
    switch try await access() {
    case .store: return "/v5/store/logs/\(log)/\(rest)" + (query.map { "?\($0)" } ?? "")
    case .rooms:
      let epoch = known.withLock { $0.opened?.log == log ? $0.opened?.epoch : nil }.map { "epoch=\($0)" }
      let fields = [query, epoch].compactMap(\.self)
      return "/v5/rooms/\(log)/replay/\(rest)" + (fields.isEmpty ? "" : "?" + fields.joined(separator: "&"))
    }
  }

  private func index(of log: LogID) async throws(LogError) -> JSONValue {
    try await object("/v5/rooms/\(log)/replay", of: log)
  }

  private func object(_ path: String, of log: LogID?) async throws(LogError) -> JSONValue {
    do throws(BoardroomError) {
      let body = try await ask(path)
      do throws(ReplaySourceError) { return try ReplayIndex.object(body) } catch { throw Self.strange }
    } catch { throw failed(error, log) }
  }

  private func messages(_ body: [UInt8], of log: LogID) throws(LogError) -> [Notice] {
    do throws(CodecError) { return try wire.decodeFramed(body) } catch {
      throw damaged("what was sent cannot be read: \(error)", of: log)
    }
  }

  /// Asks twice, because the server may have closed a kept connection.
  private func ask(_ path: String) async throws(BoardroomError) -> [UInt8] {
    var answer = ReplayAnswer.unreachable("")
    for _ in 1...2 {
      answer = await door.get(path, headers: [("token", try given())])
      guard answer.isNone, !Task.isCancelled else { break }
    }
    if answer.isNone, Task.isCancelled { throw .cancelled }
    switch answer {
    case .status(200, let body): return body
    case .status(let status, let body): throw ReplayIndex.error(status, body)
    case .failed(let failure):
      throw BoardroomError(
        Refusal(.networkLost, cause: "\(place) does not answer. \(failure)", cure: failure.cure),
        connection: failure)
    case .unreachable(let why):
      throw BoardroomError(
        .networkLost, cause: "\(place) does not answer: \(why).", cure: "Check its address, and that it runs."
      )
    }
  }

  private func given() throws(BoardroomError) -> String {
    do { return try token() } catch {
      throw error as? BoardroomError ?? BoardroomError(.tokenInvalid, cause: "There is no token: \(error)")
    }
  }

  // MARK: Errors

  private static let strange = BoardroomError(
    .malformed, cause: "What answers there is not a Boardroom server.", cure: "Check its address.")

  private func strange(_ log: LogID?) -> LogError { failed(Self.strange, log) }

  private func failed(_ error: BoardroomError, _ log: LogID?) -> LogError {
    if error.code == .notFound, let log { return .noSuchLog(log) }
    known.withLock { $0.failure = error }
    return .stopped(reason: error.cause)
  }

  private func damaged(_ what: String, of log: LogID, lost: ClosedRange<UInt64>? = nil) -> LogError {
    .damaged(Damage(what: what, place: place, log: log, lost: lost))
  }
}

/// What changes a log: a server's logs are changed by its members and by its REST calls.
extension RemoteLogStore {
  /// Throws `LogError.readOnly`.
  public func create(_ log: LogID, at time: Timestamp) async throws(LogError) -> LogInfo { throw .readOnly }

  /// Throws `LogError.readOnly`.
  public func create(_ log: LogID, epoch: Epoch, at time: Timestamp) async throws(LogError) -> LogInfo {
    throw .readOnly
  }

  /// Throws `LogError.readOnly`.
  public func open(_ log: LogID, listener: any CommitListener) async throws(LogError) -> any LogAppender {
    throw .readOnly
  }

  /// Throws `LogError.readOnly`.
  @discardableResult
  public func append(
    _ records: [Record], to log: LogID, expecting: Revision?, epoch: Epoch?
  ) async throws(LogError) -> Revision { throw .readOnly }

  /// Throws `LogError.readOnly`.
  public func put(_ snapshot: Snapshot, for log: LogID) async throws(LogError) { throw .readOnly }

  /// Throws `LogError.readOnly`.
  public func trim(_ log: LogID, below revision: Revision) async throws(LogError) -> Revision {
    throw .readOnly
  }

  /// Throws `LogError.readOnly`.
  public func delete(_ log: LogID) async throws(LogError) { throw .readOnly }

  /// Does nothing: connections end with this object.
  public func shutdown() async {}
}

extension ReplayAnswer {
  /// Whether the server was not reached.
  fileprivate var isNone: Bool {
    switch self {
    case .failed, .unreachable: true
    case .status: false
    }
  }
}
