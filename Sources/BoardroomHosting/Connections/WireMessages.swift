import BoardroomCodec
import BoardroomModel
import EventLogModel
import NIOCore

/// Server messages as shared bytes, in the subprotocol that a connection speaks.
final class WireMessages: Sendable {
  let binary: WireCodec
  let json: WireCodec

  init(limits: WireLimits) {
    binary = WireCodec(.binary, limits: limits)
    json = WireCodec(.json, limits: limits)
  }

  func codec(for subprotocol: Subprotocol) -> WireCodec {
    switch subprotocol {
    case .binary: binary
    case .json: json
    }
  }

  func bytes(of notice: Notice, in subprotocol: Subprotocol) -> SharedBytes {
    switch subprotocol {
    case .binary: FrameWriter.frame(.binary, binary.encode(server: notice))
    case .json: FrameWriter.frame(.text, json.encode(server: notice))
    }
  }

  func run(_ run: Run, in subprotocol: Subprotocol) -> SharedBytes {
    switch subprotocol {
    case .binary: FrameWriter.frame(.binary, WireCodec.runMessage(run))
    case .json: FrameWriter.frame(.text, RecordMirror.json(of: run))
    }
  }

  func receipts(_ receipts: [Receipt], in subprotocol: Subprotocol) -> SharedBytes {
    switch subprotocol {
    case .binary: FrameWriter.frame(.binary, WireCodec.receiptsMessage(receipts))
    case .json: bytes(of: .receipts(receipts), in: .json)
    }
  }
}

/// One message for all members of a room, encoded at most once per subprotocol.
struct EncodedOnce {
  private let make: (Subprotocol) -> SharedBytes
  private var binary: SharedBytes?
  private var json: SharedBytes?

  init(_ make: @escaping (Subprotocol) -> SharedBytes) {
    self.make = make
  }

  mutating func bytes(in subprotocol: Subprotocol) -> SharedBytes {
    switch subprotocol {
    case .binary:
      if let binary { return binary }
      let made = make(.binary)
      binary = made
      return made
    case .json:
      if let json { return json }
      let made = make(.json)
      json = made
      return made
    }
  }
}
