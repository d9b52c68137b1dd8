import EventLogModel

extension Snapshot {
  /// Put together of what was sent of it (messages snapshotRoot and snapshotPart); nil unless root and parts have the hash
  /// that they were sent with. Parts get the keys that `StateEncoder` gives them.
  public init?(
    revision: Revision, time: Timestamp, stateHash: [UInt8], root: [UInt8], sentParts parts: [[UInt8]]
  ) {
    let hashes = parts.map { sha256($0) }
    guard StateEncoder.stateHash(root: root, partHashes: hashes) == stateHash else { return nil }
    self.init(
      revision: revision, time: time, stateHash: stateHash, root: root,
      parts: zip(hashes, parts).map { SnapshotPart(key: Array($0.prefix(16)), bytes: $1) })
  }
}
