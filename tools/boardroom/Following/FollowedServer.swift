import BoardroomClient
import BoardroomCodec
import BoardroomModel
import BoardroomReplay
import EventLogModel

/// The store of a running server, read over HTTP (docs/HTTP.md, `/v5/store`). One answer is in memory at a time.
struct FollowedServer: Sendable {
  private let server: NamedServer
  private let door: HTTPReplayDoor
  private let place: String
  /// Makes a token for each request, because a token that is made from a key is valid for a minute.
  private let token: @Sendable () throws -> String
  private let wire = WireCodec(.binary)

  /// - Parameters:
  ///   - patience: the time for one answer.
  ///   - place: the server's name in messages.
  init(
    _ server: NamedServer, patience: Duration, place: String, token: @escaping @Sendable () throws -> String
  ) {
    (self.server, self.place, self.token) = (server, place, token)
    door = HTTPReplayDoor(server.endpoint, trust: server.trust, patience: patience)
  }

  private static let goesOn = "Nothing of the copy is lost; go on when it is there again."

  /// The identity of the server's store.
  func identity() async throws -> String {
    guard let identity = try await json("/v5/store/logs?limit=1")["store"]?.string, !identity.isEmpty else {
      throw SourceFailure(RestOptions.strange)
    }
    return identity
  }

  // MARK: Asking

  /// The body of an answer. Throws `LogError.deleted` with `log` if the server no longer has that log.
  func get(_ path: String, of log: LogID? = nil) async throws -> [UInt8] {
    guard case (_, let body?) = try await ask(path, of: log) else { throw SourceFailure(RestOptions.strange) }
    return body
  }

  /// The body and its tag; the body is nil if it still has the tag `unless`.
  func get(_ path: String, unless tag: String?) async throws -> (tag: String?, body: [UInt8]?) {
    try await ask(path, unless: tag)
  }

  private func ask(
    _ path: String, of log: LogID? = nil, unless tag: String? = nil
  ) async throws -> (String?, [UInt8]?) {
    var headers = [(name: "token", value: try token())]
    if let tag { headers.append(("if-none-match", tag)) }
    return try await answer(of: try await asked { await door.ask(.get, path, headers: headers) }, log)
  }

  /// Sends a JSON text; used with the key pair.
  func post(_ path: String, _ body: JSONValue) async throws -> [UInt8] {
    let headers = [(name: "token", value: try token()), (name: "content-type", value: "application/json")]
    let answer = try await asked { await door.ask(.post(body.compact), path, headers: headers) }
    guard case (_, let body?) = try await self.answer(of: answer, nil) else {
      throw SourceFailure(RestOptions.strange)
    }
    return body
  }

  /// Tries twice, because the server may have closed a kept connection.
  private func asked(
    _ ask: () async -> HTTPReplayDoor.ReplayResponse
  ) async throws -> HTTPReplayDoor.ReplayResponse {
    var answer = await ask()
    if answer.isNone {
      try Task.checkCancellation()
      answer = await ask()
    }
    return answer
  }

  private static func goingOn(_ failure: Failure) -> SourceFailure {
    var failure = failure
    failure.help += " " + goesOn
    return SourceFailure(failure)
  }

  private func answer(
    of answer: HTTPReplayDoor.ReplayResponse, _ log: LogID?
  ) async throws -> (String?, [UInt8]?) {
    switch answer {
    case .failed(let failure): throw Self.goingOn(await server.failure(after: failure))
    case .unreachable(let why): throw Self.goingOn(await server.failure(saying: why))
    case .answer(200, let tag, let body): return (tag, body)
    case .answer(304, let tag, _): return (tag, nil)
    case .answer(404, _, _):
      // The log was removed for good since the list was read.
      if let log { throw LogError.deleted(log) }
      throw SourceFailure(RestOptions.strange)
    case .answer(let status, _, let body):
      if let trouble = await server.trouble(behind: status) { throw SourceFailure(trouble) }
      guard let value = try? JSONValue.parse(body), let name = value["code"]?.string,
        let cause = value["cause"]?.string
      else { throw SourceFailure(await server.trouble() ?? RestOptions.strange) }
      let code = RefusalCode(rawValue: name) ?? .internalFailure
      let refusal = Refusal(code, cause: cause, cure: value["cure"]?.string)
      // These statuses are errors of one log or image. All others are errors of the server or of the token.
      guard [400, 409, 500].contains(status) else { throw SourceFailure(refusal) }
      throw refusal
    }
  }

  func json(_ path: String, of log: LogID? = nil) async throws -> JSONValue {
    let body = try await get(path, of: log)
    guard let value = try? JSONValue.parse(body) else { throw SourceFailure(RestOptions.strange) }
    return value
  }

  fileprivate func messages(_ path: String, of log: LogID) async throws -> [Notice] {
    do {
      return try wire.decodeFramed(try await get(path, of: log))
    } catch let error as CodecError {
      throw LogError.damaged(
        Damage(what: "what was sent cannot be read: \(error)", place: place, log: log))
    }
  }
}

extension FollowedServer: FollowedLogs {
  func logs(after: LogID?, limit: Int) async throws -> [LogInfo] {
    let begin = after.map { "&after=\($0)" } ?? ""
    guard let logs = try await json("/v5/store/logs?limit=\(limit)\(begin)")["logs"]?.array else {
      throw SourceFailure(RestOptions.strange)
    }
    return try logs.map { log in
      guard let info = LogInfo(log) else { throw SourceFailure(RestOptions.strange) }
      return info
    }
  }

  func runs(of log: LogID, after: Revision, limit: Int) async throws -> [Run] {
    var (runs, at): ([Run], Revision) = ([], after)
    for notice in try await messages("/v5/store/logs/\(log)/runs?after=\(after)&limit=\(limit)", of: log) {
      guard let piece = StoredRun(sent: notice), let run = try Run(unpacking: piece).suffix(after: at) else {
        continue
      }
      guard run.first == at.next else {
        throw LogError.damaged(Damage(what: "events are missing in what was sent", place: place, log: log))
      }
      runs.append(run)
      at = run.lastRevision
    }
    return runs
  }

  func snapshots(of log: LogID) async throws -> [SnapshotInfo] {
    let log = try await json("/v5/store/logs/\(log)", of: log)
    return log["snapshots"]?.array?.compactMap { SnapshotInfo($0) } ?? []
  }

  /// A snapshot that is damaged counts as missing.
  func snapshot(of log: LogID, notAfter revision: Revision) async throws -> Snapshot? {
    let notices: [Notice]
    do {
      notices = try await messages("/v5/store/logs/\(log)/snapshots/\(revision)", of: log)
    } catch LogError.deleted, LogError.damaged {
      // Also if there is no snapshot at or before the revision.
      return nil
    } catch let refusal as Refusal where refusal.code == .internalFailure {
      return nil
    }
    return Snapshot(sent: notices)
  }

  func erasedPieces(of log: LogID) async throws -> [ClosedRange<Revision>] {
    try await json("/v5/store/logs/\(log)", of: log)["erased"]?.array?.compactMap { piece in
      guard let first = piece["first"]?.int, let last = piece["last"]?.int, 1 <= first, first <= last else {
        return nil
      }
      return Revision(UInt64(first))...Revision(UInt64(last))
    } ?? []
  }
}
