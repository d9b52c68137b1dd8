import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import StorageTestKit
import TestKit

/// A room that was lived in for a while, and is empty again.
struct RecordedRoom {
  let world: World
  /// When the room was made, in the world's seconds.
  let begin: Double

  /// Anna comes at 1 s, Ben at 3 s; the topic changes at 5 s and 7 s; a ping at 6 s; both are gone at 10 s.
  static func short() throws -> RecordedRoom {
    let world = World(seed: 11)
    let (anna, ben) = (world.client("anna", latency: 0...0), world.client("ben", latency: 0...0))
    world.run(to: 1)
    let a = try anna.join()
    world.run(to: 3)
    let b = try ben.join()
    world.run(to: 5)
    a.setGlobalState(["topic": .string("one")], completion: nil)
    world.run(to: 6)
    b.dispatchMagixEvent("ping", payload: JSONValue(1), completion: nil)
    world.run(to: 7)
    a.setGlobalState(["topic": .string("two")], completion: nil)
    world.run(to: 9)
    world.perform { await b.disconnect() }
    world.run(to: 10)
    world.perform { await a.disconnect() }
    world.run(to: 12)
    return RecordedRoom(world: world, begin: 0)
  }

  /// Three members who do this and that, from a seed.
  static func busy(seed: UInt64, seconds: Int = 20) throws -> RecordedRoom {
    let world = World(seed: seed)
    var luck = SeededGenerator(seed: seed)
    let clients = ["anna", "ben", "cleo"].map { world.client($0) }
    let rooms = try clients.map { client in try client.join() }
    let end = world.seconds + Double(seconds)
    while world.seconds < end {
      something(rooms[Int(luck.next() % 3)], &luck)
      world.run(for: Double(luck.next() % 120) / 1_000)
    }
    for room in rooms { world.perform { await room.disconnect() } }
    world.run(for: 1)
    withExtendedLifetime(clients) {}
    return RecordedRoom(world: world, begin: 0)
  }

  private static func something(_ room: WhiteRoom, _ luck: inout SeededGenerator) {
    let number = Int(luck.next() % 900)
    switch luck.next() % 8 {
    case 0: room.setGlobalState(["key\(number % 4)": JSONValue(number)], completion: nil)
    case 1: room.dispatchMagixEvent("ping", payload: JSONValue(number), completion: nil)
    case 2:
      room.moveCamera(WhiteCameraState(centerX: Double(number), centerY: 4, scale: 1.5), completion: nil)
    case 3: room.putScenes("/p", scenes: [WhiteScene(name: "s\(number % 9)")], index: 0, completion: nil)
    case 4: room.movePointer(x: Double(number), y: 1, completion: nil)
    default:
      let points = (0..<5).map { WhitePoint(x: Double(number + $0), y: Double($0 * 3)) }
      _ = room.drawStroke(WhitePen(), points, completion: nil)
    }
  }
}

/// The bytes that stand for a state.
func hash(_ state: RoomState) -> [UInt8] { StateEncoder.hash(of: state) }

extension World {
  /// Waits for the first frame of a player.
  func ready(_ player: WhitePlayer) { run(atMost: 60) { player.state != nil || player.phase == .stopped } }
}
