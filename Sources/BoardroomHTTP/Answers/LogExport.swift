import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import Hummingbird

/// Writes a file of stored blocks. The caller of the server passes it in, because the format is part of the
/// tools (docs/FORMAT.md, "Block files").
public protocol BlockFileFormat: Sendable {
  func header(of info: LogInfo) -> [UInt8]
  func piece(_ stored: StoredRun) -> [UInt8]
  func end(pieces: Int) -> [UInt8]
}

/// A log as a response that is made while it is sent. One page at most is in memory; the next one is read
/// when the connection has taken the last.
struct LogExport: Sendable {
  let store: any LogStore
  let room: RoomID
  let after: Revision
  let to: Revision
  /// The kinds of events to write; nil: all.
  let kinds: Set<UInt8>?

  /// JSON lines, docs/PROTOCOL.md, section 6.
  func lines() -> ResponseBody {
    ResponseBody { writer in
      var at = after
      while at < to {
        let runs = try await store.runs(of: room, after: at, limit: RoomHistory.page)
        guard !runs.isEmpty else { break }
        for run in runs {
          at = run.lastRevision
          guard let part = run.prefix(through: to) else { continue }
          let bytes = Self.lines(of: part, kinds: kinds)
          if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
        }
      }
      try await writer.finish(nil)
    }
  }

  static func lines(of run: Run, kinds: Set<UInt8>?) -> [UInt8] {
    var wanted: [Bool] = []
    run.forEach { view, _ in wanted.append(kinds?.contains(view.kind) ?? true) }
    guard wanted.contains(true) else { return [] }
    return RecordMirror.text(of: run) { wanted[$0] }.text
  }

  /// A block file with the stored pieces.
  func blocks(_ format: any BlockFileFormat, info: LogInfo) -> ResponseBody {
    ResponseBody { writer in
      try await writer.write(ByteBuffer(bytes: format.header(of: info)))
      var at = after
      var pieces = 0
      while at < to {
        let stored = try await store.read(room, after: at, limit: RoomHistory.page)
        guard !stored.isEmpty else { break }
        for piece in stored where at < to {
          let whole = try cut(piece, after: at)
          at = whole.lastRevision
          pieces += 1
          try await writer.write(ByteBuffer(bytes: format.piece(whole)))
        }
      }
      try await writer.write(ByteBuffer(bytes: format.end(pieces: pieces)))
      try await writer.finish(nil)
    }
  }

  /// The piece, or the part of it that was asked for.
  private func cut(_ piece: StoredRun, after: Revision) throws(LogError) -> StoredRun {
    if piece.first == after.next, piece.lastRevision <= to { return piece }
    guard let part = try store.unpack(piece, of: room).suffix(after: after)?.prefix(through: to) else {
      return piece
    }
    return StoredRun(part)
  }
}
