import BoardroomModel
import EventLogModel
import StorageTestKit
import Synchronization
import TestKit
import Testing

@testable import BoardroomHosting

/// A room that is going to be given up to another node: what its next owner does not have to fold.
@Suite struct GivenUpSnapshotTests {
  private final class Told: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }
    func note() { number.withLock { $0 += 1 } }
  }

  /// Has snapshots kept of rooms; counts how often that was told to be done.
  private func keep(_ rooms: Set<RoomID>, of server: SimulatedServer) -> Told {
    let told = Told()
    for loopRooms in server.engine.allLoopRooms {
      loopRooms.loop.execute { loopRooms.value.keepSnapshots(of: rooms) { told.note() } }
    }
    server.settle()
    return told
  }

  @Test(
    "PIPE-11: the next owner of a room gets its state of the moment when the giving up began, also while members write on"
  )
  func underLoad() {
    let server = SimulatedServer(policy: unlimited())
    let room = server.createRoom()
    let writer = server.join(room)
    for number in 1...80 { writer.command(.note(number, bytes: 300)) }
    server.commits = false
    writer.command(.set("last", "81"))
    let told = keep([room], of: server)
    writer.command(.note(82, bytes: 300))
    #expect(told.count == 0, "what the log does not hold yet is in no snapshot")
    server.commit()
    #expect(told.count == 1)
    server.commits = true
    server.settle()
    let store = server.store
    let kept = server.wait { try? await store.latestSnapshot(of: room, notAfter: Revision(1_000)) }
    let info = server.wait { try? await store.info(of: room) }
    #expect(kept?.revision == info?.last.previous, "all but what was said later")
    let back = server.restarted().join(room)
    #expect(back.mirror.globalState["last"]?.text == "81")
  }

  @Test("PIPE-11: while a room is given up nobody's silence is judged: who is in goes where the room goes")
  func silence() {
    let server = SimulatedServer(policy: unlimited())
    let (room, other) = (server.createRoom(), server.createRoom(RoomID(high: 1, low: 2)))
    let (inside, elsewhere) = (server.join(room), server.join(other))
    let before = inside.mirror.revision
    for loopRooms in server.engine.allLoopRooms {
      loopRooms.loop.execute { loopRooms.value.hold([room]) }
    }
    server.advance(by: .seconds(120))
    #expect(elsewhere.link.closeCode != nil, "who says nothing for so long is out")
    #expect(inside.link.closeCode == nil)
    let store = server.store
    let info = server.wait { try? await store.info(of: room) }
    #expect(info?.last == before, "nothing is recorded in a log that is given up")
  }

  @Test("PIPE-11: rooms in which little happened have no snapshot made, and are not waited for")
  func littleToFold() {
    let server = SimulatedServer(policy: unlimited())
    let (room, other) = (server.createRoom(), server.createRoom(RoomID(high: 1, low: 2)))
    server.join(room).command(.set("k", "1"))
    let writer = server.join(other)
    for number in 1...80 { writer.command(.note(number, bytes: 300)) }
    server.commits = false
    #expect(keep([room], of: server).count == 1)
    let store = server.store
    for room in [room, other] {
      #expect(server.wait { try? await store.latestSnapshot(of: room, notAfter: Revision(1_000)) } == nil)
    }
    #expect(keep([], of: server).count == 1)
  }
}
