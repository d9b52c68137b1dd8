import BoardroomAccess
import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel
import Hummingbird
import Logging

/// Removing a room's oldest events at an operator's call (LOG-28).
extension RestRoutes {
  private static let number =
    "{\"type\":[\"integer\",\"null\"],\"minimum\":1,\"maximum\":\(RestBody.largestNumber)}"

  static let trimRoutes: [Route] = [
    Route(
      method: .post, path: "/v5/rooms/{uuid}/trim",
      summary:
        "Remove a room's events before a revision or a time, and begin what is left with a state (LOG-28).",
      action: .trimRoom, body: .object("\"before\":\(number),\"beforeTime\":\(number)"),
      answer: .one("Trimmed", "What was removed, and what is left begins with."), refusals: [409, 503]
    ) { try await $0.trim($1) }
  ]

  private func trim(_ call: RestCall) async throws -> Response {
    if let reason = health.notReady { throw Self.unready(reason) }
    let (room, body) = (try call.room(), try await call.body())
    let entry = try await registry.entry(room)
    guard registry.hold(room) else {
      throw RestError(
        .conflict, "History of the room is being removed, or kept, just now.", cure: "Ask again in a moment.")
    }
    defer { registry.release(room) }
    let info = try await engine.store.info(of: room)
    let revision = try await first(body, info)
    if let mark = KeptMoment.all(in: entry.facts.limits).first, mark.revision < revision {
      throw RestError(
        .conflict, "A moment of the room is kept from revision \(mark.revision) on.",
        cure: "Name a revision up to that one, or take its mark away first.")
    }
    if revision > info.low, try await history.beginning(of: room, at: revision.previous) == nil {
      let snapshot = try await history.snapshot(of: room, behind: revision.previous)
      throw RestError(
        .conflict,
        "Events before revision \(revision) are lost, so that nobody knows the state with which what is left would begin.",
        cure: snapshot.map { "Name revision \($0.next), before which there is a snapshot." }
          ?? "Name a revision before them.")
    }
    let low = try await HistoryTrim(engine: engine, registry: registry)
      .remove(below: revision, of: info, isHeld: true)
    try await engine.store.clearRemains()
    if let low {
      let count = low.rawValue - info.low.rawValue
      call.context.logger.notice(
        "old history was removed", metadata: ["room": "\(room)", "events": "\(count)", "first": "\(low)"])
    }
    return .json(try await summary(room, before: info.low, asked: revision))
  }

  /// The first revision to keep.
  private func first(_ body: RestBody, _ info: LogInfo) async throws -> Revision {
    let before = try body.count("before", from: 1, upTo: RestBody.largestNumber)
    let time = try body.count("beforeTime", from: 1, upTo: RestBody.largestNumber)
    switch (before, time) {
    case (let before?, nil):
      let revision = Revision(UInt64(before))
      guard revision <= info.last.next else {
        throw LogError.beyondEnd(info.log, asked: revision, last: info.last)
      }
      return revision
    case (nil, let time?):
      let before = Timestamp(milliseconds: Int64(time) - 1)
      return try await engine.store.revision(in: info.log, at: before).next
    case (nil, nil), (_?, _?): throw RestBody.wrong("before", "or beforeTime has to be there, and not both")
    }
  }

  private func summary(_ room: RoomID, before: Revision, asked: Revision) async throws -> JSONValue {
    let info = try await engine.store.info(of: room)
    var fields: [(String, JSONValue)] = [
      ("room", .string(room.description)), ("epoch", .string("\(info.epoch)")),
      ("removed", .number("\(info.low.rawValue - before.rawValue)")),
      ("first", .number("\(info.low)")), ("last", .number("\(info.last)")),
    ]
    let bound = max(asked, info.low).previous
    if let snapshot = try await engine.store.latestSnapshot(of: room, notAfter: bound) {
      fields.append(
        (
          "state",
          .object([
            ("revision", .number("\(snapshot.revision)")),
            ("hash", .string(TokenText.hex(snapshot.stateHash))),
          ])
        ))
    }
    if let chain = try await (history.store as? any ChainedStore)?.chain(of: room) {
      fields.append(
        (
          "chain",
          .object([
            ("first", .number("\(chain.first)")), ("before", .string(TokenText.hex(chain.before))),
            ("last", .number("\(chain.last)")), ("value", .string(TokenText.hex(chain.value))),
          ])
        ))
    }
    return .object(fields)
  }
}
