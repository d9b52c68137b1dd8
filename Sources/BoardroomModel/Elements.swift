/// A thing on a scene.
public struct Element: Sendable, Hashable {
  public enum Content: Sendable, Hashable {
    /// Pen down to pen up.
    case stroke(StrokeContent)
    case shape(type: ElementType, raw: JSONText)
  }

  public var id: ElementID
  public var scene: SceneID
  public var content: Content

  public init(id: ElementID, scene: SceneID, content: Content) {
    self.id = id
    self.scene = scene
    self.content = content
  }

  /// Whether it is a stroke whose pen is still down.
  public var isOpenStroke: Bool {
    switch content {
    case .stroke(let stroke): !stroke.ended
    case .shape: false
    }
  }
}

public struct StrokeContent: Sendable, Hashable {
  public var style: StrokeStyle
  public var ended: Bool
  public var pointCount: Int
  /// The segments' encoded points, one after the other, as they came.
  public var segments: [UInt8]

  public init(style: StrokeStyle, ended: Bool, pointCount: Int, segments: [UInt8]) {
    self.style = style
    self.ended = ended
    self.pointCount = pointCount
    self.segments = segments
  }
}

/// All elements of a room, in order of creation. An element's place (its ordinal) is never given to
/// another, so that chunks of 256 places can be encoded and hashed one by one and stay as they are when
/// nothing in them changes.
public struct ElementStore: Sendable, Hashable {
  /// Places in one chunk. A chunk of ordinary strokes is then some 20 to 100 KiB: near the block size at
  /// which LZ4 stops gaining (storage design, 4.1).
  public static let chunkSize = 256

  /// By ordinal; nil where the element was erased.
  public private(set) var places: [Element?] = []
  private var index: [ElementID: Int] = [:]
  /// Bumped for a chunk whenever something in it changes: a cache of encodings compares it.
  public private(set) var chunkVersions: [UInt64] = []
  public private(set) var count = 0
  /// Strokes whose pen is still down. Follows from `places`; kept so that a member's leaving ends its
  /// strokes without looking at the whole board.
  public private(set) var openStrokes: Set<ElementID> = []

  public init() {}

  /// Restores places as a snapshot holds them.
  public init(places: [Element?]) {
    self.places = places
    chunkVersions = Array(repeating: 0, count: (places.count + Self.chunkSize - 1) / Self.chunkSize)
    index.reserveCapacity(places.count)
    for (ordinal, element) in places.enumerated() {
      guard let element else { continue }
      index[element.id] = ordinal
      if element.isOpenStroke { openStrokes.insert(element.id) }
    }
    count = index.count
  }

  public var chunkCount: Int { chunkVersions.count }

  public func chunk(_ number: Int) -> ArraySlice<Element?> {
    places[number * Self.chunkSize..<min((number + 1) * Self.chunkSize, places.count)]
  }

  public func ordinal(of id: ElementID) -> Int? { index[id] }

  public subscript(id: ElementID) -> Element? { index[id].flatMap { places[$0] } }

  /// In order of creation.
  public func all(in scene: SceneID) -> [Element] { places.compactMap { $0?.scene == scene ? $0 : nil } }

  /// Adds an element, or puts it in place of the one with its id.
  public mutating func put(_ element: Element) {
    if element.isOpenStroke { openStrokes.insert(element.id) } else { openStrokes.remove(element.id) }
    if let ordinal = index[element.id] {
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

  /// Removes an element; false if there is none of this id.
  public mutating func erase(_ id: ElementID) -> Bool {
    guard let ordinal = index.removeValue(forKey: id) else { return false }
    places[ordinal] = nil
    openStrokes.remove(id)
    count -= 1
    touch(ordinal)
    return true
  }

  /// Removes all elements of these scenes; says how many there were.
  public mutating func eraseAll(in scenes: Set<SceneID>) -> Int {
    let doomed = places.compactMap { place in
      place.flatMap { scenes.contains($0.scene) ? $0.id : nil }
    }
    for id in doomed { _ = erase(id) }
    return doomed.count
  }

  private mutating func touch(_ ordinal: Int) { chunkVersions[ordinal / Self.chunkSize] &+= 1 }

  public static func == (left: ElementStore, right: ElementStore) -> Bool { left.places == right.places }
  public func hash(into hasher: inout Hasher) { hasher.combine(places) }
}
