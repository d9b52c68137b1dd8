import BoardroomCodec
import BoardroomModel
import EventLogModel

// Elements other than strokes. Pixels of the board; `docs/PROTOCOL.md`, section 6, says what each field means.
extension WhiteRoom {
  // MARK: Putting

  /// Puts a shape, a text, a line or a note on the current page; returns its name on the board.
  @discardableResult
  nonisolated(nonsending) public func insert(_ shape: WhiteShape) async throws(BoardroomError)
    -> WhiteElementID
  {
    try await answer(.insert(shape))
  }

  /// Puts an element with the fields that docs/PROTOCOL.md, section 6, gives its type, and any of the app's own.
  @discardableResult
  nonisolated(nonsending) public func insertElement(
    _ type: WhiteElementType, _ fields: JSONValue
  ) async throws(BoardroomError) -> WhiteElementID {
    try await answer(.insertElement(type, fields))
  }

  /// A rectangle.
  @discardableResult
  nonisolated(nonsending) public func insertRectangle(
    x: Double, y: Double, width: Double, height: Double, style: WhiteStyle = WhiteStyle()
  ) async throws(BoardroomError) -> WhiteElementID {
    try await insert(WhiteShape(.rectangle, x: x, y: y, width: width, height: height, style: style))
  }

  /// A sticky note.
  @discardableResult
  nonisolated(nonsending) public func insertNote(
    x: Double, y: Double, width: Double, height: Double, text: String, style: WhiteStyle = WhiteStyle()
  ) async throws(BoardroomError) -> WhiteElementID {
    var note = WhiteShape(.note, x: x, y: y, width: width, height: height, style: style)
    note.text = text
    return try await insert(note)
  }

  // MARK: Text

  /// A text (EL-4); returns what `updateText` needs. Without a size it has the one that this member writes in.
  @discardableResult
  nonisolated(nonsending) public func insertText(
    x: Double, y: Double, text: String, size: Double? = nil, style: WhiteStyle = WhiteStyle()
  ) async throws(BoardroomError) -> WhiteElementID {
    try await answer(.insertText(x: x, y: y, text: text, size: size, style: style))
  }

  /// Another text in place of one; where it stands and how it looks stay.
  @discardableResult
  nonisolated(nonsending) public func updateText(
    _ id: WhiteElementID, _ text: String
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.updateText(id, text))
  }

  /// Another text in every text and note that is selected.
  @discardableResult
  nonisolated(nonsending) public func updateSelectedText(_ text: String) async throws(BoardroomError)
    -> Receipt
  {
    try await answer(.updateSelectedText(text))
  }

  /// EL-5: whether texts can be put and changed by this client, as they can at the beginning
  /// (`WhiteRoomConfig.isTextEditingEnabled`).
  public func setTextEditing(enabled: Bool) {
    link.enter { $0.board.isTextDisabled = !enabled }
  }

  // MARK: Images

  /// EL-1: a place for an image whose source comes later.
  @discardableResult
  nonisolated(nonsending) public func insertImage(
    _ information: WhiteImageInformation
  ) async throws(BoardroomError) -> WhiteElementID {
    try await answer(.insertImage(information))
  }

  /// EL-1: the image with this uuid has its source, an `http` or `https` address, from here on. Any member can
  /// complete it: its uuid is kept on the board.
  @discardableResult
  nonisolated(nonsending) public func completeImageUpload(
    _ uuid: String, src: String
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.completeImageUpload(uuid, src: src))
  }

  /// EL-2: both at once.
  @discardableResult
  nonisolated(nonsending) public func insertImage(
    _ information: WhiteImageInformation, src: String
  ) async throws(BoardroomError) -> WhiteElementID {
    try await answer(.insertImage(information, src: src))
  }

  /// EL-3: whether the image with this uuid is locked.
  @discardableResult
  nonisolated(nonsending) public func lockImage(
    _ uuid: String, locked: Bool
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.lockImage(uuid, locked: locked))
  }

  /// EL-3: all images of the current page.
  @discardableResult
  nonisolated(nonsending) public func lockImages(_ locked: Bool) async throws(BoardroomError) -> Receipt {
    try await answer(.lockImages(locked))
  }

  /// EL-3: whether `erase` and `deleteSelection` of this client take images, as they do at the beginning
  /// (`WhiteRoomConfig.isImageErasingEnabled`), or pass them over.
  public func setImageErasing(enabled: Bool) {
    link.enter { $0.board.isImageEraseDisabled = !enabled }
  }

  // MARK: Any element

  /// Takes elements off the board; what is locked stays.
  @discardableResult
  nonisolated(nonsending) public func erase(_ ids: [WhiteElementID]) async throws(BoardroomError) -> Receipt {
    try await answer(.erase(ids))
  }

  /// Moves elements by so many pixels.
  @discardableResult
  nonisolated(nonsending) public func move(
    _ ids: [WhiteElementID], x: Double, y: Double
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.move(ids, x: x, y: y))
  }

  /// Gives elements this transform: [a, b, c, d, e, f] takes a point (x, y) of an element to
  /// (a x + c y + e, b x + d y + f). Nil takes it away.
  @discardableResult
  nonisolated(nonsending) public func transform(
    _ ids: [WhiteElementID], _ matrix: [Double]?
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.transform(ids, matrix))
  }

  /// Sets what is set in the style; the rest of each element's style stays.
  @discardableResult
  nonisolated(nonsending) public func restyle(
    _ ids: [WhiteElementID], _ style: WhiteStyle
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.restyle(ids, style))
  }

  /// Sets fields of an element by the keys of docs/PROTOCOL.md, section 6, such as `width`; null takes a change
  /// away, and the element is again as it was put.
  @discardableResult
  nonisolated(nonsending) public func change(
    _ id: WhiteElementID, _ fields: [String: JSONValue]
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.change(id, fields))
  }

  /// EL-3: a locked element can be unlocked and nothing else.
  @discardableResult
  nonisolated(nonsending) public func lock(
    _ ids: [WhiteElementID], _ locked: Bool
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.lock(ids, locked))
  }

  /// Above all others on their page.
  @discardableResult
  nonisolated(nonsending) public func bringToFront(
    _ ids: [WhiteElementID]
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.bringToFront(ids))
  }

  /// Below all others on their page.
  @discardableResult
  nonisolated(nonsending) public func sendToBack(_ ids: [WhiteElementID]) async throws(BoardroomError)
    -> Receipt
  {
    try await answer(.sendToBack(ids))
  }
}

