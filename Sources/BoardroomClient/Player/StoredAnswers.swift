import BoardroomCodec
import BoardroomModel
import EventLogModel

// What a server's answers about its logs hold (docs/HTTP.md, `/v5/store` and `replay`), as the store's own
// types.

extension LogInfo {
  /// From an entry of `GET /v5/store/logs`; nil if it is none.
  package init?(_ log: JSONValue) {
    guard let name = log["log"]?.string.flatMap({ LogID($0) }),
      let epoch = log["epoch"]?.string.flatMap({ Epoch($0) }), let created = log["created"]?.int,
      let low = log["low"]?.int, low >= 1, let last = log["last"]?.int, last >= 0,
      let time = log["lastTime"]?.int, let raw = log["rawBytes"]?.int, let stored = log["storedBytes"]?.int
    else { return nil }
    self.init(
      log: name, epoch: epoch, created: Timestamp(milliseconds: Int64(created)), low: Revision(UInt64(low)),
      last: Revision(UInt64(last)), lastTime: Timestamp(milliseconds: Int64(time)), rawBytes: raw,
      storedBytes: stored)
  }
}

extension SnapshotInfo {
  /// From an entry of `snapshots`; nil if it is none.
  package init?(_ snapshot: JSONValue) {
    guard let revision = snapshot["revision"]?.int, let time = snapshot["time"]?.int,
      let bytes = snapshot["bytes"]?.int
    else { return nil }
    self.init(
      revision: Revision(UInt64(clamping: revision)), time: Timestamp(milliseconds: Int64(time)), bytes: bytes
    )
  }
}

extension StoredSpan {
  /// From an entry of `blocks`; nil if it is none.
  init?(_ block: JSONValue) {
    guard let first = block["first"]?.int, let last = block["last"]?.int, 1 <= first, first <= last,
      let begin = block["begin"]?.int, let end = block["end"]?.int, let bytes = block["bytes"]?.int
    else { return nil }
    self.init(
      first: Revision(UInt64(first)), last: Revision(UInt64(last)),
      begin: Timestamp(milliseconds: Int64(begin)), end: Timestamp(milliseconds: Int64(end)), bytes: bytes)
  }
}

extension Snapshot {
  /// From the messages of a snapshot, the root first; nil if they are not whole, or not of the state that the
  /// root's hash names.
  package init?(sent notices: [Notice]) {
    var parts: [[UInt8]] = []
    for case .snapshotPart(let bytes) in notices { parts.append(bytes) }
    guard case .snapshotRoot(let revision, let time, let hash, parts.count, let root)? = notices.first else {
      return nil
    }
    self.init(revision: revision, time: time, stateHash: hash, root: root, sentParts: parts)
  }
}

extension StoredRun {
  /// From a message that holds records; nil if it is another one.
  package init?(sent notice: Notice) {
    switch notice {
    case .run(let run): self.init(run)
    case .block(let stored): self = stored
    case .welcome, .catchUp, .snapshotRoot, .snapshotPart, .live, .receipts, .refused, .heartbeat, .quiet,
      .farewell,
      .answer, .replayed:
      return nil
    }
  }
}
