import BoardroomHosting
import NIOCore

/// The bounds of pipes to other nodes.
struct PipeLimits: Sendable {
  /// Pipes that this node has at once, with those that are being opened.
  var pipes: Int
  /// Time for the connection to the owner, for TLS, and for its answer.
  var opensWithin = TimeAmount(OwnerBook.joinsWithin)

  /// Bytes that wait to go to the owner; with more, the client is not read. 64 KiB: one read.
  static let toOwner = 64 << 10
  /// Bytes that the system takes from the owner while the client takes none. 256 KiB, as the outbox of a member: more would
  /// only hide from the owner that its member is slow.
  static let fromOwner = 256 << 10
  /// Bytes that wait in one direction, also where the end of one side brings all that the system still had of it: with
  /// more, the pipe is cut. 1 MiB: an outbox, what the system takes from the owner (Linux doubles that), and a read.
  static let most = 1 << 20
  /// Connections to one node for requests that are passed on; more requests wait for one of them. 32: an address may have
  /// several times as many.
  static let requestConnections = 32
  /// Time after which such a connection without a request is closed. 30 s: half of the time after which the node closes it.
  static let idleRequests = TimeAmount.seconds(30)
  /// Time without a byte of an answer after which a node counts as gone. 60 s: reading a long log for a picture takes some.
  static let answersWithin = TimeAmount.seconds(60)
  /// Time for the last bytes to go out when the other side has ended. 2 s: as for the answer to a close frame.
  static let lastBytes = TimeAmount.seconds(2)
}
