import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// The way to one connection, as a room keeps it.
struct ConnectionOutput {
  let connection: ConnectionHandle
  let loopOutbox: LoopOutbox
  let acceptsBlocks: Bool

  var id: ConnectionID { connection.id }
  var isFull: Bool { connection.link.isFull }
  var subprotocol: Subprotocol { connection.subprotocol }

  func send(_ bytes: SharedBytes) { loopOutbox.send(bytes, to: connection.link) }
}

/// A snapshot as messages, encoded when first asked for and shared by all who receive it.
final class SnapshotMessages {
  let snapshot: Snapshot
  private let wire: WireMessages
  private var binary: [SharedBytes?]
  private var json: [SharedBytes?]

  init(_ snapshot: Snapshot, wire: WireMessages) {
    self.snapshot = snapshot
    self.wire = wire
    binary = Array(repeating: nil, count: snapshot.parts.count + 1)
    json = binary
  }

  var count: Int { snapshot.parts.count + 1 }
  /// Bytes of root and parts.
  var byteCount: Int { snapshot.parts.reduce(snapshot.root.count) { $0 + $1.bytes.count } }

  func message(_ index: Int, in subprotocol: Subprotocol) -> SharedBytes {
    let kept =
      switch subprotocol {
      case .binary: binary[index]
      case .json: json[index]
      }
    if let kept { return kept }
    let made = wire.bytes(of: notice(index), in: subprotocol)
    switch subprotocol {
    case .binary: binary[index] = made
    case .json: json[index] = made
    }
    return made
  }

  private func notice(_ index: Int) -> Notice {
    guard index > 0 else {
      return .snapshotRoot(
        revision: snapshot.revision, time: snapshot.time, stateHash: snapshot.stateHash,
        parts: snapshot.parts.count, bytes: snapshot.root)
    }
    return .snapshotPart(snapshot.parts[index - 1].bytes)
  }
}
