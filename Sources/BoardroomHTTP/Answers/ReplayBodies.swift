import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import Hummingbird

/// The replay index of a room as JSON (RPL-1).
struct ReplayIndexBody: Sendable {
  let info: LogInfo
  let spans: [StoredSpan]
  let snapshots: [SnapshotInfo]
  let emptied: Timestamp?

  /// Written without `JSONValue`, because a long log has many thousand entries.
  var json: [UInt8] {
    let begin = spans.first?.begin ?? info.created
    var text = "{\"epoch\":\"\(info.epoch)\",\"low\":\(info.low),\"last\":\(info.last)"
    text += ",\"begin\":\(begin),\"end\":\(info.lastTime)"
    text += ",\"emptied\":\(emptied?.description ?? "null"),\"isRecord\":true,\"blocks\":["
    text += spans.map { span in
      "{\"first\":\(span.first),\"last\":\(span.last),\"begin\":\(span.begin),\"end\":\(span.end)"
        + ",\"bytes\":\(span.bytes)}"
    }.joined(separator: ",")
    text += "],\"snapshots\":["
    text += snapshots.map { snapshot in
      "{\"revision\":\(snapshot.revision),\"time\":\(snapshot.time),\"bytes\":\(snapshot.bytes)}"
    }.joined(separator: ",")
    return Array((text + "]}").utf8)
  }
}

/// Stored pieces as messages of the binary wire, each after its length. They are read while they are sent.
struct ReplayRuns: Sendable {
  private static let wire = WireCodec(.binary)

  let store: any LogStore
  let room: RoomID
  /// The first pieces, read already.
  let page: [StoredRun]
  let after: Revision
  let through: Revision

  var body: ResponseBody {
    ResponseBody { writer in
      var (page, at) = (page, after)
      while !page.isEmpty {
        for piece in page where at < through {
          let message = try message(piece)
          at = piece.lastRevision
          try await writer.write(ByteBuffer(bytes: Self.framed(message)))
        }
        page = at < through ? try await next(after: at) : []
      }
      try await writer.finish(nil)
    }
  }

  /// Empty where the log is damaged. A request that goes on from there gets the error (RP-65).
  private func next(after revision: Revision) async throws(LogError) -> [StoredRun] {
    do throws(LogError) {
      return try await store.read(room, after: revision, limit: RoomHistory.page)
    } catch .damaged {
      return []
    }
  }

  /// The piece as it is stored. Only a piece that has grown beyond the promised end is unpacked and cut.
  private func message(_ piece: StoredRun) throws(LogError) -> [UInt8] {
    guard piece.lastRevision <= through else {
      let run = try store.unpack(piece, of: room)
      return WireCodec.runMessage(run.prefix(through: through) ?? run)
    }
    switch piece.coding {
    case .lz4: return Self.wire.encode(server: .block(piece))
    case .plain: return WireCodec.runMessage(try store.unpack(piece, of: room))
    }
  }

  static func framed(_ message: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(message.count + 5)
    bytes.appendVarint(UInt64(message.count))
    bytes += message
    return bytes
  }
}

/// A snapshot as messages of the binary wire, each after its length.
struct ReplaySnapshot: Sendable {
  let snapshot: Snapshot

  var body: ResponseBody {
    ResponseBody { writer in
      let wire = WireCodec(.binary)
      let root = wire.encode(
        server: .snapshotRoot(
          revision: snapshot.revision, time: snapshot.time, stateHash: snapshot.stateHash,
          parts: snapshot.parts.count, bytes: snapshot.root))
      try await writer.write(ByteBuffer(bytes: ReplayRuns.framed(root)))
      for part in snapshot.parts {
        let message = wire.encode(server: .snapshotPart(part.bytes))
        try await writer.write(ByteBuffer(bytes: ReplayRuns.framed(message)))
      }
      try await writer.finish(nil)
    }
  }
}
