/// All elements of a room, in order of creation. An element's place (its ordinal) is never given to
/// another, so that chunks of 256 places can be encoded and hashed one by one and stay as they are when
/// nothing in them changes. A chunk of which all elements are gone takes no memory but its own few words: a room
/// that is drawn on and cleared for years holds what is on its board, and not what was.
public struct ElementStore: Sendable, Hashable {
  /// Places in one chunk. A chunk of ordinary strokes is then some 20 to 100 KiB: near the block size at
  /// which LZ4 stops gaining.
  public static let chunkSize = 256

  /// Chunk by chunk; in a chunk by ordinal, nil where the element was erased. A buried element is still in its place.
  /// A chunk without elements is empty, however many places it has.
  private var chunks: [[Element?]] = []
  /// How many of a chunk's places hold an element.
  private var filled: [Int] = []
  /// How many places there are: one more than the last ordinal.
  public private(set) var placeCount = 0
  private var index: [ElementID: Int] = [:]
  /// Erased elements that some member's history can still bring back; nobody sees them.
  private var graves: [ElementID: Int] = [:]
  /// Bumped for a chunk whenever something in it changes: a cache of encodings compares it.
  public private(set) var chunkVersions: [UInt64] = []
  public private(set) var count = 0
  /// What all elements count for, buried ones too (BOUND-1). Follows from the places; kept so that no command adds up the
  /// whole board.
  public private(set) var bytes = 0
  /// Strokes whose pen is still down. Follows from the places; kept so that a member's leaving ends its
  /// strokes without looking at the whole board.
  public private(set) var openStrokes: Set<ElementID> = []

  public init() {}

  /// Restores places; `buried` are the ordinals of erased ones.
  public init(places: [Element?], buried: Set<Int> = []) {
    self.init(placeCount: places.count, buried: buried) { number in
      let first = number * Self.chunkSize
      return Array(places[first..<Swift.min(first + Self.chunkSize, places.count)])
    }
  }

  /// Restores so many places as a snapshot holds them.
  ///
  /// - Parameters:
  ///   - buried: Ordinals of elements that are erased and can be brought back.
  ///   - chunk: The places of the chunk with a number, `chunkSize` of them but for the last chunk; none where no
  ///     element is left in it.
  /// - Throws: What `chunk` throws.
  public init<Failure: Error>(
    placeCount: Int, buried: Set<Int>, chunk: (Int) throws(Failure) -> [Element?]
  ) throws(Failure) {
    let count = (placeCount + Self.chunkSize - 1) / Self.chunkSize
    self.placeCount = placeCount
    chunkVersions = Array(repeating: 0, count: count)
    chunks.reserveCapacity(count)
    filled.reserveCapacity(count)
    for number in 0..<count { addChunk(try chunk(number), buried) }
    self.count = index.count
  }

  private mutating func addChunk(_ chunk: [Element?], _ buried: Set<Int>) {
    let first = chunks.count * Self.chunkSize
    var elements = 0
    // In place: an element taken out costs a handful of reference counts, and there are 100,000 of them.
    chunk.withUnsafeBufferPointer { places in
      for offset in places.indices {
        guard let id = places[offset]?.id else { continue }
        elements += 1
        bytes += places[offset]?.bytes ?? 0
        guard buried.isEmpty || !buried.contains(first + offset) else {
          graves[id] = first + offset
          continue
        }
        index[id] = first + offset
        if places[offset]?.isOpenStroke == true { openStrokes.insert(id) }
      }
    }
    chunks.append(elements > 0 ? chunk : [])
    filled.append(elements)
  }

  // MARK: Places

  /// All places by ordinal, nil where no element is left: made anew at each call, as long as the room's past.
  public var places: [Element?] {
    chunks.indices.flatMap { number in
      chunks[number].isEmpty
        ? Array(repeating: nil, count: size(ofChunk: number)) : chunks[number]
    }
  }

  /// The element at a place, also a buried one; nil if it is gone.
  public func placed(at ordinal: Int) -> Element? {
    let chunk = chunks[ordinal / Self.chunkSize]
    return chunk.isEmpty ? nil : chunk[ordinal % Self.chunkSize]
  }

  /// All elements that are in their places, buried ones too, in order of creation.
  public func forEachPlaced(_ take: (_ ordinal: Int, _ element: Element) -> Void) {
    for number in chunks.indices {
      for (offset, place) in chunks[number].enumerated() {
        if let place { take(number * Self.chunkSize + offset, place) }
      }
    }
  }

  private func size(ofChunk number: Int) -> Int {
    Swift.min(Self.chunkSize, placeCount - number * Self.chunkSize)
  }

  private mutating func append(_ element: Element) -> Int {
    let ordinal = placeCount
    let offset = ordinal % Self.chunkSize
    placeCount += 1
    if offset == 0 {
      chunkVersions.append(0)
      filled.append(0)
      chunks.append([])
    }
    let number = chunks.count - 1
    if chunks[number].isEmpty, offset > 0 { chunks[number] = Array(repeating: nil, count: offset) }
    chunks[number].append(element)
    filled[number] += 1
    return ordinal
  }

