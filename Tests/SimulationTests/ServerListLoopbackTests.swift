import BoardroomClient
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

/// A client with the addresses of two real nodes.
@Suite(.timeLimit(.minutes(15))) struct ServerListLoopbackTests {
  /// WebSockets, and where they were opened.
  private final class NotedTransport: Transport {
    private let inner: WebSocketTransport
    private let opened = Mutex<[Endpoint]>([])
    init(_ context: LoopContext) { inner = WebSocketTransport(on: context) }
    var endpoints: [Endpoint] { opened.withLock { $0 } }

    func open(
      _ endpoint: Endpoint, _ subprotocol: Subprotocol, events: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportConnection {
      opened.withLock { $0.append(endpoint) }
      return inner.open(endpoint, subprotocol, events: events)
    }
  }

  /// Joins until the first address that was tried is `first`: the order is one of chance.
  private func join(
    _ servers: EndpointList, first: Endpoint, _ server: LoopbackServer
  ) async throws -> (room: WhiteRoom, opened: [Endpoint]) {
    for _ in 0..<64 {
      let context = LoopContext()
      let transport = NotedTransport(context)
      let sdk = WhiteSDK(
        sdkConfiguration: WhiteSdkConfiguration(servers: servers), context: context, transport: transport)
      let config = WhiteRoomConfig(uuid: server.room.description, roomToken: server.token)
      let room = try await sdk.joinRoom(config)
      if transport.endpoints.first == first { return (room, transport.endpoints) }
      await room.disconnect()
    }
    throw CancellationError()
  }

  @Test("ADDR-8, ADDR-9: over real sockets a client that comes to another node goes to the owner of its room")
  func sentOn() async throws {
    try await LoopbackServer.run(apart: [], sendsOn: true) { server in
      let second = try #require(server.second)
      let both = try EndpointList([server.endpoint, second])
      let (room, opened) = try await join(both, first: second, server)
      #expect(opened == [second, server.endpoint])
      #expect(try await room.setGlobalState(["k": .bool(true)]).revision > 0)
      await room.disconnect()
    }
  }

  @Test(
    "ADDR-8, ADDR-9: a client that has not the owner's address stays at the node, and is joined by a pipe")
  func ownerUnknown() async throws {
    try await LoopbackServer.run(apart: [], sendsOn: true) { server in
      let second = try #require(server.second)
      let nobody = Endpoint(host: "127.0.0.1", port: 1)
      let (room, opened) = try await join(try EndpointList([nobody, second]), first: second, server)
      #expect(opened == [second, second])
      #expect(try await room.setGlobalState(["k": .bool(true)]).revision > 0)
      await room.disconnect()
    }
  }
}
