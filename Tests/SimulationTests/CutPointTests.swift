import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

@Suite struct CutPointTests {
  /// Collects what a room's event stream tells.
  static func follow(_ room: WhiteRoom, in world: World) -> Heap<RoomEvent> {
    let heard = Heap<RoomEvent>()
    let events = room.events
    Task(executorPreference: world.tasks) { for await event in events { heard.add(event) } }
    return heard
  }

  @Test(
    "Complaint 1: no gap and no repeat, for any cut point, in both directions",
    arguments: [SimulatedNetwork.Direction.toServer, .toClient])
  func anyCut(_ direction: SimulatedNetwork.Direction) throws {
    var cuts = 0
    let bytesInAll = direction == .toServer ? 600 : 2_600
    for bytes in stride(from: 0, to: bytesInAll, by: bytesInAll / 70) {
      let world = World(seed: UInt64(bytes) + 1)
      let (anna, ben) = (world.client("anna"), world.client("ben"))
      let (a, b) = (try anna.join(), try ben.join())
      world.run(for: 1)
      let heard = Self.follow(a, in: world)
      let from = world.perform { await a.getBoard() }.revision
      anna.network.breakAfter(bytes, direction)
      let sent = Heap<String>()
      for step in 1...20 {
        a.dispatchMagixEvent("a", payload: JSONValue(step)) { result in
          if case .success = result { sent.add("\(step)") }
        }
        b.setGlobalState(["k": JSONValue(step)], completion: nil)
        b.drawStroke(WhitePen(), [WhitePoint(x: Double(step), y: 0)], completion: nil)
        world.run(for: 0.05)
      }
      anna.network.heal()
      world.run(for: 20)
      if anna.recorder.phases.contains(where: { $0.phase == .reconnecting }) { cuts += 1 }
      #expect(a.phase == .connected, "cut at \(bytes)")
      let revisions = heard.all.map(\.revision)
      let expected = (1...max(1, world.log.count - Int(from.rawValue))).map { from + $0 }
      #expect(revisions == expected, "cut at \(bytes)")
      let stored = world.log.compactMap { event in
        if case .custom(.magix(let magix)) = event.event { magix.payload.text } else { nil }
      }
      #expect(stored == sent.all, "cut at \(bytes): what was receipted is in the log, once and in order")
      world.expectAgreement([a, b], "cut at \(bytes)")
    }
    #expect(cuts > 40)
  }

  @Test("A half-open connection, in either direction, is noticed and resumed without gap or repeat")
  func halfOpen() throws {
    for direction in SimulatedNetwork.Direction.allCases {
      let world = World(seed: 11)
      let (anna, ben) = (world.client("anna"), world.client("ben"))
      let (a, b) = (try anna.join(), try ben.join())
      world.run(for: 1)
      let heard = Self.follow(a, in: world)
      anna.network.set(.halfOpen(direction))
      for step in 1...20 {
        b.setGlobalState(["k": JSONValue(step)], completion: nil)
        world.run(for: 0.5)
      }
      anna.network.set(.clear)
      a.networkIsBack()
      world.run(for: 10)
      #expect(a.phase == .connected)
      let revisions = heard.all.map(\.revision.rawValue)
      try #require(!revisions.isEmpty)
      #expect(revisions == Array(revisions[0]...revisions[revisions.count - 1]))
      world.expectAgreement([a, b], "half open \(direction)")
    }
  }
}

/// A list that several closures add to.
final class Heap<Element: Sendable>: Sendable {
  private let held = Mutex<[Element]>([])
  init() {}
  var all: [Element] { held.withLock { $0 } }
  func add(_ element: Element) { held.withLock { $0.append(element) } }
}

extension World {
  /// Every mirror, the server and the fold of the log have one state hash.
  func expectAgreement(
    _ rooms: [WhiteRoom], _ comment: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let folded = StateEncoder.hash(of: foldedState)
    let server = serverState.map { StateEncoder.hash(of: $0) }
    #expect(server == folded, "\(comment): server", sourceLocation: sourceLocation)
    for room in rooms {
      let mirror = StateEncoder.hash(of: perform { await room.getBoard() })
      #expect(mirror == folded, "\(comment): mirror", sourceLocation: sourceLocation)
    }
  }
}
