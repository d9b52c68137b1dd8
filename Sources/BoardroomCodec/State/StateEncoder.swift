import BoardroomModel
import EventLogModel

/// Writes states as snapshots. It keeps the parts that it has written and writes anew only those whose chunk
/// has changed; one encoder therefore follows one room's state through time. For another state, even an
/// earlier one of the same room, begin with a new encoder.
public struct StateEncoder: Sendable {
  private struct Kept: Sendable {
    var version: UInt64
    var part: SnapshotPart
    var hash: [UInt8]
  }

  private var kept: [Kept] = []
  /// How many parts the last call wrote anew.
  public private(set) var written = 0

  public init() {}

  public mutating func snapshot(of state: RoomState) -> Snapshot {
    refresh(state.elements)
    let parts = kept.map(\.part)
    var writer = JSONWriter()
    writer.stateRoot(of: state, keys: parts.map(\.key))
    return Snapshot(
      revision: state.revision, time: state.time,
      stateHash: Self.stateHash(root: writer.bytes, partHashes: kept.map(\.hash)), root: writer.bytes,
      parts: parts)
  }

  /// The 32 bytes that are the same for the same state, whoever folded it.
  public static func hash(of state: RoomState) -> [UInt8] {
    var encoder = StateEncoder()
    return encoder.snapshot(of: state).stateHash
  }

  /// The root and the hash, with one part in memory at a time: for those who send the parts on as they are made.
  public static func root(of state: RoomState) -> (bytes: [UInt8], stateHash: [UInt8]) {
    let hashes = (0..<state.elements.chunkCount).map { sha256(part($0, of: state)) }
    var writer = JSONWriter()
    writer.stateRoot(of: state, keys: hashes.map { Array($0.prefix(16)) })
    return (writer.bytes, stateHash(root: writer.bytes, partHashes: hashes))
  }

  /// One part of a snapshot of this state.
  public static func part(_ number: Int, of state: RoomState) -> [UInt8] {
    ElementChunk(chunk: number, of: state.elements).bytes
  }

  /// `SHA-256("boardroom.state.1\n" | root | SHA-256 of each part)`.
  static func stateHash(root: [UInt8], partHashes: [[UInt8]]) -> [UInt8] {
    sha256(Array("boardroom.state.1\n".utf8), root, Array(partHashes.joined()))
  }

  /// Does some of the work of the next snapshot ahead: writes parts anew until they have so many bytes. Answers
  /// whether none is left. What changes afterwards is written again.
  public mutating func prepare(_ state: RoomState, bytes limit: Int) -> Bool {
    refresh(state.elements, upTo: limit)
  }

  /// Whether all is written.
  @discardableResult
  private mutating func refresh(_ elements: ElementStore, upTo limit: Int = .max) -> Bool {
    written = 0
    var bytes = 0
    if kept.count > elements.chunkCount { kept.removeLast(kept.count - elements.chunkCount) }
    for number in 0..<elements.chunkCount {
      let version = elements.chunkVersions[number]
      if number < kept.count, kept[number].version == version { continue }
      guard bytes < limit else { return false }
      let fresh = Self.encode(chunk: number, of: elements, version: version)
      if number < kept.count { kept[number] = fresh } else { kept.append(fresh) }
      written += 1
      bytes += fresh.part.bytes.count
    }
    return true
  }

  private static func encode(chunk number: Int, of elements: ElementStore, version: UInt64) -> Kept {
    let bytes = ElementChunk(chunk: number, of: elements).bytes
    let hash = sha256(bytes)
    return Kept(
      version: version, part: SnapshotPart(key: Array(hash.prefix(16)), bytes: bytes), hash: hash)
  }
}
