import BoardroomModel
import EventLogModel

/// Reads snapshots.
public enum StateDecoder {
  /// The state of a root and its parts, in order; every part must have the key that the root names.
  ///
  /// A snapshot that our own log store kept comes with the store's checksums proved: its parts' keys and its
  /// points, which were checked when they came in, are then not gone through once more. That is a third of
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
    for (number, part) in parts.enumerated() {
      guard keptByStore || Array(sha256(part).prefix(16)) == keys[number] else {
        throw fields.error("parts", "do not match what came at place \(number)")
      }
      try fill(&places, &buried, from: part, number: number, keptByStore: keptByStore)
    }
    state.elements = try store(places, buried)
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

  private static func emptyPlaces(_ fields: JSONFields, parts: Int) throws(CodecError) -> [Element?] {
    let count = try fields.count("places")
    let size = ElementStore.chunkSize
    guard count <= parts * size, count > (parts - 1) * size else {
      throw fields.error("places", "do not fit the number of parts")
    }
    return Array(repeating: nil, count: count)
  }

  private static func fill(
    _ places: inout [Element?], _ buried: inout Set<Int>, from bytes: [UInt8], number: Int, keptByStore: Bool
  ) throws(CodecError) {
    let part = try StatePart(bytes: bytes[...], areChecked: keptByStore)
    guard part.first == number * ElementStore.chunkSize else {
      throw .invalid(field: "first place", reason: "is not that of part \(number)")
    }
    for placed in part.elements {
      guard placed.place < places.count else {
        throw .invalid(field: "place", reason: "is beyond the places that the root counts")
      }
      places[placed.place] = placed.element
      if placed.isBuried { buried.insert(placed.place) }
    }
  }

  private static func store(_ places: [Element?], _ buried: Set<Int>) throws(CodecError) -> ElementStore {
    let store = ElementStore(places: places, buried: buried)
    guard store.count + store.buriedCount == places.reduce(0, { $1 == nil ? $0 : $0 + 1 }) else {
      throw .invalid(field: "element", reason: "stands at two places")
    }
    return store
  }
}
