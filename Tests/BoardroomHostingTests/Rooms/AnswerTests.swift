import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLog
import EventLogModel
import TestKit
import Testing

@Suite struct AnswerTests {
  @Test("A command sent again is not applied twice and gets its first receipt: queue, tail and log")
  func duplicates() {
    let policy = unlimited { policy in
      policy.tail = 40 << 10
    }
    let server = SimulatedServer(policy: policy)
    let room = server.createRoom()
    let author = server.join(room)
    for number in 1...100 { author.command(.note(number, bytes: 1_000)) }
    author.receive()
    let first = author.receipts
    // 1 is in the log only, 99 in the tail, 100 the last.
    for counter in [CommandCounter(1), 99, 100] {
      author.say(.commands([NumberedCommand(counter: counter, command: .note(0))]))
      author.receive()
      #expect(author.receipts.last == first[Int(counter) - 1])
    }
    #expect(author.events.count { $0.kindName == "magix" } == 100)
    server.commits = false
    author.command(.set("a", "1"))
    author.say(.commands([NumberedCommand(counter: 101, command: .note(0))]))
    server.commit()
    author.receive()
    #expect(author.receipts.count { $0.counter == 101 } == 1)
    #expect(author.faults == [])
  }

  @Test("A refused command sent again is told its first refusal")
  func duplicateRefusal() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let reader = server.join(room) { $0.isWritable = false }
    reader.command(.set("a", "1"))
    reader.say(.commands([NumberedCommand(counter: 1, command: .set("a", "1"))]))
    reader.receive()
    #expect(reader.refusals.map(\.refusal.code) == [.notWritable, .notWritable])
    #expect(reader.refusals.first?.revision == reader.refusals.last?.revision)
    #expect(reader.events.count { $0.kindName == "refused" } == 1)
  }

  @Test("Commands in flight when the connection broke are sent again under their numbers and apply once")
  func resend() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let author = server.join(room)
    author.command(.note(1), .note(2))
    author.cut()
    let back = server.join(room, change: author.comeBack)
    #expect(back.welcome?.lastCounter == 2)
    back.say(
      .commands((2...3).map { NumberedCommand(counter: $0, command: .note(Int($0))) }))
    back.receive()
    let notes = server.join(room).mirror
    #expect(back.receipts.map(\.counter).sorted() == [2, 3])
    #expect(notes.members[0]?.lastCounter == 3)
    #expect(back.events.count { $0.kindName == "magix" } == 3)
  }

  @Test("A full log: the refusal comes at once, also while what was taken before still waits for space")
  func fullLog() {
    let server = SimulatedServer()
    let author = server.join(server.createRoom())
    server.commits = false
    author.command(.note(1))
    server.store.refuse(.full(place: "memory"))
    author.command(.note(2))
    author.receive()
    #expect(author.refusals.map(\.counter) == [2])
    #expect(author.refusals.map(\.refusal.code) == [.logFull])
    #expect(author.receipts == [])
    server.store.refuse(nil)
    server.commit()
    author.receive()
    #expect(author.receipts.map(\.counter) == [1])
    #expect(author.faults == [])
  }

  @Test(
    "IDEM-8: a welcome says which counters are used up without an event; after a restart of the server it is none"
  )
  func decidedWithoutEvent() throws {
    let server = SimulatedServer()
    let room = server.createRoom()
    let author = server.join(room)
    author.command(.note(1))
    server.store.refuse(.full(place: "memory"))
    author.command(.note(2), .note(3))
    server.store.refuse(nil)
    author.receive()
    author.cut()
    let back = server.join(room, change: author.comeBack)
    let welcome = try #require(back.welcome)
    #expect(welcome.lastCounter == 1)
    #expect(welcome.decided == 3)
    back.cut()
    let restarted = server.restarted().join(room, change: back.comeBack)
    #expect(restarted.welcome?.lastCounter == 1)
    #expect(restarted.welcome?.decided == nil)
  }

  @Test(
    "IDEM-6: a command that a full log refused has used its number up, and is refused so again when it comes again"
  )
  func fullLogAgain() {
    let server = SimulatedServer()
    let author = server.join(server.createRoom())
    let again = ClientNotice.commands([NumberedCommand(counter: 1, command: .note(1))])
    server.store.refuse(.full(place: "memory"))
    author.command(.note(1))
    author.say(again)
    server.store.refuse(nil)
    author.say(again)
    author.command(.note(2))
    author.receive()
    #expect(author.refusals.map(\.counter) == [1, 1, 1])
    #expect(author.refusals.map(\.refusal.code) == [.logFull, .logFull, .logFull])
    #expect(author.receipts.map(\.counter) == [2])
    #expect(author.events.count { $0.kindName == "magix" } == 1)
    #expect(author.faults == [])
  }

  @Test("A full log: a member that falls silent does not cost the others their room; it is told later")
  func silenceWhileFull() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let (one, other) = (server.join(room), server.join(room))
    server.store.refuse(.full(place: "memory"))
    other.cut()
    server.advance(by: .seconds(2)) { one.say(.heartbeat(0)) }
    one.receive()
    #expect(one.farewell == nil)
    server.store.refuse(nil)
    server.advance(by: .seconds(1)) { one.say(.heartbeat(0)) }
    one.receive()
    #expect(one.mirror.members[1]?.phase == .reconnecting)
  }

  @Test("A counter that leaves a gap is refused as outOfOrder")
  func gap() {
    let server = SimulatedServer()
    let author = server.join(server.createRoom())
    author.say(.commands([NumberedCommand(counter: 5, command: .note(1))]))
    author.receive()
    #expect(author.refusals.map(\.refusal.code) == [.outOfOrder])
  }

  @Test("WIRE-8: a command that cannot be read is refused by its number, those after it are carried out")
  func unreadable() {
    let server = SimulatedServer()
    let author = server.join(server.createRoom())
    // Two pointers, the second of them held back; then an unreadable globalState; then a good one.
    author.command(
      .drawing(.pointer(PointerMove(scene: 1, unit: 0, x: 1, y: 1))),
      .drawing(.pointer(PointerMove(scene: 1, unit: 0, x: 2, y: 2))))
    author.say(bytes: [2, 4, 23, 3, 0x7b, 0x22, 0x7d])
    author.count(from: 3)
    author.command(.set("a", "1"))
    server.advance(by: .milliseconds(250))
    author.receive()
    #expect(author.refusals.map(\.counter) == [3])
    #expect(author.receipts.map(\.counter).sorted() == [1, 2, 4])
    #expect(author.mirror.globalState["a"]?.text == "1")
    #expect(author.faults == [])
  }

  @Test("A command that cannot be read and leaves a gap is told which number is expected, too")
  func unreadableGap() {
    let server = SimulatedServer()
    let author = server.join(server.createRoom())
    author.say(bytes: [2, 4, 23, 5, 0x7b, 0x22, 0x7d])
    author.receive()
    #expect(author.refusals.map(\.refusal.code) == [.outOfOrder])
    #expect(author.refusals.map(\.refusal.actual) == [5])
    #expect(author.refusals.map(\.refusal.allowed) == [1])
  }

  @Test(
    "WIRE-8, BOUND-7: a flood of unreadable commands does not fill the log: after 100 the connection ends")
  func unreadableFlood() {
    let server = SimulatedServer()
    let author = server.join(server.createRoom())
    let flood: [UInt8] = (1...UInt8(120)).flatMap { [4, 23, $0, 0x7b, 0x22, 0x7d] as [UInt8] }
    author.say(bytes: [2] + flood)
    author.receive()
    #expect(author.farewell?.refusal.code == .rateLimited)
    #expect(author.link.closeCode == CloseCode.refused)
    let state = server.join(RoomID(high: 1, low: 1)).mirror
    #expect(state.members[0]?.lastCounter == 1, "one refusal a second is recorded")
  }

  @Test("SES-16: a connection that does not say hello within 5 s is told so and closed")
  func helloTimeout() {
    let server = SimulatedServer()
    let silent = server.connect()
    server.advance(by: .milliseconds(4_750))
    #expect(silent.link.closeCode == nil)
    server.advance(by: .milliseconds(250))
    silent.receive()
    #expect(silent.farewell?.refusal.code == .tooSlowHello)
    #expect(silent.link.closeCode == CloseCode.refused)
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let code: RefusalCode
    var afterHello = true
    /// Otherwise the command alone is refused and the connection goes on.
    var ends = true
  }

  static let bad: [Bad] = [
    Bad(testDescription: "nothing", bytes: [], code: .malformed),
    Bad(testDescription: "an unknown type", bytes: [99], code: .malformed),
    Bad(testDescription: "a command cut off", bytes: [2, 9, 23, 1], code: .malformed),
    Bad(testDescription: "a command without a number", bytes: [2, 1, 23, 0], code: .malformed),
    Bad(
      testDescription: "a command of an unknown kind", bytes: [2, 1, 200, 1], code: .unknownKind, ends: false),
    Bad(
      testDescription: "a command whose JSON is none", bytes: [2, 4, 23, 1, 0x7b, 0x22, 0x7d],
      code: .malformed,
      ends: false),
    Bad(
      testDescription: "commands before hello", bytes: [2, 1, 23, 1], code: .outOfOrder, afterHello: false),
    Bad(testDescription: "heartbeat before hello", bytes: [3, 1], code: .outOfOrder, afterHello: false),
    Bad(testDescription: "leave before hello", bytes: [4], code: .outOfOrder, afterHello: false),
    Bad(testDescription: "a hello that is no JSON", bytes: [1, 0x7b], code: .malformed, afterHello: false),
    Bad(
      testDescription: "a message over the limit", bytes: [UInt8](repeating: 2, count: 300 << 10),
      code: .tooLarge),
  ]

  @Test(
    "SES-16, WIRE-8: bad bytes, and anything before hello, are answered with code, cause and cure",
    arguments: bad)
  func badBytes(_ bad: Bad) throws {
    let server = SimulatedServer()
    let room = server.createRoom()
    let peer = bad.afterHello ? server.join(room) : server.connect()
    peer.say(bytes: bad.bytes)
    peer.receive()
    let told = bad.ends ? peer.farewell?.refusal : peer.refusals.first?.refusal
    let refusal = try #require(told)
    #expect(refusal.code == bad.code)
    #expect(!refusal.cause.isEmpty)
    #expect(!refusal.cure.isEmpty)
    #expect((peer.link.closeCode != nil) == bad.ends)
    #expect(peer.farewell?.comeBack != true)
  }

  @Test("SES-16: a second hello ends the connection, not the stay")
  func secondHello() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let peer = server.join(room)
    peer.say(.hello(Hello(room: room, token: "")))
    peer.receive()
    #expect(peer.farewell?.refusal.code == .outOfOrder)
    let back = server.join(room, change: peer.comeBack)
    #expect(back.welcome?.resumed == true)
  }

  @Test("A room that does not exist, a token that is refused, a full room: told at the door")
  func door() {
    struct Closed: Gatekeeper {
      func admit(
        _ hello: Hello, from address: String?, at now: Timestamp
      ) throws(Refusal) -> Admission {
        guard hello.token == "good" else { throw Refusal(.tokenInvalid) }
        return Admission(role: .writer)
      }
    }
    let server = SimulatedServer(gatekeeper: Closed())
    let room = server.createRoom(limit: 1)
    #expect(server.join(room).farewell?.refusal.code == .tokenInvalid)
    #expect(server.join(RoomID(high: 9, low: 9)) { $0.token = "good" }.farewell?.refusal.code == .notFound)
    #expect(server.join(room) { $0.token = "good" }.isLive)
    let third = server.join(room) { $0.token = "good" }
    #expect(third.farewell?.refusal.code == .writerLimit)
    #expect(third.link.closeCode == CloseCode.refused)
  }

  @Test("KICK-crash: a failed commit: everyone is told to come back, and the state is the log's")
  func commitFailure() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let (author, other) = (server.join(room), server.join(room))
    author.command(.set("kept", "1"))
    author.receive()
    other.receive()
    server.commits = false
    author.command(.set("lost", "2"))
    server.store.fail(.stopped(reason: "the disk is gone"))
    server.settle()
    author.receive()
    other.receive()
    for peer in [author, other] {
      #expect(peer.farewell?.kick == .crash)
      #expect(peer.farewell?.comeBack == true)
      #expect(peer.farewell?.refusal.code == .internalFailure)
      #expect(peer.mirror.globalState["lost"] == nil)
      #expect(peer.link.closeCode == CloseCode.internalFailure)
    }
    #expect(author.receipts.map(\.counter) == [1])
    let engine = server.engine
    #expect(server.wait { await engine.counts() }.rooms == 0)
  }
}
