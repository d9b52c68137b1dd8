import BoardroomHTTP
import BoardroomHosting
import EventLogModel
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// What a server has with which other servers share a database's rooms: it joins clients to the nodes that own their
/// rooms, and takes the clients that others send. Shared by all loops.
final class PipeDesk: Sendable {
  struct Counts: Sendable, Equatable {
    var open = 0
    /// Pipes that could not be opened, since the start.
    var failed = 0
    /// Prefaces that were refused, since the start.
    var refused: [PrefaceFault: Int] = [:]
  }

  let gate: PrefaceGate
  let limits: PipeLimits
  private let trust: NIOSSLContext
  let clock: @Sendable () -> Timestamp
  private let pipes = Atomic<Int>(0)
  private let failures = Atomic<Int>(0)

  /// - Parameter trust: whose certificates of other nodes are believed.
  init(
    gate: PrefaceGate, limits: PipeLimits, trust: NIOSSLContext, clock: @escaping @Sendable () -> Timestamp
  ) {
    self.gate = gate
    self.limits = limits
    self.trust = trust
    self.clock = clock
  }

  /// - Parameter file: authorities in PEM; nil: those that the system trusts.
  static func trust(_ file: String?) -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    if let file { configuration.trustRoots = .file(file) }
    return configuration
  }

  var counts: Counts {
    Counts(
      open: pipes.load(ordering: .relaxed), failed: failures.load(ordering: .relaxed), refused: gate.refused)
  }

  // MARK: To the owner

  /// Begins a pipe. To be called on the client's loop.
  ///
  /// - Parameters:
  ///   - early: what the client has sent behind its hello, as far as it is here.
  ///   - answer: called once, on this loop; false: nobody wants the pipe any more.
  func open(
    _ request: PipeRequest, early: [UInt8], for client: any PipeClient, on loop: any EventLoop,
    answer: @escaping (PipeOpening) -> Bool
  ) {
    let header = PrefaceHeader(
      subprotocol: request.subprotocol, time: clock(), nonce: .random(), log: request.log,
      key: gate.proof.signer, node: request.owner.name)
    let address = request.address ?? ""
    let names = [header.key, header.node, address]
    guard names.allSatisfy({ $0.utf8.count <= PrefaceHeader.longestName }), enter() else {
      noteFailure()
      _ = answer(.failed)
      return
    }
    let preface = Preface(header: header, address: address, hello: request.hello, early: early)
    let pipe = Pipe(self, saying: preface.bytes(proving: gate.proof), client: client, answer: answer)
    pipe.open(to: request.owner, on: loop)
  }

  /// Takes a place; false if there is none. Who has one leaves once.
  func enter() -> Bool {
    guard pipes.wrappingAdd(1, ordering: .relaxed).newValue <= limits.pipes else {
      leave()
      return false
    }
    return true
  }

  /// A pipe has ended, or was never one.
  func leave(failed: Bool = false) {
    pipes.wrappingSubtract(1, ordering: .relaxed)
    if failed { noteFailure() }
  }

  /// A client, or a request, could not be brought to the owner.
  func noteFailure() { failures.wrappingAdd(1, ordering: .relaxed) }

  /// - Parameter pipe: the last handler of its channel.
  func bootstrap(_ pipe: Pipe, to node: NodeAddress, on loop: any EventLoop) -> ClientBootstrap {
    ClientBootstrap(group: loop)
      .connectTimeout(limits.opensWithin)
      .channelOption(.socketOption(.so_rcvbuf), value: .init(PipeLimits.fromOwner))
      .channelOption(
        .writeBufferWaterMark,
        value: .init(low: PipeLimits.toOwner / 4, high: PipeLimits.toOwner)
      )
      .channelInitializer { [trust] channel in
        channel.eventLoop.makeCompletedFuture {
          if node.isSecure {
            // A certificate can be for an address, which no server is asked for by name.
            let name = ClientAddress(node.host) == nil ? node.host : nil
            try channel.pipeline.syncOperations.addHandler(
              NIOSSLClientHandler(context: trust, serverHostname: name))
          }
          try channel.pipeline.syncOperations.addHandler(pipe)
        }
      }
  }
}

extension PipeDesk.Counts {
  var samples: [MetricSample] {
    [
      MetricSample(
        "boardroom_pipes_open", .gauge, Double(open),
        help:
          "Clients of this node that are joined, or being joined, to the nodes that own their rooms, and HTTP requests that are passed on to them."
      ),
      MetricSample(
        "boardroom_pipes_failed_total", .counter, Double(failed),
        help:
          "Times that a client could not be joined, or a request passed on, to the node that owns its room."
      ),
      MetricSample(
        "boardroom_prefaces_refused_total", .counter, Double(refused.values.reduce(0, +)),
        help: "Prefaces of other nodes, or of somebody who says so, that were refused."),
    ]
  }
}
