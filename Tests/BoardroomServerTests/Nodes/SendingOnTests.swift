import BoardroomHosting
import BoardroomModel
import EventLogModel
import ServerTestKit
import TestKit
import Testing

@testable import BoardroomServer

/// A node that names the owner of a room, in place of joining a client to it.
@Suite(.timeLimit(.minutes(15))) struct SendingOnTests {
  private static let accepts = ",\"acceptsAddress\":true"

  private func figures(_ nodes: TwoNodes) async throws -> [Double] {
    try await [
      TwoNodes.figure("boardroom_pipes_open", of: nodes.middle),
      TwoNodes.figure("boardroom_members", of: nodes.owner),
    ]
  }

  @Test("ADDR-9: a client that follows addresses is told the owner's, is in there, and no pipe is laid")
  func sentOn() async throws {
    try await TwoNodes.run(sendsOn: true) { nodes in
      let room = try await nodes.room()
      let client = try await NodeClient(nodes.middle)
      client.hello(room, by: nodes.middle, more: Self.accepts)
      let farewell = await client.comesIn()
      #expect(farewell.contains("\"code\":\"goingAway\""))
      #expect(farewell.contains("\"comeBack\":true"))
      let address = "\"address\":{\"host\":\"127.0.0.1\",\"port\":\(nodes.owner.port),\"isSecure\":false}"
      #expect(farewell.contains(address))
      let again = try await NodeClient(nodes.owner)
      again.hello(room, by: nodes.owner, more: Self.accepts)
      #expect(await again.comesIn().contains("\"m\":\"live\""))
      #expect(try await figures(nodes) == [0, 1])
    }
  }

  @Test(
    "ADDR-9: a client that does not say so is joined by a pipe, and so is every client of a node that may not name others"
  )
  func piped() async throws {
    for (sendsOn, more) in [(true, ""), (false, Self.accepts)] {
      try await TwoNodes.run(sendsOn: sendsOn) { nodes in
        let room = try await nodes.room()
        let client = try await NodeClient(nodes.middle)
        client.hello(room, by: nodes.middle, more: more)
        let heard = await client.comesIn()
        #expect(heard.contains("\"m\":\"live\""))
        #expect(!heard.contains("\"address\""))
        #expect(try await figures(nodes) == [1, 1])
      }
    }
  }

  @Test("ADDR-9: a stay goes on at the node that was named")
  func resumed() async throws {
    try await TwoNodes.run(sendsOn: true) { nodes in
      let room = try await nodes.room()
      let first = try await NodeClient(nodes.middle)
      first.hello(room, by: nodes.middle)
      await first.comesIn()
      let back = try await NodeClient(nodes.middle)
      back.hello(room, by: nodes.middle, more: try first.resuming() + Self.accepts)
      #expect(await back.comesIn().contains("\"address\""))
      let there = try await NodeClient(nodes.owner)
      there.hello(room, by: nodes.owner, more: try first.resuming())
      await there.comesIn()
      #expect(try there.field("resumed") == "true")
      let (before, after) = (try first.field("member"), try there.field("member"))
      #expect(before == after)
    }
  }

  @Test("ADDR-9: a stranger is refused before it learns where a room is")
  func strangers() async throws {
    try await TwoNodes.run(sendsOn: true) { nodes in
      let room = try await nodes.room()
      let client = try await NodeClient(nodes.middle)
      client.socket.sendFrame("{\"m\":\"hello\",\"room\":\"\(room)\",\"token\":\"x\"\(Self.accepts)}")
      let farewell = await client.comesIn()
      #expect(farewell.contains("\"code\":\"tokenInvalid\""))
      #expect(!farewell.contains("\"address\""))
    }
  }
}