// MARK: What is asked for

extension RoomRequest<WhiteElementID> {
  package static func insert(_ shape: WhiteShape) -> Self {
    .onLink { $0.elements.put(shape.type, shape.fields, $1) }
  }

  package static func insertElement(_ type: WhiteElementType, _ fields: JSONValue) -> Self {
    let body = (fields.object ?? []).filter { !["id", "scene", "type"].contains($0.0) }
    return .onLink { $0.elements.put(type, body, $1) }
  }

  package static func insertText(
    x: Double, y: Double, text: String, size: Double?, style: WhiteStyle
  ) -> Self {
    RoomRequest { room, finish in
      var shape = WhiteShape(.text, x: x, y: y, style: style)
      shape.text = text
      shape.fontSize = size ?? room.shown.with { $0.state.memberState?.shownTextSize }
      RoomRequest.insert(shape).begin(room, finish)
    }
  }

  package static func insertImage(_ information: WhiteImageInformation) -> Self {
    .onLink { $0.elements.put(.image, information.fields, $1) }
  }

  package static func insertImage(_ information: WhiteImageInformation, src: String) -> Self {
    RoomRequest { room, finish in
      room.link.enter { link in
        let source = room.source(src)
        guard source.isImageAddress else { return finish(.failure(.badImageAddress)) }
        link.elements.put(.image, information.fields + [(ElementKey.source, .string(source))], finish)
      }
    }
  }
}

extension RoomRequest<Receipt> {
  package static func updateText(_ id: WhiteElementID, _ text: String) -> Self {
    .onLink { $0.elements.updateText([id], text, $1) }
  }

  package static func updateSelectedText(_ text: String) -> Self {
    .onSelection { $0.elements.updateText($1, text, $2) }
  }

  package static func completeImageUpload(_ uuid: String, src: String) -> Self {
    RoomRequest { room, finish in
      room.link.enter { $0.elements.completeImage(uuid, room.source(src), finish) }
    }
  }

  package static func lockImage(_ uuid: String, locked: Bool) -> Self {
    .onLink { $0.elements.lock($0.elements.images(uuid), locked, $1) }
  }

  package static func lockImages(_ locked: Bool) -> Self {
    .onLink { $0.elements.lock($0.elements.images(nil), locked, $1) }
  }

  package static func erase(_ ids: [WhiteElementID]) -> Self { .onLink { $0.elements.erase(ids, $1) } }

  package static func move(_ ids: [WhiteElementID], x: Double, y: Double) -> Self {
    .onLink { link, finish in link.elements.change(ids, finish) { $0.moved(by: x, y) } }
  }

  package static func transform(_ ids: [WhiteElementID], _ matrix: [Double]?) -> Self {
    let value = matrix.map { JSONValue.array($0.map { JSONValue($0) }) }
    return .onLink { $0.elements.change(ids, $1) { _ in [(ElementKey.transform, value)] } }
  }

  package static func restyle(_ ids: [WhiteElementID], _ style: WhiteStyle) -> Self {
    let fields = style.fields.map { ("style." + $0.0, Optional($0.1)) }
    return .onLink { $0.elements.change(ids, $1) { _ in fields } }
  }

  package static func change(_ id: WhiteElementID, _ fields: [String: JSONValue]) -> Self {
    let set = fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value.isNull ? nil : $0.value) }
    return .onLink { $0.elements.change([id], $1) { _ in set } }
  }

  package static func lock(_ ids: [WhiteElementID], _ locked: Bool) -> Self {
    .onLink { $0.elements.lock(ids, locked, $1) }
  }

  package static func bringToFront(_ ids: [WhiteElementID]) -> Self {
    .onLink { $0.elements.reorder(ids, toFront: true, $1) }
  }

  package static func sendToBack(_ ids: [WhiteElementID]) -> Self {
    .onLink { $0.elements.reorder(ids, toFront: false, $1) }
  }
}

extension ElementEdits {
  func lock(_ ids: [ElementID], _ locked: Bool, _ completion: @escaping CommandCompletion) {
    change(ids, completion) { _ in [(ElementKey.locked, .bool(locked))] }
  }
}
