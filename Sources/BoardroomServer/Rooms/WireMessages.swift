import BoardroomCodec
import BoardroomModel
import EventLogModel
import NIOCore

/// Server messages as shared bytes, in the subprotocol that a connection speaks.
struct WireMessages: Sendable {
  let binary: WireCodec
  let json: WireCodec

  /// The types of the hot binary messages (docs/PROTOCOL.md, section 3), which are written here without a
  /// detour through a `Notice`.
  private enum MessageType {
    static let run: UInt8 = 66
    static let receipts: UInt8 = 68
  }

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
    case .json: return FrameWriter.frame(.text, RecordMirror.json(of: run))
    case .binary:
      var header: [UInt8] = []
      header.reserveCapacity(32)
      header.append(MessageType.run)
      Run.appendHeader(
        first: run.first, count: run.count, base: run.base, byteLength: run.records.count, to: &header)
      return FrameWriter.frame(.binary, count: header.count + run.records.count) {
        $0.writeBytes(header)
        $0.writeBytes(run.records)
      }
    }
  }

  func receipts(_ receipts: [Receipt], in subprotocol: Subprotocol) -> SharedBytes {
    switch subprotocol {
    case .json: return bytes(of: .receipts(receipts), in: .json)
    case .binary:
      var body: [UInt8] = []
      body.reserveCapacity(1 + receipts.count * 8)
      body.append(MessageType.receipts)
      for receipt in receipts {
        body.appendVarint(receipt.counter)
        body.appendVarint(receipt.revision.rawValue)
      }
      return FrameWriter.frame(.binary, body)
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
