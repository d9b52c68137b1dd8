import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel

/// Who is meant in a room.
public enum PersonInRoom: Sendable, Hashable {
  /// One member.
  case member(MemberID)
  /// Everyone of this uid.
  case user(String)
}

/// What is done to rooms in the server's own name, in values: the routes read a request and call these, and a program
/// that embeds the server calls them, too. They check no rights.
extension RestRoutes {
  /// RE-1. Throws while the log takes no events.
  package func create(_ created: RoomCreated) async throws -> RoomRegistry.RegisteredRoom {
    guard created.name.utf8.count <= Self.longestName else {
      throw Refusal(
        .tooLarge, cause: "name is longer than the limit.", actual: created.name.utf8.count,
        allowed: Self.longestName, limit: "name")
    }
    guard (0...Self.largestWriterLimit).contains(created.limit) else {
      throw RestBody.wrong("limit", "is not a whole number from 0 to \(Self.largestWriterLimit)")
    }
    if let reason = health.notReady { throw Self.unready(reason) }
    return try await registry.create(created, at: now)
  }

  /// RE-4: keeps everybody out, and removes who is in; or lets them in again.
  package func setBan(_ isBanned: Bool, of room: RoomID) async throws {
    _ = try await registry.entry(room)
    registry.note(
      try await engine.carryOut(in: room, removing: .roomBan) { room throws(Refusal) in
        try room.ban(isBanned)
      }, of: room)
  }

  /// Everybody is removed, and nobody comes in again. The log stays for as long as the server keeps it.
  package func delete(_ room: RoomID) async throws {
    _ = try await registry.entry(room)
    registry.note(
      try await engine.carryOut(in: room, removing: .roomDelete) { room throws(Refusal) in
        try room.delete()
      }, of: room)
  }

  /// RE-21. Returns who was removed, once the log holds it; throws `notMember` if nobody is meant.
  package func kick(
    _ person: PersonInRoom, from room: RoomID, reason: KickReason
  ) async throws -> [MemberID] {
    let kicked = try await members(person, of: room)
    for member in kicked { try await engine.kick(member, from: room, reason: reason) }
    return kicked
  }

  /// RE-23: a custom event. Returns its revision, once the log holds it.
  package func say(_ name: String, _ payload: JSONValue, in room: RoomID) async throws -> Revision {
    let raw = JSONValue.object([("event", .string(name)), ("payload", payload)]).text
    let event = MagixEvent(name: name, payload: payload.text, raw: raw)
    return try await engine.carryOut(.magix(event), in: room) { $0.revision }
  }

  /// Throws `noSuchLog` where the name is an account's or a channel's, which are no rooms.
  package func refuseSpace(_ room: RoomID) async throws {
    guard room != .operators else { throw LogError.noSuchLog(room) }
    try await registry.refuseSpace(room)
  }

  /// Who is meant, as the durable log has them; throws `notMember` if nobody is.
  func members(_ person: PersonInRoom, of room: RoomID) async throws -> [MemberID] {
    let found = try await state(of: room).roster.filter { member in
      switch person {
      case .member(let id): member.id == id
      case .user(let uid): member.uid == uid
      }
    }
    guard !found.isEmpty else { throw RestError(.notMember) }
    return found.map(\.id)
  }
}