  private mutating func empty(_ ordinal: Int) {
    let number = ordinal / Self.chunkSize
    guard placed(at: ordinal) != nil else { return }
    filled[number] -= 1
    if filled[number] == 0 { chunks[number] = [] } else { chunks[number][ordinal % Self.chunkSize] = nil }
  }

  /// How many elements are new or other, and how many gone, compared with an earlier or later store of the same
  /// log. An element keeps its place, so that no search by ids is needed; what is buried counts as gone.
  public func changes(since other: ElementStore) -> (put: Int, erased: Int) {
    var changes = (put: 0, erased: 0)
    for number in 0..<Swift.max(chunks.count, other.chunks.count) {
      let here = number < chunks.count ? chunks[number] : []
      let there = number < other.chunks.count ? other.chunks[number] : []
      let first = number * Self.chunkSize
      here.withUnsafeBufferPointer { places in
        there.withUnsafeBufferPointer { others in
          // The same memory is the same elements, and a clear of the past leaves most chunks as they were.
          if places.baseAddress == others.baseAddress, graves.isEmpty, other.graves.isEmpty { return }
          for offset in 0..<Swift.max(places.count, others.count) {
            let ordinal = first + offset
            let isHere = offset < places.count && places[offset] != nil && !isBuried(ordinal: ordinal)
            let wasHere = offset < others.count && others[offset] != nil && !other.isBuried(ordinal: ordinal)
            switch (wasHere, isHere) {
            case (false, true): changes.put += 1
            case (true, false): changes.erased += 1
            case (true, true): if places[offset] != others[offset] { changes.put += 1 }
            case (false, false): break
            }
          }
        }
      }
    }
    return changes
  }

  public var chunkCount: Int { chunkVersions.count }

  /// The places of a chunk from its first one on; none where no element is left in it.
  public func chunk(_ number: Int) -> [Element?] { chunks[number] }

  public func ordinal(of id: ElementID) -> Int? { index[id] }

  public subscript(id: ElementID) -> Element? { index[id].flatMap { placed(at: $0) } }

  /// In order of creation.
  public func all(in scene: SceneID) -> [Element] { living { $0.scene == scene }.map(\.element) }

  /// In the order in which they are drawn: by order key, and where keys are equal by place. An element without
  /// a key has that of its place, so that what is put last lies on top.
  public func drawn(in scene: SceneID) -> [Element] {
    let found = living { $0.scene == scene }
    guard found.contains(where: { $0.element.attributes[ElementKey.order] != nil }) else {
      return found.map(\.element)
    }
    let keyed = found.map { (key: Array(($0.element.orderKey ?? OrderKey.standard($0.ordinal)).utf8), $0) }
    return keyed.sorted { left, right in
      left.key == right.key
        ? left.1.ordinal < right.1.ordinal : left.key.lexicographicallyPrecedes(right.key)
    }.map(\.1.element)
  }

  /// The order key of an element on the board: its own, or that of its place.
  public func orderKey(of id: ElementID) -> String? {
    index[id].flatMap { ordinal in placed(at: ordinal).map { $0.orderKey ?? OrderKey.standard(ordinal) } }
  }

  private func living(_ isMeant: (Element) -> Bool) -> [(ordinal: Int, element: Element)] {
    var found: [(ordinal: Int, element: Element)] = []
    forEachPlaced { ordinal, element in
      guard isMeant(element), graves.isEmpty || graves[element.id] != ordinal else { return }
      found.append((ordinal, element))
    }
    return found
  }

  /// Whether the id belongs to an element on the board or to a buried one.
  public func isKnown(_ id: ElementID) -> Bool { index[id] != nil || isBuried(id) }
  public func isBuried(_ id: ElementID) -> Bool { !graves.isEmpty && graves[id] != nil }
  /// An erased element that can still be brought back.
  public func buried(_ id: ElementID) -> Element? { graves[id].flatMap { placed(at: $0) } }
  public func isBuried(ordinal: Int) -> Bool {
    guard !graves.isEmpty else { return false }
    return placed(at: ordinal).map { graves[$0.id] == ordinal } ?? false
  }
  public var buriedCount: Int { graves.count }

  /// How many points an open stroke has; nil if there is none of this id.
  public func openPoints(of id: ElementID) -> Int? {
    guard let ordinal = index[id], case .stroke(let stroke) = placed(at: ordinal)?.content, !stroke.ended
    else {
      return nil
    }
    return stroke.pointCount
  }

