import BoardroomModel
import EventLogModel

/// Reads snapshots.
public enum StateDecoder {
  /// The state of a root and its parts, in order; every part must have the key that the root names.
  ///
  /// A snapshot that our own log store kept comes with the store's checksums proved: its parts' keys, its points
  /// and its shapes, which were checked when they came in, are then not gone through once more. That is half of
  /// the time of a seek.
  public static func state(
    root: [UInt8], parts: [[UInt8]], keptByStore: Bool = false
  ) throws(CodecError) -> RoomState {
    let fields = try JSONFields(text: root[...], limits: RecordMirror.limits, of: "root")
    let keys = try fields.partKeys()
    guard keys.count == parts.count else { throw fields.error("parts", "are not as many as came") }
    var state = try fields.stateRoot()
    let placeCount = try placeCount(fields, parts: parts.count)
    var buried: Set<Int> = []
    var filled = 0
    // Two rounds, since who is buried has to be known before the elements are laid down.
    var chunks: [[Element?]] = []
    chunks.reserveCapacity(parts.count)
    for (number, part) in parts.enumerated() {
      guard keptByStore || Array(sha256(part).prefix(16)) == keys[number] else {
        throw fields.error("parts", "do not match what came at place \(number)")
      }
      let first = number * ElementStore.chunkSize
      let places = first..<min(first + ElementStore.chunkSize, placeCount)
      chunks.append(try chunk(places, &buried, &filled, from: part, keptByStore: keptByStore))
    }
    state.elements = ElementStore(placeCount: placeCount, buried: buried) { chunks[$0] }
    guard state.elements.count + state.elements.buriedCount == filled else {
      throw .invalid(field: "element", reason: "stands at two places")
    }
    return state
  }

  /// The state of a root without its parts: everything but the elements.
  public static func withoutElements(root: [UInt8]) throws(CodecError) -> RoomState {
    try JSONFields(text: root[...], limits: RecordMirror.limits, of: "root").stateRoot()
  }

  /// The state of a snapshot whose state hash is checked too.
  public static func state(of snapshot: Snapshot) throws(CodecError) -> RoomState {
    let hashes = snapshot.parts.map { sha256($0.bytes) }
    guard StateEncoder.stateHash(root: snapshot.root, partHashes: hashes) == snapshot.stateHash else {
      throw .invalid(field: "stateHash", reason: "is not that of the snapshot")
    }
    let state = try state(root: snapshot.root, parts: snapshot.parts.map(\.bytes))
    guard state.revision == snapshot.revision, state.time == snapshot.time else {
      throw .invalid(field: "root.revision", reason: "is not that of the snapshot")
    }
    return state
  }

  private static func placeCount(_ fields: JSONFields, parts: Int) throws(CodecError) -> Int {
    let count = try fields.count("places")
    let size = ElementStore.chunkSize
    guard count <= parts * size, count > (parts - 1) * size else {
      throw fields.error("places", "do not fit the number of parts")
    }
    return count
  }

  /// The elements of one part in their places; none where the part has none. Adds to `filled` how many there are, and to
  /// `buried` the places of those that are buried.
  private static func chunk(
    _ places: Range<Int>, _ buried: inout Set<Int>, _ filled: inout Int, from bytes: [UInt8],
    keptByStore: Bool
  ) throws(CodecError) -> [Element?] {
    var chunk: [Element?] = []
    let said = try ElementChunk.read(bytes[...], areChecked: keptByStore) { placed throws(CodecError) in
      guard places.contains(placed.place) else {
        throw .invalid(field: "place", reason: "is beyond the places that the root counts")
      }
      if chunk.isEmpty { chunk = Array(repeating: nil, count: places.count) }
      chunk[placed.place - places.lowerBound] = placed.element
      filled += 1
      if placed.isBuried { buried.insert(placed.place) }
    }
    guard said == places.lowerBound else {
      throw .invalid(
        field: "first place", reason: "is not that of part \(places.lowerBound / ElementStore.chunkSize)")
    }
    return chunk
  }
}
