import NIOCore
import NIOPosix
import ServerTestKit
import Synchronization
import Testing

@testable import BoardroomServer

#if canImport(Glibc)
  import Glibc

  /// A room's bytes go out on the socket itself, and through the channel while that has something to send.
  @Suite(.timeLimit(.minutes(15))) struct DirectSocketTests {
    @Test("WIRE-19: what is written goes to the socket itself, two messages of one flush as one piece")
    func direct() async throws {
      try await Line.run { line in
        try await line.onLoop { sender in
          sender.write("one")
          sender.write("two")
          sender.flush()
        }
        #expect(await line.peer.receive() == Array("onetwo".utf8))
        #expect(line.passed == 0)
      }
    }

    @Test(
      "WIRE-19: when the socket takes no more, the channel sends the rest, in order, and then the socket again"
    )
    func fallsBack() async throws {
      try await Line.run { line in
        let count = 3_000
        let padding = String(repeating: ".", count: 1_000)
        try await line.onLoop { sender in
          for number in 0..<count {
            sender.write("\(number)\(padding)\n")
            if number % 3 == 2 { sender.flush() }
          }
          sender.flush()
        }
        #expect(line.passed > 0, "three megabytes are more than the system takes")
        var heard: [UInt8] = []
        let expected = (0..<count).map { "\($0)\(padding)\n" }.joined()
        while heard.count < expected.utf8.count {
          let more = await line.peer.receive()
          try #require(!more.isEmpty)
          heard += more
        }
        #expect(heard.elementsEqual(expected.utf8))
        let before = line.passed
        try await line.untilSent()
        try await line.onLoop { sender in
          sender.write("again")
          sender.flush()
        }
        #expect(await line.peer.receive() == Array("again".utf8))
        #expect(line.passed == before, "the channel has sent everything")
      }
    }

    @Test(
      "WIRE-19: a large message goes through the channel, and what comes before and after it stays in order")
    func large() async throws {
      try await Line.run { line in
        let large = String(repeating: "x", count: DirectSocket.largest + 1)
        try await line.onLoop { sender in
          for message in ["a", large, "b"] { sender.write(message) }
          sender.flush()
        }
        var heard: [UInt8] = []
        while heard.count < large.utf8.count + 2 { heard += await line.peer.receive() }
        #expect(heard.elementsEqual("a\(large)b".utf8))
        #expect(line.passed > 0)
      }
    }

    @Test("WIRE-19: a channel that ends while it is told to send may be written to by whoever hears of that")
    func endsWhileSending() async throws {
      try await Line.run { line in
        let heard = Atomic(0)
        try await line.onLoop { sender in
          sender.whenInactive = {
            heard.add(1, ordering: .relaxed)
            sender.write("too late")
            sender.flush()
          }
          sender.write("first")
          sender.flush()
          // From here on the system answers each call that sends with an error.
          shutdown(sender.descriptor, Int32(SHUT_WR))
          sender.write("second")
          sender.flush()
        }
        #expect(heard.load(ordering: .relaxed) == 1, "it ended within the call")
        #expect(await line.peer.receive() == Array("first".utf8))
      }
    }

    @Test(
      "WIRE-19: nothing is sent on the descriptor of a closed channel, which is another connection's by then")
    func closed() async throws {
      try await Line.run { line in
        let reused = Atomic(false)
        let heard = Atomic(Int(-2))
        try await line.onLoop { sender in
          // One message waits for a flush that comes too late, one is written after the end.
          sender.write("before")
          let descriptor = sender.descriptor
          sender.close()
          var pair: [Int32] = [0, 0]
          guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0 else { return }
          if pair[0] != descriptor, fcntl(descriptor, F_GETFD) == -1 { dup2(pair[0], descriptor) }
          reused.store(fcntl(descriptor, F_GETFD) != -1, ordering: .relaxed)
          sender.write("after")
          sender.flush()
          var byte: UInt8 = 0
          heard.store(recv(pair[1], &byte, 1, Int32(MSG_DONTWAIT)), ordering: .relaxed)
          for one in Set(pair + [descriptor]) { Glibc.close(one) }
        }
        let isReused = reused.load(ordering: .relaxed)
        #expect(isReused, "the number was given away again")
        #expect(heard.load(ordering: .relaxed) == -1, "nobody else is told anything")
      }
    }
  }

  /// A connection whose server side is written to as a room does it.
  private struct Line: Sendable {
    let peer: RawSocket
    private let channel: any Channel
    private let sender: NIOLoopBound<Sender>
    private let counter: PassedWrites

    /// Messages that went through the channel's pipeline.
    var passed: Int { counter.count.load(ordering: .relaxed) }

    static func run(_ body: (Line) async throws -> Void) async throws {
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let opened = group.next().makePromise(of: (any Channel, NIOLoopBound<Sender>).self)
      let counter = PassedWrites()
      let server = try await ServerBootstrap(group: group)
        .childChannelOption(.socketOption(.so_sndbuf), value: 16 << 10)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let sender = Sender { opened.succeed((channel, NIOLoopBound($0, eventLoop: channel.eventLoop))) }
            try channel.pipeline.syncOperations.addHandlers([counter, sender])
          }
        }
        .bind(host: "127.0.0.1", port: 0).get()
      let peer = try #require(RawSocket(port: server.localAddress?.port ?? 0))
      let (channel, sender) = try await opened.futureResult.get()
      try await body(Line(peer: peer, channel: channel, sender: sender, counter: counter))
      try? await channel.close()
      try await server.close()
      try await group.shutdownGracefully()
    }

    func onLoop(_ work: @escaping @Sendable (Sender) -> Void) async throws {
      try await channel.eventLoop.submit { [sender] in work(sender.value) }.get()
    }

    /// The peer has read everything, so that the channel soon has nothing to send.
    func untilSent() async throws {
      while try await channel.getOption(.bufferedWritableBytes).get() > 0 { await Task.yield() }
    }
  }

  private final class Sender: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private var direct: DirectSocket?
    private var context: ChannelHandlerContext?
    private(set) var descriptor: Int32 = -1
    private let whenOpen: (Sender) -> Void
    var whenInactive = {}

    init(_ whenOpen: @escaping (Sender) -> Void) { self.whenOpen = whenOpen }

    func channelActive(context: ChannelHandlerContext) {
      self.context = context
      direct = DirectSocket.of(context.channel)
      let handle = try? context.channel.pipeline.syncOperations.withUnsafeTransportIfAvailable {
        (handle: NIOBSDSocket.Handle) in handle
      }
      descriptor = (handle ?? nil) ?? -1
      whenOpen(self)
    }

    func channelInactive(context: ChannelHandlerContext) { whenInactive() }

    func write(_ text: String) {
      guard let context else { return }
      direct?.write(ByteBuffer(string: text), context)
    }

    func flush() {
      guard let context else { return }
      direct?.flush(context)
    }

    func close() { context?.close(promise: nil) }
  }

  private final class PassedWrites: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = ByteBuffer
    let count = Atomic(0)

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      count.add(1, ordering: .relaxed)
      context.write(data, promise: promise)
    }
  }
#endif
