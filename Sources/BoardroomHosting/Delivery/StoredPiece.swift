import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// A read of the log that several members may be waiting for.
struct ReadKey: Hashable {
  let after: Revision
  let acceptsBlocks: Bool
}

/// Events read from the log: as stored, or unpacked and cut.
enum StoredPiece: Sendable {
  case run(Run)
  case block(StoredRun)

  static func read(
    _ room: RoomID, _ key: ReadKey, from store: any LogStore, limit: Int
  ) async throws(LogError) -> [StoredPiece] {
    var pieces: [StoredPiece] = []
    for stored in try await store.read(room, after: key.after, limit: limit) {
      if key.acceptsBlocks, stored.coding == .lz4, stored.first > key.after {
        pieces.append(.block(stored))
      } else if let run = try store.unpack(stored, of: room).suffix(after: key.after) {
        pieces.append(.run(run.shortened(toAbout: limit)))
        if run.records.count > limit { break }
      }
    }
    return pieces
  }

  var last: Revision {
    switch self {
    case .run(let run): run.lastRevision
    case .block(let stored): stored.lastRevision
    }
  }

  func message(_ wire: WireMessages, _ subprotocol: Subprotocol) -> SharedBytes {
    switch self {
    case .run(let run): wire.run(run, in: subprotocol)
    case .block(let stored): wire.bytes(of: .block(stored), in: subprotocol)
    }
  }

  /// The events up to `revision`; nil if there are none, or the block does not unpack.
  func run(of room: RoomID, through revision: Revision, in store: any LogStore) -> Run? {
    switch self {
    case .run(let run): run.prefix(through: revision)
    case .block(let stored): (try? store.unpack(stored, of: room))?.prefix(through: revision)
    }
  }
}
