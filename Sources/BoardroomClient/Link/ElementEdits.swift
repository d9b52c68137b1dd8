import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

// Elements of one's own, and changes to any. What is asked for is worked out on the board as the app sees it.

/// A stroke whose pen is down.
struct OpenStroke {
  let number: UInt64
  var encoder: StrokeEncoder
}

typealias IDCompletion = (Result<ElementID, BoardroomError>) -> Void
typealias IDsCompletion = (Result<[ElementID], BoardroomError>) -> Void

/// Turns what an app asks of elements and strokes into commands. It asks of the board as the app sees it.
final class ElementEdits {
  private unowned let link: RoomLink
  /// The number of the newest element that this member has made.
  private var lastElement: UInt64 = 0
  private var strokes: [UInt64: OpenStroke] = [:]

  init(over link: RoomLink) { self.link = link }

  /// The member is a new one: its elements are numbered from 1, and has no stroke under way.
  func beginStay() {
    lastElement = 0
    strokes = [:]
  }

  /// The stay is over: nothing can be added to strokes that are under way.
  func abandonStrokes() { strokes = [:] }

  /// Makes an element on the current scene.
  func put(_ type: ElementType, _ fields: [(String, JSONValue)], _ completion: @escaping IDCompletion) {
    if let obstacle = link.obstacle { return completion(.failure(obstacle)) }
    guard let id = newElement() else { return completion(.failure(BoardroomError(.notConnected))) }
    if let error = refusal(of: type) { return completion(.failure(error)) }
    put(id, type, on: link.mirror.parts().currentScene, fields) { completion($0.map { _ in id }) }
  }

  /// EL-5.
  private func refusal(of type: ElementType) -> BoardroomError? {
    switch type {
    case .text: link.board.isTextDisabled ? .textDisabled : nil
    case .rectangle, .ellipse, .triangle, .rhombus, .pentagram, .speechBalloon, .straight, .arrow, .image,
      .note:
      nil
    }
  }

  private func put(
    _ id: ElementID, _ type: ElementType, on scene: SceneID, _ fields: [(String, JSONValue)],
    _ completion: @escaping CommandCompletion
  ) {
    let opening: [(String, JSONValue)] = [
      ("id", .string(id.description)), ("scene", JSONValue(Int(scene))), ("type", .string(type.rawValue)),
    ]
    do throws(CodecError) {
      let put = try ElementPut(parsing: JSONValue.object(opening + fields).compact)
      link.submit(.elements(.put(put)), completion)
    } catch { completion(.failure(BoardroomError(error))) }
  }

  func newElement() -> ElementID? {
    guard let member = link.session?.member else { return nil }
    lastElement += 1
    return ElementID(member: member, number: lastElement)
  }

  // MARK: Changes

  /// Sets attributes of each, as `set` has them; what is not on the board is left out.
  func change(
    _ ids: [ElementID], _ completion: @escaping CommandCompletion,
    _ set: (WhiteElement) -> [(String, JSONValue?)]
  ) {
    if let obstacle = link.obstacle { return completion(.failure(obstacle)) }
    let elements = link.mirror.board().elements
    let changes = ids.compactMap { id in
      elements[id].map { element in
        ElementChange(
          id: id, set: JSONPatch(set(WhiteElement(element)).map { (key: $0.0, value: $0.1?.text) }))
      }
    }
    guard !changes.isEmpty else { return completion(.failure(BoardroomError(.noSuchElement))) }
    link.submit(.elements(.change(ElementsChanged(changes))), completion)
  }

  /// Another text in the place of one; where it stands and how it looks stay (EL-4).
  func updateText(_ ids: [ElementID], _ text: String, _ completion: @escaping CommandCompletion) {
    guard !link.board.isTextDisabled else { return completion(.failure(.textDisabled)) }
    let elements = link.mirror.board().elements
    let texts = ids.filter { id in
      guard case .shape(let type, _)? = elements[id]?.content else { return false }
      return type == .text || type == .note
    }
    change(texts, completion) { _ in [(ElementKey.text, .string(text))] }
  }

  /// Gives each a key of its own between two others, in the order in which they are drawn now.
  func reorder(_ ids: [ElementID], toFront: Bool, _ completion: @escaping CommandCompletion) {
    if let obstacle = link.obstacle { return completion(.failure(obstacle)) }
    let elements = link.mirror.board().elements
    let moving = Set(ids)
    guard let scene = ids.lazy.compactMap({ elements[$0]?.scene }).first else {
      return completion(.failure(BoardroomError(.noSuchElement)))
    }
    let drawn = elements.drawn(in: scene).map(\.id)
    let movingInOrder = drawn.filter(moving.contains)
    let still = drawn.filter { !moving.contains($0) }
    var limit = (toFront ? still.last : still.first).flatMap { elements.orderKey(of: $0) }
    var keys: [ElementID: String] = [:]
    for id in toFront ? movingInOrder : movingInOrder.reversed() {
      guard let key = toFront ? elements.keyAbove(limit) : OrderKey.between(nil, limit) else {
        return completion(.failure(.noRoomInOrder))
      }
      keys[id] = key
      limit = key
    }
    change(movingInOrder, completion) { [(ElementKey.order, keys[$0.id].map { .string($0) })] }
  }

