import BoardroomAccess
import BoardroomCodec
import BoardroomModel
import EventLogModel
import Hummingbird

/// Rooms, members and states as REST shows them.
enum RoomJSON {
  /// RE-1, with the limits that were set for this room, if any.
  static func room(_ entry: RoomRegistry.RegisteredRoom, keys: KeyRing) -> JSONValue {
    var fields: [(String, JSONValue)] = [
      ("uuid", .string(entry.room.description)),
      ("name", .string(entry.facts.created.name)),
      ("teamUUID", .string(keys.team.description)),
      ("appUUID", .string(keys.app.description)),
      ("isRecord", .bool(entry.facts.created.isRecord)),
      ("isBan", .bool(entry.facts.isBanned)),
      ("createdAt", .string(entry.at.iso8601)),
      ("limit", JSONValue(entry.facts.created.limit)),
    ]
    let limits = entry.facts.limits.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) }
    if !limits.isEmpty { fields.append(("limits", .object(limits))) }
    return .object(fields)
  }

  /// RE-20. The name of the session is left out, because a member resumes its stay with it.
  static func member(_ member: Member) -> JSONValue {
    var fields: [(String, JSONValue)] = [("memberId", .number(String(member.id.rawValue)))]
    if let uid = member.uid { fields.append(("uid", .string(uid))) }
    if member.isBound { fields.append(("isBound", .bool(true))) }
    fields += [
      ("role", .string(member.role.rawValue)),
      ("isWritable", .bool(member.writable)),
      ("phase", .string(member.phase.rawValue)),
      ("viewMode", .string(member.viewMode.rawValue)),
      ("joinedAt", .number(String(member.joined.milliseconds))),
    ]
    if member.isBarred { fields.append(("isBarred", .bool(true))) }
    if let hand = member.hand { fields.append(("hand", .number(String(hand.milliseconds)))) }
    if let payload = member.payload.flatMap({ try? JSONValue($0) }) { fields.append(("payload", payload)) }
    if let client = member.client { fields.append(("client", .string(client))) }
    return .object(fields)
  }

  /// RE-25: `{"snapshot": snapshotRoot message, "parts": [snapshotPart message, …]}`, the messages as
  /// `boardroom.json.v1` has them (docs/PROTOCOL.md, section 7). Made part by part while it is sent. The root
  /// names the parts by their hashes, so each part is made twice, and only one is in memory at a time
  /// (BOUND-3).
  static func state(_ state: RoomState, limits: WireLimits) -> ResponseBody {
    ResponseBody { writer in
      let wire = WireCodec(.json, limits: limits)
      let root = StateEncoder.root(of: state)
      let message = wire.encode(
        server: .snapshotRoot(
          revision: state.revision, time: state.time, stateHash: root.stateHash,
          parts: state.elements.chunkCount, bytes: root.bytes))
      try await writer.write(
        ByteBuffer(bytes: Array("{\"snapshot\":".utf8) + message + Array(",\"parts\":[".utf8)))
      for number in 0..<state.elements.chunkCount {
        let part = wire.encode(server: .snapshotPart(StateEncoder.part(number, of: state)))
        try await writer.write(ByteBuffer(bytes: (number > 0 ? [UInt8(ascii: ",")] : []) + part))
      }
      try await writer.write(ByteBuffer(string: "]}"))
      try await writer.finish(nil)
    }
  }
}
