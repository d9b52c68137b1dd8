import BoardroomCodec
import BoardroomModel
import EventLogModel
import MemoryLog
import Testing

/// What a store of elements has to be like, without its chunks.
private struct Places {
  var elements: [Element?] = []
  var buried: Set<Int> = []

  func ordinal(_ id: ElementID) -> Int? { elements.firstIndex { $0?.id == id } }

  mutating func remove(_ ordinal: Int) {
    elements[ordinal] = nil
    buried.remove(ordinal)
  }
}

@Suite("The store of elements")
struct ElementStoreTests {
  private func stroke(_ number: UInt64, points: Int = 1) -> Element {
    Element(
      id: ElementID(member: 0, number: number), scene: 1,
      content: .stroke(
        StrokeContent(
          style: StrokeStyle(
            scene: 1, unit: 0, tool: .pencil, colour: Colour(red: 1, green: 2, blue: 3), width: 4),
          ended: true, pointCount: points, segments: Array(repeating: 1, count: points))))
  }

  @Test(
    "BOUND-10: a chunk of which all elements are gone holds no memory for them, and its places stay given")
  func goneChunks() {
    var store = ElementStore()
    for number in 0..<600 { store.put(stroke(UInt64(number))) }
    for number in 0..<600 where number != 300 {
      _ = store.erase(ElementID(member: 0, number: UInt64(number)))
    }
    #expect(store.chunk(0).isEmpty)
    #expect(store.chunk(1).count == 256)
    #expect(store.chunk(2).isEmpty)
    #expect(store.placeCount == 600)
    #expect(store.count == 1)
    store.put(stroke(600))
    #expect(store.places[600]?.id.number == 600)
    #expect(store.chunk(2).count == 600 - 512 + 1)
    #expect(store.places.count == 601)
  }

  @Test(
    "RP-60, BOUND-10: whatever is put, extended, buried, restored and erased: places, bytes and parts are those of a plain list",
    arguments: 0..<8 as Range<UInt64>)
  func likePlainList(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var store = ElementStore()
    var plain = Places()
    var state = RoomState()
    var encoder = StateEncoder()
    for step in 0..<6_000 {
      let id = ElementID(member: 0, number: UInt64.random(in: 0..<900, using: &random))
      let known = plain.ordinal(id)
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3:
        let element = stroke(id.number, points: Int.random(in: 1..<9, using: &random))
        if let known, plain.buried.contains(known) { plain.remove(known) }
        if let place = plain.ordinal(id) {
          plain.elements[place] = element
        } else {
          plain.elements.append(element)
        }
        store.put(element)
      case 4...6:
        let done = store.erase(id)
        #expect(done == (known.map { !plain.buried.contains($0) } ?? false))
        if let known, !plain.buried.contains(known) { plain.remove(known) }
      case 7:
        let done = store.bury(id)
        #expect(done == (known.map { !plain.buried.contains($0) } ?? false))
        if let known { plain.buried.insert(known) }
      case 8:
        let done = store.restore(id)
        #expect(done == (known.map { plain.buried.contains($0) } ?? false))
        if let known { plain.buried.remove(known) }
      default:
        let done = store.purge(id)
        #expect(done == (known.map { plain.buried.contains($0) } ?? false))
        if let known, plain.buried.contains(known) { plain.remove(known) }
      }
      guard step % 500 == 499 else { continue }
      // Now and then a whole stretch goes, so that chunks become empty and are filled again.
      let least = Int.random(in: 0..<900, using: &random)
      for number in least..<least + 300 {
        let id = ElementID(member: 0, number: UInt64(number))
        guard let place = plain.ordinal(id) else { continue }
        let isGone = plain.buried.contains(place) ? store.purge(id) : store.erase(id)
        #expect(isGone)
        plain.remove(place)
      }
      #expect(store.places == plain.elements)
      #expect(store.placeCount == plain.elements.count)
      #expect(store.bytes == plain.elements.reduce(0) { $0 + ($1?.bytes ?? 0) })
      #expect(store.count == plain.elements.count { $0 != nil } - plain.buried.count)
      #expect(store.buriedCount == plain.buried.count)
      let restored = ElementStore(places: plain.elements, buried: plain.buried)
      #expect(restored == store)
      #expect(restored.changes(since: store).put == 0)
      #expect(restored.changes(since: store).erased == 0)
      let before = state.elements
      state.elements = store
      let change = store.changes(since: before)
      #expect(change.put >= 0)
      #expect(change.erased <= before.count)
      let snapshot = encoder.snapshot(of: state)
      let decoded = try StateDecoder.state(
        root: snapshot.root, parts: snapshot.parts.map(\.bytes), keptByStore: true)
      #expect(decoded.elements == store)
    }
  }
}
