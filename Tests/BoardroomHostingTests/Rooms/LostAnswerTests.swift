import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel
import TestKit
import Testing

/// Answers that only one message carries: found by lives of rooms from seeds (SimulationTests/ModelTests).
@Suite struct LostAnswerTests {
  private static let quiet = unlimited { $0.room.pointers = .off }
  private static let move = Command.drawing(.pointer(PointerMove(scene: 1, unit: 0, x: 1, y: 1)))

  @Test("IDEM-1: a command that was refused is refused again when it is sent again, also after a restart")
  func refusedAgain() {
    let server = SimulatedServer(policy: unlimited())
    let room = server.createRoom()
    let first = server.join(room)
    let command = Command.elements(.erase([ElementID(member: 9, number: 9)]))
    first.command(command)
    first.receive()
    #expect(first.refusals.map(\.refusal.code) == [.noSuchElement])
    let next = server.restarted()
    let second = next.join(room, change: first.comeBack)
    second.say(.commands([NumberedCommand(counter: 1, command: command)]))
    second.receive()
    #expect(second.receipts.isEmpty)
    #expect(second.refusals.map(\.refusal.code) == [.noSuchElement])
  }

  @Test("DEC-15: a receipt without an event waits until a full outbox has room")
  func fullOutbox() {
    let server = SimulatedServer(policy: Self.quiet)
    let room = server.createRoom()
    let (slow, other) = (server.join(room, outbox: 500), server.join(room))
    other.command(.note(1, bytes: 2_000))
    #expect(slow.link.isFull)
    slow.command(Self.move)
    slow.receive()
    server.advance(by: .seconds(1)) { slow.receive() }
    #expect(slow.receipts.map(\.counter) == [1])
  }

  @Test("IDEM-1: what was done without an event gets its receipt again over the next connection")
  func sentAgain() {
    let server = SimulatedServer(policy: Self.quiet)
    let room = server.createRoom()
    let first = server.join(room)
    first.command(Self.move)
    first.cut()
    let second = server.join(room, change: first.comeBack)
    second.say(.commands([NumberedCommand(counter: 1, command: Self.move)]))
    second.receive()
    #expect(second.receipts.map(\.counter) == [1])
  }
}
