import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel
import TestKit
import Testing

/// A command that comes again is answered as it was the first time, whatever became of it and whoever is asked.
@Suite struct FirstReceiptTests {
  /// Commands that change nothing in a room where nothing has happened yet.
  private static let commands: [(name: String, command: Command)] = [
    ("storeDeleted", .state(.deleteStore("none"))), ("handRaised", .moderation(.hand(false))),
    ("roomLocked", .moderation(.lock(false))), ("writingAllowed", .moderation(.writing(0, isAllowed: true))),
    (
      "storeSet",
      .state(.setStore(StoreSet(store: "none", patch: JSONPatch(fields: [("gone", nil)]), onlyAbsent: true)))
    ),
    ("sceneMoved", .scenes(.move(path: "/init", target: "/init", index: 0))),
  ]

  @Test(
    "IDEM-5: what was done and changed nothing gets its first receipt when it is sent again, also after a restart",
    arguments: commands.map(\.name), [false, true])
  func idle(name: String, restarts: Bool) throws {
    let command = try #require(Self.commands.first { $0.name == name }).command
    let server = SimulatedServer(policy: unlimited())
    let room = server.createRoom()
    let (first, other) = (server.join(room), server.join(room))
    first.command(command)
    first.receive()
    let receipt = try #require(first.receipts.first)
    // The room goes on: the command would do something now.
    other.command(
      .state(.setStore(StoreSet(store: "none", patch: JSONPatch(fields: [("a", JSONText(unchecked: "1"))])))),
      .moderation(.lock(true)))
    let next = restarts ? server.restarted() : server
    if !restarts { first.cut() }
    let second = next.join(room, change: first.comeBack)
    #expect(second.welcome?.resumed == true)
    #expect(second.welcome?.lastCounter == 1)
    second.say(.commands([NumberedCommand(counter: 1, command: command)]))
    second.receive()
    #expect(second.receipts == [receipt])
    let seen = next.join(room).mirror
    #expect(seen.stores["none"]?["a"]?.text == "1", "it was not carried out now")
    #expect(seen.lock != nil, "it was not carried out now")
  }

  @Test(
    "IDEM-5: the record of a command that changed nothing names its kind, and moves nothing but the counter")
  func recorded() {
    let server = SimulatedServer(policy: unlimited())
    let room = server.createRoom()
    let author = server.join(room)
    let before = author.mirror
    author.command(.state(.deleteStore("none")))
    author.receive()
    #expect(author.events.last?.event == .diagnostics(.nothingChanged(kind: 40)))
    var expected = before
    expected.revision = author.mirror.revision
    expected.time = author.mirror.time
    expected.members[0]?.lastCounter = 1
    expected.members[0]?.lastRevision = author.mirror.revision
    #expect(author.mirror == expected)
  }

  @Test("IDEM-6: a receipt without an event names the same revision each time, however far the room has gone")
  func silent() {
    let server = SimulatedServer(policy: unlimited { $0.room.pointers = .off })
    let room = server.createRoom()
    let (author, other) = (server.join(room), server.join(room))
    let move = Command.drawing(.pointer(PointerMove(scene: 1, unit: 0, x: 1, y: 1)))
    author.command(move)
    other.command(.note(1), .note(2))
    author.say(.commands([NumberedCommand(counter: 1, command: move)]))
    author.receive()
    #expect(author.receipts.count == 2)
    #expect(author.receipts.first == author.receipts.last)
  }

  @Test(
    "IDEM-6: a position that another one took the place of gets the receipt of that one, also after a restart"
  )
  func superseded() {
    let server = SimulatedServer(policy: unlimited { $0.room.pointers = .every(.milliseconds(50)) })
    let room = server.createRoom()
    let first = server.join(room)
    func move(_ x: Int64) -> Command { .drawing(.pointer(PointerMove(scene: 1, unit: 0, x: x, y: 0))) }
    first.command(move(1), move(2), move(3))
    server.advance(by: .seconds(1)) { first.say(.heartbeat(first.mirror.revision)) }
    first.command(.note(1))
    first.receive()
    let receipts = first.receipts.sorted { $0.counter < $1.counter }
    #expect(receipts.map(\.counter) == [1, 2, 3, 4])
    #expect(receipts[1].revision == receipts[2].revision)
    let next = server.restarted()
    let second = next.join(room, change: first.comeBack)
    second.say(.commands((1...3).map { NumberedCommand(counter: $0, command: move(Int64($0))) }))
    second.receive()
    #expect(second.receipts.sorted { $0.counter < $1.counter } == Array(receipts.prefix(3)))
  }

  @Test(
    "IDEM-6: commands that come again in one message all get their first receipts, also when only the log has them"
  )
  func batch() {
    let server = SimulatedServer(policy: unlimited())
    let room = server.createRoom()
    let first = server.join(room)
    for number in 1...20 { first.command(.note(number)) }
    first.receive()
    let next = server.restarted()
    let second = next.join(room, change: first.comeBack)
    second.say(.commands((1...20).map { NumberedCommand(counter: $0, command: .note(Int($0))) }))
    second.receive()
    #expect(second.receipts.sorted { $0.counter < $1.counter } == first.receipts)
    #expect(next.join(room).mirror.members[0]?.lastCounter == 20)
    #expect(second.events.count { $0.kindName == "magix" } == 0, "nothing was applied twice")
  }
}