  /// Adds an element, or puts it in place of the one with its id. A buried one of this id is given up.
  public mutating func put(_ element: Element) {
    if !graves.isEmpty { purge(element.id) }
    if element.isOpenStroke { openStrokes.insert(element.id) } else { openStrokes.remove(element.id) }
    bytes += element.bytes
    if let ordinal = index[element.id] {
      bytes -= placed(at: ordinal)?.bytes ?? 0
      chunks[ordinal / Self.chunkSize][ordinal % Self.chunkSize] = element
      touch(ordinal)
      return
    }
    let ordinal = append(element)
    index[element.id] = ordinal
    count += 1
    touch(ordinal)
  }

  /// Adds points to an open stroke; false if there is none of this id.
  public mutating func extend(_ id: ElementID, with points: EncodedPoints, ends: Bool) -> Bool {
    guard let ordinal = index[id] else { return false }
    let isOpen = changeStroke(at: ordinal) { stroke in
      stroke.segments.append(contentsOf: points.bytes)
      stroke.pointCount &+= points.count
      stroke.ended = ends
    }
    if isOpen { bytes += points.bytes.count }
    if isOpen, ends { openStrokes.remove(id) }
    return isOpen
  }

  /// Ends an open stroke where it is; false if there is none of this id.
  public mutating func endStroke(_ id: ElementID) -> Bool {
    guard openStrokes.remove(id) != nil, let ordinal = index[id] else { return false }
    return changeStroke(at: ordinal) { $0.ended = true }
  }

  /// Changes an open stroke; false if it is none.
  @inline(__always)
  private mutating func changeStroke(at ordinal: Int, _ change: (inout StrokeContent) -> Void) -> Bool {
    let (number, offset) = (ordinal / Self.chunkSize, ordinal % Self.chunkSize)
    guard !chunks[number].isEmpty, chunks[number][offset]?.isOpenStroke == true else { return false }
    // Taking the content out first leaves its bytes with one owner, so that appending does not copy them.
    var content = Element.Content.shape(type: .text, raw: JSONText(unchecked: []))
    swap(&content, &chunks[number][offset]!.content)
    switch consume content {
    case .stroke(var stroke):
      change(&stroke)
      chunks[number][offset]!.content = .stroke(stroke)
    case .shape(let type, let raw):
      chunks[number][offset]!.content = .shape(type: type, raw: raw)
    }
    touch(ordinal)
    return true
  }

  /// Changes attributes of an element on the board; false if there is none of this id. A nil value takes the
  /// key away.
  public mutating func change(_ id: ElementID, _ fields: [(key: String, value: JSONText?)]) -> Bool {
    guard let ordinal = index[id], placed(at: ordinal) != nil else { return false }
    let (number, offset) = (ordinal / Self.chunkSize, ordinal % Self.chunkSize)
    bytes += chunks[number][offset]!.attributes.growth(by: fields)
    for field in fields { chunks[number][offset]!.attributes[field.key] = field.value }
    touch(ordinal)
    return true
  }

  /// Removes an element; false if there is none of this id.
  public mutating func erase(_ id: ElementID) -> Bool {
    guard let ordinal = takeOff(id) else { return false }
    bytes -= placed(at: ordinal)?.bytes ?? 0
    empty(ordinal)
    return true
  }

  /// Takes an element off the board but keeps it in its place, to be restored; false if there is none. An open
  /// stroke ends.
  public mutating func bury(_ id: ElementID) -> Bool {
    _ = endStroke(id)
    guard let ordinal = takeOff(id) else { return false }
    graves[id] = ordinal
    return true
  }

  private mutating func takeOff(_ id: ElementID) -> Int? {
    guard let ordinal = index.removeValue(forKey: id) else { return nil }
    openStrokes.remove(id)
    count -= 1
    touch(ordinal)
    return ordinal
  }

  /// Brings a buried element back to its place; false if there is none of this id.
  public mutating func restore(_ id: ElementID) -> Bool {
    guard let ordinal = graves.removeValue(forKey: id) else { return false }
    index[id] = ordinal
    count += 1
    touch(ordinal)
    return true
  }

  /// Gives a buried element up for good; false if there is none of this id.
  @discardableResult
  public mutating func purge(_ id: ElementID) -> Bool {
    guard let ordinal = graves.removeValue(forKey: id) else { return false }
    bytes -= placed(at: ordinal)?.bytes ?? 0
    empty(ordinal)
    touch(ordinal)
    return true
  }

  /// Removes all elements of these scenes, buried ones too; says how many there were on the board.
  public mutating func eraseAll(in scenes: Set<SceneID>) -> Int {
    var doomed: [ElementID] = []
    forEachPlaced { _, element in if scenes.contains(element.scene) { doomed.append(element.id) } }
    return doomed.reduce(0) { count, id in
      if erase(id) { return count + 1 }
      purge(id)
      return count
    }
  }

  private mutating func touch(_ ordinal: Int) { chunkVersions[ordinal / Self.chunkSize] &+= 1 }

  public static func == (left: ElementStore, right: ElementStore) -> Bool {
    left.placeCount == right.placeCount && left.chunks == right.chunks && left.graves == right.graves
  }
  public func hash(into hasher: inout Hasher) { hasher.combine(chunks) }
}
