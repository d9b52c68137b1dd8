import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomLegacy
import BoardroomModel
import EventLog
import EventLogModel
import Foundation
import StorageTestKit
import TestKit
import Testing

/// The same client over real sockets, once: what the simulated network stands for.
@Suite(.timeLimit(.minutes(15))) struct LoopbackTests {
  @Test("RP-1, RP-36: over a real socket a player asks the server's HTTP interface, and its refusal is told")
  func replay() async throws {
    try await LoopbackServer.run { server in
      let sdk = WhiteSDK(sdkConfiguration: WhiteSdkConfiguration(endpoint: server.endpoint))
      let door = HTTPReplayDoor(server.endpoint)
      let health = await door.get("/healthz", headers: [])
      guard case .status(200, _) = health else { Issue.record("\(health)"); return }
      var config = WhitePlayerConfig(room: RoomID(high: 1, low: 9).description, roomToken: server.token)
      guard case .notReadable(let error) = await sdk.isPlayable(config) else {
        Issue.record("a room that is not there is playable")
        return
      }
      #expect([.notFound, .forbidden].contains(error.code))
      config.room = "x"
      #expect(!(await sdk.isPlayable(config)).isPlayable)
      let nobody = HTTPReplayDoor(Endpoint(host: "127.0.0.1", port: 1))
      guard case .failed = await nobody.get("/", headers: []) else { Issue.record("answered"); return }
    }
  }

  @Test(
    "Over real sockets: two members in both subprotocols join, draw, agree with the log, and leave",
    arguments: [Subprotocol.binary, .json])
  func conversation(_ subprotocol: Subprotocol) async throws {
    try await LoopbackServer.run { server in
      func sdk(_ subprotocol: Subprotocol) -> WhiteSDK {
        WhiteSDK(
          sdkConfiguration: WhiteSdkConfiguration(endpoint: server.endpoint, subprotocol: subprotocol))
      }
      let config = WhiteRoomConfig(uuid: server.room.description, roomToken: server.token)
      let (first, second) = (sdk(subprotocol), sdk(.binary))
      let recorder = Recorder { 0 }
      let a = try await first.joinRoom(config, callbacks: recorder)
      let b = try await second.joinRoom(config)
      #expect(recorder.phases.map(\.phase) == [.connecting, .connected])
      var heard = a.events.makeAsyncIterator()
      let stroke = a.beginStroke(WhitePen(), [WhitePoint(x: 0, y: 0)])
      for step in 1...50 { stroke.extend([WhitePoint(x: Double(step), y: 1)], completion: nil) }
      try await stroke.end()
      let receipt = try await b.setGlobalState(["done": .bool(true)])
      while let event = await heard.next(), event.revision < receipt.revision {}
      let (one, two) = (await a.getBoard(), await b.getBoard())
      #expect(one.globalState["done"]?.text == "true")
      #expect(StateEncoder.hash(of: one) == StateEncoder.hash(of: two))
      #expect(one.elements[try #require(stroke.id)] != nil)
      await a.disconnect()
      #expect(a.phase == .disconnected)
      #expect(a.disconnectedBySelf)
      let runs = try await server.store.allRuns(of: server.room)
      #expect(runs.reduce(0) { $0 + $1.count } > 50)
      await b.disconnect()
    }
  }

  @Test("Over real sockets: a bad token fails the join with its code")
  func badToken() async throws {
    try await LoopbackServer.run { server in
      let sdk = WhiteSDK(sdkConfiguration: WhiteSdkConfiguration(endpoint: server.endpoint))
      let config = WhiteRoomConfig(uuid: server.room.description, roomToken: "NETLESSROOM_nonsense")
      let refused = await code { try await sdk.joinRoom(config) }
      #expect(refused == .tokenInvalid)
    }
  }

  @Test("With TLS, wss: who trusts the certificate joins and draws; a stranger's proof ends the join at once")
  func secureConversation() async throws {
    try await LoopbackServer.run(tls: Certificates.server.files) { server in
      let config = WhiteRoomConfig(uuid: server.room.description, roomToken: server.token)
      func sdk(_ trusted: Certificates?) throws -> WhiteSDK {
        let trust = try trusted.map { try TrustRoots(pem: try Self.content($0.certificate)) }
        return WhiteSDK(sdkConfiguration: WhiteSdkConfiguration(endpoint: server.endpoint, trust: trust))
      }
      let keeper = try sdk(.server)
      let room = try await keeper.joinRoom(config)
      let receipt = try await room.setGlobalState(["by": .string("wss")])
      #expect(receipt.revision > 0)
      await room.disconnect()
      for stranger: Certificates? in [nil, .elsewhere] {
        do {
          _ = try await sdk(stranger).joinRoom(config)
          Issue.record("joined a server that nobody vouches for")
        } catch let error as BoardroomError {
          #expect(error.code == .networkLost)
          #expect(error.cause.contains("does not prove who it is"), "\(error)")
        }
      }
    }
  }

  @Test("A certificate for another name is none, whoever vouches for it")
  func wrongName() async throws {
    try await LoopbackServer.run(tls: Certificates.elsewhere.files) { server in
      let trust = try TrustRoots(pem: try Self.content(Certificates.elsewhere.certificate))
      let sdk = WhiteSDK(sdkConfiguration: WhiteSdkConfiguration(endpoint: server.endpoint, trust: trust))
      let config = WhiteRoomConfig(uuid: server.room.description, roomToken: server.token)
      let refused = await code { try await sdk.joinRoom(config) }
      #expect(refused == .networkLost)
    }
  }

  @Test("What is no certificate is not taken as one to trust")
  func noCertificate() {
    for text in ["", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
      #expect(throws: BoardroomError.self) { try TrustRoots(pem: Array(text.utf8)) }
    }
  }

  private static func content(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private func code<Value>(_ body: () async throws -> Value) async -> RefusalCode? {
    do { _ = try await body() } catch { return (error as? BoardroomError)?.code ?? .internalFailure }
    return nil
  }
}
