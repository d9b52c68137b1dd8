import BoardroomAccess
import BoardroomHosting
import EventLogModel
import Synchronization

/// What every message of one node to another says, so that it is good once, there and for a while.
protocol NodeMessage {
  /// How many nodes have sent the client on, with the one that says this.
  var hops: Int { get }
  /// When it was said.
  var time: Timestamp { get }
  var nonce: PrefaceNonce { get }
  /// The name of the node that it is for.
  var node: String { get }
}

extension PrefaceHeader: NodeMessage {}

/// Decides which prefaces are good: right proof, for this node, fresh, never seen, and not sent on before. Shared by all
/// loops.
final class PrefaceGate: Sendable {
  /// How far the clocks of two nodes may differ, with the way from one to the other. 30 s: machines that set their clocks
  /// are within one.
  static let window = Duration.seconds(30)
  /// Prefaces that are remembered at once. 1,000,000: 16,000 clients a second, for a minute; 32 MiB.
  static let most = 1_000_000

  private struct Seen {
    /// Nonces of the present stretch of time, and of the one before: each is as long as a preface can be good.
    var present: Set<PrefaceNonce> = []
    var before: Set<PrefaceNonce> = []
    var since: Timestamp
    var refused: [PrefaceFault: Int] = [:]
  }

  /// This node's name.
  let node: String
  let proof: NodeProof
  /// Bytes that a content may have.
  private let longest: Int
  private let most: Int
  private let clock: @Sendable () -> Timestamp
  /// What was said before that may have been heard by an earlier run of this node, which took its memory along.
  private let start: Timestamp
  private let seen: Mutex<Seen>

  init(
    node: String, proof: NodeProof, largestHello: Int, most: Int = PrefaceGate.most,
    clock: @escaping @Sendable () -> Timestamp
  ) {
    self.node = node
    self.proof = proof
    longest = Preface.longest(hello: largestHello)
    self.most = most
    self.clock = clock
    start = clock()
    seen = Mutex(Seen(since: start))
  }

  /// Throws why a preface whose proof is right is refused all the same. Each can be let in once.
  func admit(_ preface: any NodeMessage) throws(PrefaceFault) {
    let now = clock()
    guard preface.node == node else { throw .misdirected }
    guard preface.hops <= PrefaceHeader.mostHops else { throw .circle }
    guard preface.time >= start, preface.time + Self.window >= now, now + Self.window >= preface.time else {
      throw .late
    }
    let most = most
    try seen.withLock { seen throws(PrefaceFault) in
      if now - seen.since >= Self.window * 2 {
        (seen.before, seen.present, seen.since) = (seen.present, [], now)
      }
      guard !seen.before.contains(preface.nonce) else { throw .replayed }
      guard seen.present.count < most else { throw .flood }
      guard seen.present.insert(preface.nonce).inserted else { throw .replayed }
    }
  }

  /// Reads one preface that comes.
  func reading() -> PrefaceReading {
    PrefaceReading(proof, longest: longest) {
      [self] (header: PrefaceHeader) throws(PrefaceFault) -> Void in try admit(header)
    }
  }

  func count(_ fault: PrefaceFault) { seen.withLock { $0.refused[fault, default: 0] += 1 } }

  /// How many were refused since the start, by why.
  var refused: [PrefaceFault: Int] { seen.withLock { $0.refused } }
}
