import BoardroomModel
import EventLogModel
import Foundation

/// What nodes say to each other of the rooms of a list, as JSON: a list of names, and a list of facts.
package enum RoomsQuestion {
  private struct ToldRoom: Codable {
    var room: String
    var name: String
    var limit: Int
    var isRecord: Bool
    var isBanned: Bool
    var isDeleted: Bool
    var limits: [String: Int]
  }

  package static func bytes(of rooms: [RoomID]) -> [UInt8] { json(rooms.map(\.description)) }

  /// Nil for bytes that are no list of names, or of more than a page of a list has.
  static func rooms(in bytes: [UInt8]) -> [RoomID]? {
    guard let names = try? JSONDecoder().decode([String].self, from: Data(bytes)),
      names.count <= RestRoutes.largestPage
    else { return nil }
    return names.compactMap { RoomID($0) }
  }

  static func bytes(of facts: [RoomID: RoomRegistry.RoomFacts]) -> [UInt8] {
    json(
      facts.map { room, facts in
        ToldRoom(
          room: room.description, name: facts.created.name, limit: facts.created.limit,
          isRecord: facts.created.isRecord, isBanned: facts.isBanned, isDeleted: facts.isDeleted,
          limits: facts.limits)
      })
  }

  /// Of these bytes nothing where they are no facts.
  package static func facts(in bytes: [UInt8]) -> [RoomID: RoomRegistry.RoomFacts] {
    let told = (try? JSONDecoder().decode([ToldRoom].self, from: Data(bytes))) ?? []
    var facts: [RoomID: RoomRegistry.RoomFacts] = [:]
    for told in told {
      guard let room = RoomID(told.room) else { continue }
      facts[room] = RoomRegistry.RoomFacts(
        created: RoomCreated(name: told.name, limit: told.limit, isRecord: told.isRecord),
        isBanned: told.isBanned, isDeleted: told.isDeleted, limits: told.limits)
    }
    return facts
  }

  private static func json(_ value: some Encodable) -> [UInt8] {
    (try? JSONEncoder().encode(value)).map { [UInt8]($0) } ?? []
  }
}
