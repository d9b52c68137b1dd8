import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import Foundation

/// What a node asks the one that owns a room, for spectators that are with the asking one (SPECT-4), as JSON.
package enum SpectatingQuestion: Sendable, Hashable, Codable {
  /// Whether newcomers with a reader's token come in as spectators. The answer is one byte, 1 or 0, or none while
  /// the room is not open.
  case takesSpectators(room: String)
  /// What the room's log has gained after a revision. The answer is a `LogNews`.
  case news(room: String, after: UInt64, limit: Int)

  /// Nil for bytes that are none.
  package init?(_ bytes: [UInt8]) {
    guard let question = try? JSONDecoder().decode(SpectatingQuestion.self, from: Data(bytes)) else {
      return nil
    }
    self = question
  }

  package var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map { [UInt8]($0) } ?? [] }

  var room: RoomID? {
    switch self {
    case .takesSpectators(let room), .news(let room, _, _): RoomID(room)
    }
  }
}

extension LogNews {
  /// u64 epoch, u64 last revision, u8 whether the room may be seen (`RoomSight`), then the runs, each as u32 length and the message that
  /// members of the binary subprotocol get of it. All integers are big endian.
  package func bytes(unpacking: (StoredRun) throws(LogError) -> Run) throws(LogError) -> [UInt8] {
    var bytes: [UInt8] = []
    func put(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value.bigEndian) { bytes += $0 } }
    put(epoch.rawValue)
    put(last.rawValue)
    put(sight.rawValue)
    let codec = WireCodec(.binary)
    for stored in runs {
      let message =
        switch stored.coding {
        case .lz4: codec.encode(server: .block(stored))
        case .plain: WireCodec.runMessage(try unpacking(stored))
        }
      put(UInt32(message.count))
      bytes += message
    }
    return bytes
  }

  /// Nil for bytes that are none.
  package init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    func take<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
      let size = MemoryLayout<Value>.size
      guard rest.count >= size else { return nil }
      defer { rest = rest.dropFirst(size) }
      return rest.prefix(size).reduce(0) { $0 << 8 | Value($1) }
    }
    guard let epoch = take(UInt64.self), let last = take(UInt64.self),
      let sight = take(UInt8.self).flatMap(RoomSight.init)
    else { return nil }
    var runs: [StoredRun] = []
    while !rest.isEmpty {
      guard let length = take(UInt32.self), rest.count >= Int(length) else { return nil }
      let message = Array(rest.prefix(Int(length)))
      rest = rest.dropFirst(Int(length))
      switch try? WireCodec(.binary).decodeServer(message) {
      case .run(let run): runs.append(StoredRun(run))
      case .block(let stored): runs.append(stored)
      default: return nil
      }
    }
    self.init(epoch: Epoch(epoch), last: Revision(last), sight: sight, runs: runs)
  }
}
