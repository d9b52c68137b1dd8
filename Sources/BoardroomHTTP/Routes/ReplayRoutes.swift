import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import BoardroomWeb
import EventLogModel
import HTTPTypes
import Hummingbird

/// The routes from which a player reads a recorded room: index, stored pieces as they are in the log,
/// snapshots (RPL-1 to RPL-6). None of them folds a log.
extension RestRoutes {
  /// About the most bytes of stored records in one answer. 16 MiB: some 300,000 events.
  static let mostRunBytes = 16 << 20
  /// The value if the request names none. 1 MiB: a second of a 10 Mbit/s link.
  static let usualRunBytes = 1 << 20
  /// The most stored pieces in one answer, for logs whose pieces are very small.
  private static let mostPieces = 4_096

  private static let epoch = Route.Parameter(
    name: "epoch",
    meaning: "The index's epoch: another life of the log is refused, and caches may keep this.",
    schema: #"{"type":"string","pattern":"^[0-9a-f]{16}$"}"#)
  static let after = Route.Parameter(
    name: "after", meaning: "The revision before the first; the first piece may begin earlier.",
    schema: "{\"type\":\"integer\",\"minimum\":0,\"maximum\":\(RestBody.largestNumber)}")
  static let bytes = Route.Parameter(
    name: "limit", meaning: "About how many bytes; one piece at least.",
    schema: "{\"type\":\"integer\",\"minimum\":1,\"maximum\":\(mostRunBytes)}")
  static let storedRuns = Route.ResponseBody(
    meaning: "Messages 66 and 67 of docs/PROTOCOL.md, section 3, each with its length as uv before it.",
    types: ["application/octet-stream"])
  static let storedSnapshot = Route.ResponseBody(
    meaning: "Messages 71 and 72 of docs/PROTOCOL.md, section 3, each with its length as uv before it.",
    types: ["application/octet-stream"])

  static let replayRoutes =
    routes(to: "/v5/rooms/{uuid}", .replay) + routes(to: "/v5/channels/{service}/{channel}", .replaySpace)
    + routes(to: "/v5/accounts/{account}", .replaySpace)

  private static func routes(to place: String, _ action: Action) -> [Route] {
    [
      Route(
        method: .get, path: place + "/replay", summary: "Show what there is to replay (RP-1).",
        action: action, answer: .one("ReplayIndex", "Where stored pieces and snapshots lie.")
      ) { try await $0.replayIndex($1) },
      Route(
        method: .get, path: place + "/replay/runs", summary: "Stream stored pieces of the log.",
        action: action,
        parameters: [after, bytes, epoch], answer: storedRuns, refusals: [409], isValidated: true
      ) { try await $0.replayRuns($1) },
      Route(
        method: .get, path: place + "/replay/snapshots/{revision}",
        summary: "Show the newest snapshot not after a revision.", action: action, parameters: [epoch],
        answer: storedSnapshot, refusals: [409], isValidated: true
      ) { try await $0.replaySnapshot($1) },
      Route(
        method: .get, path: place + "/replay/revision",
        summary: "Show the last revision whose time is not after one (RP-62).", action: action,
        parameters: [
          .init(
            name: "at", meaning: "Milliseconds since 1970.",
            schema: "{\"type\":\"integer\",\"minimum\":0,\"maximum\":\(RestBody.largestNumber)}",
            isRequired: true)
        ],
        answer: .one("Position", "The revision; 0 before the first event.")
      ) { try await $0.replayRevision($1) },
    ]
  }

  /// The room's log, if it may be replayed: that of a banned room may (RP-9), that of a room without
  /// recording may not (RP-8).
  private func recorded(_ call: RestCall) async throws -> LogInfo {
    let info = try await log(call)
    if let text = try call.query("epoch") {
      guard let epoch = Epoch(text) else { throw RestBody.wrong("epoch", "has not 16 hexadecimal digits") }
      guard epoch == info.epoch else {
        throw RestError(
          .conflict, "The log has another life than this epoch: it was restored or replaced.",
          cure: "Ask for the index again and begin anew.")
      }
    }
    return info
  }

  /// The log of a room, or of a channel or an account; the latter are always recorded.
  private func log(_ call: RestCall) async throws -> LogInfo {
    if let name = try call.space() { return try await engine.store.info(of: name.log) }
    let info = try await engine.store.info(of: call.room())
    try await allow(.replay, to: call, of: info)
    return info
  }

  // MARK: Index

  private func replayIndex(_ call: RestCall) async throws -> Response {
    let info = try await recorded(call)
    let spans = try await spans(info)
    let snapshots = try await engine.store.snapshots(of: info.log).filter { $0.revision <= info.last }
    let emptied = try await emptyings.emptied(info)
    let index = ReplayIndexBody(info: info, spans: spans, snapshots: snapshots, emptied: emptied)
    return .json(bytes: index.json)
  }

  private func spans(_ info: LogInfo) async throws -> [StoredSpan] {
    var spans: [StoredSpan] = []
    var at = info.low.previous
    while at < info.last {
      let page = try await engine.store.spans(of: info.log, after: at, limit: Self.mostPieces)
      guard let last = page.last?.last else { break }
      spans += page
      at = last
    }
    return spans
  }

  private func replayRevision(_ call: RestCall) async throws -> Response {
    let info = try await recorded(call)
    guard let at = try call.number("at", 0...UInt64(RestBody.largestNumber)) else {
      throw RestBody.wrong("at", "is missing: the time in milliseconds since 1970")
    }
    let time = Timestamp(milliseconds: Int64(at))
    let revision = try await engine.store.revision(in: info.log, at: time)
    return .json(.object([("revision", .number(String(revision.rawValue)))]))
  }

  // MARK: Pieces

  private func replayRuns(_ call: RestCall) async throws -> Response {
    try await runs(of: recorded(call), for: call)
  }

  /// Stored pieces after the revision that the call names.
  func runs(of info: LogInfo, for call: RestCall) async throws -> Response {
    let after = Revision(
      try call.number("after", 0...UInt64(RestBody.largestNumber)) ?? info.low.previous.rawValue)
    let limit = try call.number("limit", 1...UInt64(Self.mostRunBytes)).map(Int.init) ?? Self.usualRunBytes
    let spans = try await engine.store.spans(of: info.log, after: after, limit: Self.mostPieces)
    var (bytes, chosen): (Int, [StoredSpan]) = (0, [])
    for span in spans where bytes < limit {
      chosen.append(span)
      bytes += span.bytes
    }
    let through = chosen.last?.last ?? after
    let tag = "\(info.epoch)-\(chosen.first?.first ?? after.next)-\(through)"
    // An answer that ends at the end of the log will have more events later, so that it must not be cached
    // for ever.
    return try await call.validated(tag, isForEver: through < info.last) {
      // The first page is read before anything is sent, so that an error can still be answered.
      let page = try await engine.store.read(info.log, after: after, limit: RoomHistory.page)
      return ReplayRuns(store: engine.store, room: info.log, page: page, after: after, through: through).body
    }
  }

  private func replaySnapshot(_ call: RestCall) async throws -> Response {
    try await snapshot(of: recorded(call), for: call)
  }

  /// The newest snapshot not after the revision that the call names.
  func snapshot(of info: LogInfo, for call: RestCall) async throws -> Response {
    let digits = call.context.parameters.get("revision") ?? ""
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = UInt64(digits), number <= UInt64(RestBody.largestNumber)
    else { throw RestBody.wrong("revision", "is not a whole number") }
    let revision = Revision(number)
    guard
      let snapshot = try await engine.store.latestSnapshot(of: info.log, notAfter: min(revision, info.last))
    else {
      throw RestError(
        .notFound, "There is no snapshot at or before this revision.",
        cure: "Begin with the empty state and the first run.")
    }
    let tag = "\(info.epoch)-s\(snapshot.revision)"
    return try await call.validated(tag, isForEver: snapshot.revision == revision) {
      ReplaySnapshot(snapshot: snapshot).body
    }
  }
}

extension RestCall {
  /// Answers with bytes and a tag, or with 304 if the client has them already. Without the epoch in the
  /// address a cache must ask again, because a restored log has other events under the same revisions.
  func validated(
    _ tag: String, isForEver: Bool, type: String = "application/octet-stream",
    _ body: () async throws -> ResponseBody
  ) async throws -> Response {
    let tag = "W/\"\(tag)\""
    let isKept = try query("epoch") != nil && isForEver
    let headers: HTTPFields = [
      .eTag: tag, .cacheControl: isKept ? "private, max-age=31536000, immutable" : "private, no-cache",
      .contentType: type,
    ]
    guard !request.knows(tag) else { return Response(status: .notModified, headers: headers) }
    return Response(status: .ok, headers: headers, body: try await body())
  }
}
