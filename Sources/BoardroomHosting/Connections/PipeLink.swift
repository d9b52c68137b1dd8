import BoardroomCodec
import EventLogModel

/// What another node needs to take a client over: everything that the client has said so far, and from where.
package struct PipeRequest: Sendable {
  /// The owner of the log.
  package var owner: NodeAddress
  package var log: LogID
  /// The client's hello, as it came.
  package var hello: [UInt8]
  package var subprotocol: Subprotocol
  /// The client's IP address; nil if it is not known.
  package var address: String?
}

/// How the opening of a pipe ended.
package enum PipeOpening: Sendable, Hashable {
  /// The owner has the client. Who gets this may say that the client is gone: then the pipe ends.
  case joined
  /// The node that was asked does not own the log.
  case notHere
  /// Nobody listens there, or nothing was said in time.
  case unreachable
  /// The owner does not want the client, or is no node, or is none that is trusted; or this node has no place for a pipe.
  case failed
}

/// A link whose client can be joined to another node. All methods are called on its loop.
package protocol PipeLink: MemberLink {
  /// Reads no more frames: what comes waits, at first in the transport and then at the client.
  func holdReading()
  /// Reads on.
  func goOn()
  /// Joins the client to the owner. What was held goes there, and so does all that comes later.
  ///
  /// - Parameter answer: called once, on the link's loop; false: nobody wants the pipe any more.
  func openPipe(_ request: PipeRequest, answer: @escaping (PipeOpening) -> Bool)
  /// Parts from the owner. Nothing of it is sent to the client any more.
  ///
  /// - Returns: whether the client can be told something: it has the last message of the owner whole, and no farewell.
  func endPipe() -> Bool
}
