import BoardroomCodec
import BoardroomModel
import EventLog
import EventLogModel
import NIOCore
import NIOPosix
import ServerTestKit
import Synchronization
import Testing

@testable import BoardroomAccess
@testable import BoardroomHosting
@testable import BoardroomServer

/// RFC 6455 from the first byte after the handshake on, against the pipeline that a server has.
@Suite(.timeLimit(.minutes(15))) struct FrameRuleTests {
  @Test("The table of frames has more than 268 kinds of cases, each once")
  func size() {
    let names = FrameCase.all.flatMap { family, cases in cases.map { "\(family): \($0.name)" } }
    #expect(names.count > 268, "\(names.count)")
    #expect(Set(names).count == names.count, "\(names.count)")
  }

  @Test(
    "WIRE-14, WIRE-15: frames, lengths, closes and texts are read as RFC 6455 has them, and nothing else is",
    arguments: FrameCase.all.map(\.family))
  func table(family: String) async throws {
    let cases = try #require(FrameCase.all.first { $0.family == family }).cases
    try await Port.run { ports in
      for one in cases {
        let heard = try await ports.say(one.bytes + FrameCase.closing(1_000), one.subprotocol)
        #expect(heard.code == one.closes, "\(one.name)")
        #expect(heard.pongs == one.pongs, "\(one.name)")
        guard one.closes != 1_000 else { continue }
        #expect(heard.isToldWhy == !one.isClose, "\(one.name): a farewell says why")
      }
    }
  }

  @Test("WIRE-14: what comes byte by byte is read as what comes at once", arguments: [1, 3])
  func drops(size: Int) async throws {
    let cases =
      FrameCase.fragments.filter { $0.bytes.count < 200 } + FrameCase.messages.filter { $0.bytes.count < 300 }
    try await Port.run { ports in
      for one in cases {
        let heard = try await ports.say(
          one.bytes + FrameCase.closing(1_000), one.subprotocol, inPiecesOf: size)
        #expect(heard.code == one.closes, "\(one.name)")
        #expect(heard.pongs == one.pongs, "\(one.name)")
      }
    }
  }

  @Test(
    "DESC-6: once a connection has ended for a flood, what came with it is thrown away, not read frame by frame"
  )
  func whatCameWithAFlood() async throws {
    let asked = Atomic(0)
    try await Port.run(whenAsked: { asked.add(1, ordering: .relaxed) }) { ports in
      let before = asked.load(ordering: .relaxed)
      let ping: [UInt8] = [0x89, 0x81, 0, 0, 0, 0, 0x78]
      let heard = try await ports.say(Array(repeatElement(ping, count: 30_000).joined()), .binary)
      #expect(heard.code == CloseCode.refused)
      #expect(heard.pongs.count == 40)
      // The clock is asked for each frame that is read: 40 are answered, and 1,000 ignored.
      #expect(asked.load(ordering: .relaxed) - before < 1_200)
    }
  }
}

extension FrameCase {
  /// What is wrong with a close frame is told by the answer's code alone: nothing may follow a close.
  fileprivate var isClose: Bool {
    bytes.first == 0x88 && bytes.count > 1 && bytes[1] & 0x7F < 126 && bytes[1] & 0x80 != 0
  }
}

/// One engine behind two ports, one for each subprotocol.
private struct Port {
  struct Heard {
    var code: UInt16 = 0
    var pongs: [[UInt8]] = []
    /// A message came before the end.
    var isToldWhy = false
  }

  private let numbers: [Subprotocol: Int]

  /// - Parameter whenAsked: called when the server looks at its clock.
  static func run(
    whenAsked: @escaping @Sendable () -> Void = {}, _ body: (Port) async throws -> Void
  ) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    // A clock that stands still: how long a busy machine takes is no silence of a client.
    let now = Timestamp(milliseconds: 1_700_000_000_000)
    let clock: @Sendable () -> Timestamp = {
      whenAsked()
      return now
    }
    let engine = RoomServerEngine(
      store: MemoryLogStore(), gatekeeper: OpenGate(), loops: EventLoopHome.all(of: group), clock: clock)
    try await engine.create(FrameCase.room, as: RoomCreated(name: "frames"), at: now)
    var servers: [any Channel] = []
    var numbers: [Subprotocol: Int] = [:]
    for subprotocol in Subprotocol.allCases {
      let server = try await ServerBootstrap(group: group)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try configureRoomSocket(
              channel: channel, engine: engine, subprotocol: subprotocol, isPlain: true)
          }.map { _ in }
        }
        .bind(host: "127.0.0.1", port: 0).get()
      servers.append(server)
      numbers[subprotocol] = try #require(server.localAddress?.port)
    }
    try await body(Port(numbers: numbers))
    await engine.drain()
    for server in servers { try await server.close() }
    try await group.shutdownGracefully()
  }

  /// All up to the server's close frame.
  func say(_ bytes: [UInt8], _ subprotocol: Subprotocol, inPiecesOf size: Int = .max) async throws -> Heard {
    let socket = try #require(RawSocket(port: numbers[subprotocol] ?? 0))
    var start = 0
    while start < bytes.count {
      let end = size < bytes.count - start ? start + size : bytes.count
      socket.send(Array(bytes[start..<end]))
      start = end
    }
    var (heard, rest) = (Heard(), [UInt8]())
    while heard.code == 0 {
      let next = await socket.receive()
      guard !next.isEmpty else { break }
      rest += next
      while heard.code == 0, let (opcode, payload) = Self.frame(from: &rest) {
        switch opcode {
        case 8: heard.code = payload.count > 1 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : 1_005
        case 10: heard.pongs.append(payload)
        default: heard.isToldWhy = true
        }
      }
    }
    return heard
  }

  private static func frame(from bytes: inout [UInt8]) -> (UInt8, [UInt8])? {
    guard bytes.count > 1 else { return nil }
    var (length, header) = (Int(bytes[1]), 2)
    if length > 125 {
      header += length == 126 ? 2 : 8
      guard bytes.count >= header else { return nil }
      length = bytes[2..<header].reduce(0) { $0 << 8 | Int($1) }
    }
    guard bytes.count >= header + length else { return nil }
    defer { bytes.removeFirst(header + length) }
    return (bytes[0] & 15, Array(bytes[header..<header + length]))
  }
}