  /// EL-3: images may be kept from being erased.
  func erase(_ ids: [ElementID], _ completion: @escaping CommandCompletion) {
    guard link.board.isImageEraseDisabled else { return link.submit(.elements(.erase(ids)), completion) }
    let elements = link.mirror.board().elements
    let rest = ids.filter { id in
      if case .shape(.image, _)? = elements[id]?.content { false } else { true }
    }
    guard !rest.isEmpty || ids.isEmpty else { return completion(.failure(.imagesKept)) }
    link.submit(.elements(.erase(rest)), completion)
  }

  // MARK: Images

  /// EL-1: the one that the app named so.
  func images(_ uuid: String?) -> [ElementID] {
    let board = link.mirror.board()
    return board.elements.all(in: board.currentScene).filter { element in
      guard case .shape(.image, _) = element.content else { return false }
      return uuid == nil || WhiteElement(element).uuid == uuid
    }.map(\.id)
  }

  /// EL-1: an image is completed on whatever page it stands.
  func completeImage(_ uuid: String, _ source: String, _ completion: @escaping CommandCompletion) {
    guard source.isImageAddress else { return completion(.failure(.badImageAddress)) }
    var meant: [ElementID] = []
    link.mirror.board().elements.forEachPlaced { _, element in
      guard case .shape(.image, _) = element.content, WhiteElement(element).uuid == uuid else { return }
      meant.append(element.id)
    }
    change(meant, completion) { _ in [(ElementKey.source, .string(source))] }
  }

  // MARK: Copies

  /// EL-8: copies onto the current page, each moved by this much.
  func copy(_ ids: [ElementID], by offset: (x: Double, y: Double), _ completion: @escaping IDsCompletion) {
    if let obstacle = link.obstacle { return completion(.failure(obstacle)) }
    guard !link.board.isSerializationDisabled else { return completion(.failure(.serializationDisabled)) }
    let room = link.mirror.board()
    let copies = ids.compactMap { id -> ElementCopy? in
      guard let element = room.elements[id], let fresh = newElement() else { return nil }
      let set = WhiteElement(element).moved(by: offset.x, offset.y).map { (key: $0.0, value: $0.1?.text) }
      return ElementCopy(from: id, id: fresh, scene: room.currentScene, set: JSONPatch(set))
    }
    guard !copies.isEmpty else { return completion(.failure(BoardroomError(.noSuchElement))) }
    let made = copies.map(\.id)
    link.submit(.elements(.copy(copies))) { completion($0.map { _ in made }) }
  }

  // MARK: Strokes

  func beginStroke(
    _ key: UInt64, _ pen: WhitePen, _ points: [WhitePoint], ends: Bool,
    _ completion: @escaping (Result<(ElementID, Receipt), BoardroomError>) -> Void
  ) {
    if let obstacle = link.obstacle { return completion(.failure(obstacle)) }
    guard let id = newElement() else { return completion(.failure(BoardroomError(.notConnected))) }
    let style = pen.style(on: link.mirror.parts().currentScene)
    strokes[key] = OpenStroke(number: id.number, encoder: StrokeEncoder(unit: style.unit))
    segments(of: key, points, begin: style, ends: ends) { completion($0.map { (id, $0) }) }
  }

  /// Fails if the stroke never began, has ended, or belongs to a session that is over.
  func extendStroke(
    _ key: UInt64, _ points: [WhitePoint], ends: Bool, _ completion: @escaping CommandCompletion
  ) {
    if let obstacle = link.obstacle { return completion(.failure(obstacle)) }
    guard strokes[key] != nil else { return completion(.failure(BoardroomError(.noSuchElement))) }
    segments(of: key, points, begin: nil, ends: ends, completion)
  }

  private func segments(
    of key: UInt64, _ points: [WhitePoint], begin: StrokeStyle?, ends: Bool,
    _ completion: @escaping CommandCompletion
  ) {
    guard var stroke = strokes[key] else { return }
    var begin = begin
    var rest = points[...]
    repeat {
      let piece = rest.prefix(StrokeEncoder.segmentLimit)
      rest = rest.dropFirst(piece.count)
      let segment = StrokeSegment(
        number: stroke.number, begin: begin, ends: ends && rest.isEmpty,
        points: stroke.encoder.encode(piece))
      begin = nil
      // The receipt of the last segment stands for all: they are decided in order.
      if rest.isEmpty {
        link.submit(.drawing(.stroke(segment)), completion)
      } else {
        link.submit(.drawing(.stroke(segment))) { _ in }
      }
    } while !rest.isEmpty
    strokes[key] = ends ? nil : stroke
  }
}

extension ElementStore {
  /// Above all that is there, and where there is room below what is put next.
  fileprivate func keyAbove(_ key: String?) -> String? {
    OrderKey.between(key, OrderKey.standard(places.count)) ?? OrderKey.between(key, nil)
  }
}

extension WhiteElement {
  /// What moves it: a shape by its corner, a stroke and what was transformed by its transform.
  func moved(by dx: Double, _ dy: Double) -> [(String, JSONValue?)] {
    guard transform == nil, let x, let y else {
      var matrix = transform.flatMap { $0.count == 6 ? $0 : nil } ?? [1, 0, 0, 1, 0, 0]
      matrix[4] += dx
      matrix[5] += dy
      return [(ElementKey.transform, .array(matrix.map { JSONValue($0) }))]
    }
    return [("x", JSONValue(x + dx)), ("y", JSONValue(y + dy))]
  }
}

extension String {
  /// EL-1: `http` and `https`, as browsers will load.
  var isImageAddress: Bool {
    let lower = lowercased()
    return (lower.hasPrefix("http://") && lower.utf8.count > 7)
      || (lower.hasPrefix("https://") && lower.utf8.count > 8)
  }
}
