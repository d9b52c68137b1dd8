import BoardroomHosting
import EventLogModel
import ServerTestKit
import Testing

@testable import BoardroomServer

@Suite(.timeLimit(.minutes(15))) struct HandOverTests {
  @Test(
    "PIPE-12: when a node hears that another one is gone, whoever is joined to that is told at once to come back"
  )
  func nodeGone() async throws {
    try await TwoNodes.run { nodes in
      let room = try await nodes.room()
      // A room of the same owner, by another way: as of a third node.
      let way = try await CutWay.to(nodes.owner.port)
      let other = try await nodes.room(through: way.port)
      let clients = (try await NodeClient(nodes.middle), try await NodeClient(nodes.middle))
      clients.0.hello(room, by: nodes.middle)
      await clients.0.comesIn()
      clients.1.hello(other, by: nodes.middle)
      await clients.1.comesIn()
      // The owner is there all the time, as one that stands still, and closes nothing.
      nodes.gone.yield(nodes.address())
      let farewell = await clients.0.hears("\"m\":\"farewell\"")
      #expect(farewell.contains("\"code\":\"goingAway\""), "\(farewell)")
      #expect(farewell.contains("\"comeBack\":true"))
      clients.1.say("still-here")
      #expect(await clients.1.hears("\"m\":\"receipts\"").contains("receipts"))
      #expect(try await TwoNodes.figure("boardroom_pipes_open", of: nodes.middle) == 1)
      nodes.middleOwners.say(.here, of: room)
      let again = try await NodeClient(nodes.middle)
      again.hello(room, by: nodes.middle)
      #expect(await again.comesIn().contains("\"m\":\"live\""), "what was known of the owner is forgotten")
      try await way.end()
    }
  }

  @Test(
    "PIPE-11: a node that ends gives its rooms up before it sends their members off, and hears nothing more meanwhile"
  )
  func handOver() async throws {
    try await TwoNodes.run { nodes in
      let room = try await nodes.room()
      let far = try await NodeClient(nodes.middle)
      far.hello(room, by: nodes.middle)
      await far.comesIn()
      far.say("before")
      #expect(await far.hears("\"m\":\"receipts\"").contains("receipts"))
      let (released, release) = AsyncStream.makeStream(of: [LogID].self)
      let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
      nodes.ownerOwners.whenReleased { logs in
        release.yield(logs)
        return logs.contains(room) ? await answers.first { _ in true } ?? false : true
      }
      let ending = Task { await nodes.owner.shutDown() }
      var steps = released.makeAsyncIterator()
      #expect(await steps.next() == [], "what would take long is done first")
      #expect(await steps.next()?.contains(room) == true)
      far.say("meanwhile", 2)
      // A round to the owner and back, behind what was said.
      far.socket.send([0x89, 0x85, 0, 0, 0, 0] + Array("round".utf8))
      await far.hears("round")
      #expect(!far.heard.contains("farewell"))
      nodes.middleOwners.say(.here, of: room)
      answer.yield(true)
      let farewell = await far.hears("\"m\":\"farewell\"")
      #expect(farewell.contains("\"code\":\"goingAway\""), "\(farewell)")
      #expect(farewell.contains("\"comeBack\":true"))
      #expect(!far.heard.contains("\"receipts\":[[2"), "what is not in the log has no receipt")
      let again = try await NodeClient(nodes.middle)
      again.hello(room, by: nodes.middle, more: try far.resuming())
      await again.comesIn()
      #expect(try again.field("resumed") == "true")
      #expect(!again.heard.contains("meanwhile"))
      again.say("meanwhile", 2)
      #expect(await again.hears("\"receipts\":[[2").contains("\"receipts\":[[2"))
      await ending.value
    }
  }
}
