import BoardroomModel
import EventLogModel
import TestKit
import Testing

@Suite("Boards that are not recorded") struct UnrecordedTests {
  @Test(
    "RIGHT-8: who joins a board that is not recorded sees it as it is, and not how it became so, whatever its cursor",
    arguments: [true, false])
  func joining(isRecord: Bool) {
    let server = SimulatedServer()
    let room = server.createRoom(isRecord: isRecord)
    let ana = server.join(room)
    for value in 1...5 { ana.command(.set("secret", "\(value)")) }
    ana.receive()
    let cursors: [Cursor?] = [nil, ana.welcome.map { Cursor(epoch: $0.epoch, revision: .zero) }]
    for cursor in cursors + [ana.welcome.map { Cursor(epoch: $0.epoch, revision: 4) }] {
      let late = server.join(room) { hello in
        hello.token = "reader"
        hello.cursor = cursor
      }
      #expect(late.isLive)
      let told = late.events.filter { $0.kindName == "globalState" }
      #expect(told.isEmpty == !isRecord, "\(late.plan as Any)")
      guard !isRecord else { continue }
      #expect(late.plan?.mode == .snapshot)
      #expect(late.plan?.reason == .newStay)
      #expect(late.faults.isEmpty)
      #expect(late.mirror.globalState["secret"] != nil)
      // From then on it is told all.
      ana.command(.set("more", "1"))
      late.receive()
      #expect(late.events.map(\.kindName).contains("globalState"))
      ana.receive()
    }
  }

  @Test(
    "RIGHT-8: who comes back to its own stay is told what it missed, and nothing of before it, also after a restart",
    arguments: [false, true])
  func comingBack(restarts: Bool) {
    var server = SimulatedServer()
    let room = server.createRoom(isRecord: false)
    var ana = server.join(room)
    ana.command(.set("before", "1"))
    // Where a stay of before the restart began is told by its time.
    server.advance(by: .seconds(1))
    let ben = server.join(room)
    ben.cut()
    ana.command(.set("meanwhile", "2"))
    ana.receive()
    if restarts {
      let next = server.restarted()
      ana = next.join(room, change: ana.comeBack)
      server = next
    }
    let back = server.join(room, change: ben.comeBack)
    back.takeOver(ben)
    back.receive()
    #expect(back.welcome?.resumed == true)
    #expect(back.plan?.mode == .delta)
    #expect(back.events.count { $0.kindName == "globalState" } == 1, "what was set meanwhile")
    let early = server.join(room) { hello in
      ben.comeBack(&hello)
      hello.cursor = hello.cursor.map { Cursor(epoch: $0.epoch, revision: 1) }
    }
    #expect(early.welcome?.resumed == true)
    #expect(early.plan?.mode == .snapshot)
    #expect(early.events.count { $0.kindName == "globalState" } <= 1, "what was set before it came")
  }
}
