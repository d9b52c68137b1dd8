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
    var places = try emptyPlaces(fields, parts: parts.count)
    var buried: Set<Int> = []
    var filled = 0
    for (number, part) in parts.enumerated() {
      guard keptByStore || Array(sha256(part).prefix(16)) == keys[number] else {
        throw fields.error("parts", "do not match what came at place \(number)")
      }
      filled += try fill(&places, &buried, from: part, number: number, keptByStore: keptByStore)
    }
    state.elements = try store(places, buried, filled)
    return state
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

  private static func emptyPlaces(_ fields: JSONFields, parts: Int) throws(CodecError) -> [Element?] {
    let count = try fields.count("places")
    let size = ElementStore.chunkSize
    guard count <= parts * size, count > (parts - 1) * size else {
      throw fields.error("places", "do not fit the number of parts")
    }
    return Array(repeating: nil, count: count)
  }

  /// Says how many elements there were.
  private static func fill(
    _ places: inout [Element?], _ buried: inout Set<Int>, from bytes: [UInt8], number: Int, keptByStore: Bool
  ) throws(CodecError) -> Int {
    var count = 0
    let first = number * ElementStore.chunkSize
    let said = try StatePart.read(bytes[...], areChecked: keptByStore) { placed throws(CodecError) in
      guard places.indices.contains(placed.place), placed.place >= first else {
        throw .invalid(field: "place", reason: "is beyond the places that the root counts")
      }
      places[placed.place] = placed.element
      count += 1
      if placed.isBuried { buried.insert(placed.place) }
    }
    guard said == first else { throw .invalid(field: "first place", reason: "is not that of part \(number)") }
    return count
  }

  private static func store(
    _ places: [Element?], _ buried: Set<Int>, _ filled: Int
  ) throws(CodecError) -> ElementStore {
    let store = ElementStore(places: places, buried: buried)
    guard store.count + store.buriedCount == filled else {
      throw .invalid(field: "element", reason: "stands at two places")
    }
    return store
  }
}
