/// All elements of a room, in order of creation. An element's place (its ordinal) is never given to
/// another, so that chunks of 256 places can be encoded and hashed one by one and stay as they are when
/// nothing in them changes.
public struct ElementStore: Sendable, Hashable {
  /// Places in one chunk. A chunk of ordinary strokes is then some 20 to 100 KiB: near the block size at
  /// which LZ4 stops gaining (storage design, 4.1).
  public static let chunkSize = 256

  /// By ordinal; nil where the element was erased. A buried element is still in its place.
  public private(set) var places: [Element?] = []
  private var index: [ElementID: Int] = [:]
  /// Erased elements that some member's history can still bring back; nobody sees them.
  private var graves: [ElementID: Int] = [:]
  /// Bumped for a chunk whenever something in it changes: a cache of encodings compares it.
  public private(set) var chunkVersions: [UInt64] = []
  public private(set) var count = 0
  /// What all elements count for, buried ones too (BOUND-1). Follows from `places`; kept so that no command adds up the
  /// whole board.
  public private(set) var bytes = 0
  /// Strokes whose pen is still down. Follows from `places`; kept so that a member's leaving ends its
  /// strokes without looking at the whole board.
  public private(set) var openStrokes: Set<ElementID> = []

  public init() {}

  /// Restores places as a snapshot holds them; `buried` are the ordinals of erased ones.
  public init(places: [Element?], buried: Set<Int> = []) {
    self.places = places
    chunkVersions = Array(repeating: 0, count: (places.count + Self.chunkSize - 1) / Self.chunkSize)
    index.reserveCapacity(places.count)
    // In place: an element taken out costs a handful of reference counts, and there are 100,000 of them.
    places.withUnsafeBufferPointer { places in
      for ordinal in places.indices {
        guard let id = places[ordinal]?.id else { continue }
        bytes += places[ordinal]?.bytes ?? 0
        guard buried.isEmpty || !buried.contains(ordinal) else {
          graves[id] = ordinal
          continue
        }
        index[id] = ordinal
        if places[ordinal]?.isOpenStroke == true { openStrokes.insert(id) }
      }
    }
    count = index.count
  }

  /// How many elements are new or other, and how many gone, compared with an earlier or later store of the same
  /// log. An element keeps its place, so that no search by ids is needed; what is buried counts as gone.
  public func changes(since other: ElementStore) -> (put: Int, erased: Int) {
    var changes = (put: 0, erased: 0)
    places.withUnsafeBufferPointer { places in
      other.places.withUnsafeBufferPointer { others in
        for place in 0..<max(places.count, others.count) {
          let isHere = place < places.count && places[place] != nil && !isBuried(ordinal: place)
          let wasHere = place < others.count && others[place] != nil && !other.isBuried(ordinal: place)
          switch (wasHere, isHere) {
          case (false, true): changes.put += 1
          case (true, false): changes.erased += 1
          case (true, true): if places[place] != others[place] { changes.put += 1 }
          case (false, false): break
          }
        }
      }
    }
    return changes
  }

  public var chunkCount: Int { chunkVersions.count }

  public func chunk(_ number: Int) -> ArraySlice<Element?> {
    places[number * Self.chunkSize..<min((number + 1) * Self.chunkSize, places.count)]
  }

  public func ordinal(of id: ElementID) -> Int? { index[id] }

  public subscript(id: ElementID) -> Element? { index[id].flatMap { places[$0] } }

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
    index[id].flatMap { ordinal in places[ordinal].map { $0.orderKey ?? OrderKey.standard(ordinal) } }
  }

  private func living(_ isMeant: (Element) -> Bool) -> [(ordinal: Int, element: Element)] {
    places.indices.compactMap { ordinal in
      guard let element = places[ordinal], isMeant(element) else { return nil }
      return graves.isEmpty || graves[element.id] != ordinal ? (ordinal, element) : nil
    }
  }

  /// Whether the id belongs to an element on the board or to a buried one.
  public func isKnown(_ id: ElementID) -> Bool { index[id] != nil || isBuried(id) }
  public func isBuried(_ id: ElementID) -> Bool { !graves.isEmpty && graves[id] != nil }
  /// An erased element that can still be brought back.
  public func buried(_ id: ElementID) -> Element? { graves[id].flatMap { places[$0] } }
  public func isBuried(ordinal: Int) -> Bool {
    guard !graves.isEmpty else { return false }
    return places[ordinal].map { graves[$0.id] == ordinal } ?? false
  }
  public var buriedCount: Int { graves.count }

  /// How many points an open stroke has; nil if there is none of this id.
  public func openPoints(of id: ElementID) -> Int? {
    guard let ordinal = index[id], case .stroke(let stroke) = places[ordinal]?.content, !stroke.ended else {
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
      bytes -= places[ordinal]?.bytes ?? 0
      places[ordinal] = element
      touch(ordinal)
      return
    }
    let ordinal = places.count
    places.append(element)
    index[element.id] = ordinal
    count += 1
    if ordinal % Self.chunkSize == 0 { chunkVersions.append(0) }
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
    guard places[ordinal]?.isOpenStroke == true else { return false }
    // Taking the content out first leaves its bytes with one owner, so that appending does not copy them.
    var content = Element.Content.shape(type: .text, raw: JSONText(unchecked: []))
    swap(&content, &places[ordinal]!.content)
    switch consume content {
    case .stroke(var stroke):
      change(&stroke)
      places[ordinal]!.content = .stroke(stroke)
    case .shape(let type, let raw):
      places[ordinal]!.content = .shape(type: type, raw: raw)
    }
    touch(ordinal)
    return true
  }

  /// Changes attributes of an element on the board; false if there is none of this id. A nil value takes the
  /// key away.
  public mutating func change(_ id: ElementID, _ fields: [(key: String, value: JSONText?)]) -> Bool {
    guard let ordinal = index[id], places[ordinal] != nil else { return false }
    bytes += places[ordinal]!.attributes.growth(by: fields)
    for field in fields { places[ordinal]!.attributes[field.key] = field.value }
    touch(ordinal)
    return true
  }

  /// Removes an element; false if there is none of this id.
  public mutating func erase(_ id: ElementID) -> Bool {
    guard let ordinal = takeOff(id) else { return false }
    bytes -= places[ordinal]?.bytes ?? 0
    places[ordinal] = nil
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
    bytes -= places[ordinal]?.bytes ?? 0
    places[ordinal] = nil
    touch(ordinal)
    return true
  }

  /// Removes all elements of these scenes, buried ones too; says how many there were on the board.
  public mutating func eraseAll(in scenes: Set<SceneID>) -> Int {
    let doomed = places.compactMap { place in
      place.flatMap { scenes.contains($0.scene) ? $0.id : nil }
    }
    return doomed.reduce(0) { count, id in
      if erase(id) { return count + 1 }
      purge(id)
      return count
    }
  }

  private mutating func touch(_ ordinal: Int) { chunkVersions[ordinal / Self.chunkSize] &+= 1 }

  public static func == (left: ElementStore, right: ElementStore) -> Bool {
    left.places == right.places && left.graves == right.graves
  }
  public func hash(into hasher: inout Hasher) { hasher.combine(places) }
}
