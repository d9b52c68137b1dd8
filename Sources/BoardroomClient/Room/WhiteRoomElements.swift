import BoardroomCodec
import BoardroomModel
import EventLogModel

// Elements other than strokes. Pixels of the board; `docs/PROTOCOL.md`, section 6, says what each field means.
extension WhiteRoom {
  // MARK: Putting

  /// Puts a shape, a text, a line or a note on the current page; answers with its name on the board.
  public func insert(
    _ shape: WhiteShape, completion: (@Sendable (Result<WhiteElementID, BoardroomError>) -> Void)?
  ) {
    let finish = whenDone(completion)
    link.enter { $0.elements.put(shape.type, shape.fields, finish) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func insert(_ shape: WhiteShape) async throws(BoardroomError) -> WhiteElementID {
    try await answer { answer in self.insert(shape) { answer($0) } }
  }

  /// Puts an element with the fields that docs/PROTOCOL.md, section 6, gives its type, and any of the app's own.
  public func insertElement(
    _ type: WhiteElementType, _ fields: JSONValue,
    completion: (@Sendable (Result<WhiteElementID, BoardroomError>) -> Void)?
  ) {
    let finish = whenDone(completion)
    let body = (fields.object ?? []).filter { !["id", "scene", "type"].contains($0.0) }
    link.enter { $0.elements.put(type, body, finish) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func insertElement(
    _ type: WhiteElementType, _ fields: JSONValue
  ) async throws(BoardroomError) -> WhiteElementID {
    try await answer { answer in self.insertElement(type, fields) { answer($0) } }
  }

  /// A rectangle.
  @discardableResult
  public func insertRectangle(
    x: Double, y: Double, width: Double, height: Double, style: WhiteStyle = WhiteStyle()
  ) async throws(BoardroomError) -> WhiteElementID {
    try await insert(WhiteShape(.rectangle, x: x, y: y, width: width, height: height, style: style))
  }

  /// A sticky note.
  @discardableResult
  public func insertNote(
    x: Double, y: Double, width: Double, height: Double, text: String, style: WhiteStyle = WhiteStyle()
  ) async throws(BoardroomError) -> WhiteElementID {
    var note = WhiteShape(.note, x: x, y: y, width: width, height: height, style: style)
    note.text = text
    return try await insert(note)
  }

  // MARK: Text

  /// A text (EL-4); answers with what `updateText` needs. Without a size it has the one that this member writes in.
  public func insertText(
    x: Double, y: Double, text: String, size: Double? = nil, style: WhiteStyle = WhiteStyle(),
    completion: (@Sendable (Result<WhiteElementID, BoardroomError>) -> Void)?
  ) {
    var shape = WhiteShape(.text, x: x, y: y, style: style)
    shape.text = text
    shape.fontSize = size ?? shown.with { $0.state.memberState?.shownTextSize }
    insert(shape, completion: completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func insertText(
    x: Double, y: Double, text: String, size: Double? = nil, style: WhiteStyle = WhiteStyle()
  ) async throws(BoardroomError) -> WhiteElementID {
    try await answer { answer in
      self.insertText(x: x, y: y, text: text, size: size, style: style) { answer($0) }
    }
  }

  /// Another text in place of one; where it stands and how it looks stay.
  public func updateText(
    _ id: WhiteElementID, _ text: String, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    run(completion) { $0.elements.updateText([id], text, $1) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func updateText(_ id: WhiteElementID, _ text: String) async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.updateText(id, text) { answer($0) } }
  }

  /// Another text in every text and note that is selected.
  public func updateSelectedText(_ text: String, completion: (@Sendable (WhiteResult) -> Void)?) {
    onSelection(completion) { $0.elements.updateText($1, text, $2) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func updateSelectedText(_ text: String) async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.updateSelectedText(text) { answer($0) } }
  }

  /// EL-5: texts can be neither put nor changed by this client until it is called with false.
  public func disableTextOperations(_ disabled: Bool) {
    link.enter { $0.board.isTextDisabled = disabled }
  }

  // MARK: Images

  /// EL-1: a place for an image whose source comes later.
  public func insertImage(
    _ information: WhiteImageInformation,
    completion: (@Sendable (Result<WhiteElementID, BoardroomError>) -> Void)?
  ) {
    let finish = whenDone(completion)
    link.enter { $0.elements.put(.image, information.fields, finish) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func insertImage(
    _ information: WhiteImageInformation
  ) async throws(BoardroomError) -> WhiteElementID {
    try await answer { answer in self.insertImage(information) { answer($0) } }
  }

  /// EL-1: the image with this uuid has its source, an `http` or `https` address, from here on. Any member can
  /// complete it: its uuid is kept on the board.
  public func completeImageUpload(
    _ uuid: String, src: String, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    run(completion) { [self] in $0.elements.completeImage(uuid, source(src), $1) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func completeImageUpload(_ uuid: String, src: String) async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.completeImageUpload(uuid, src: src) { answer($0) } }
  }

  /// EL-2: both at once.
  public func insertImage(
    _ information: WhiteImageInformation, src: String,
    completion: (@Sendable (Result<WhiteElementID, BoardroomError>) -> Void)?
  ) {
    let finish = whenDone(completion)
    link.enter { [self] link in
      let source = source(src)
      guard source.isImageAddress else { return finish(.failure(.badImageAddress)) }
      link.elements.put(.image, information.fields + [(ElementKey.source, .string(source))], finish)
    }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func insertImage(
    _ information: WhiteImageInformation, src: String
  ) async throws(BoardroomError) -> WhiteElementID {
    try await answer { answer in self.insertImage(information, src: src) { answer($0) } }
  }

  /// EL-3: whether the image with this uuid is locked.
  public func lockImage(_ uuid: String, locked: Bool, completion: (@Sendable (WhiteResult) -> Void)?) {
    run(completion) { link, done in link.elements.lock(link.elements.images(uuid), locked, done) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func lockImage(_ uuid: String, locked: Bool) async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.lockImage(uuid, locked: locked) { answer($0) } }
  }

  /// EL-3: all images of the current page.
  public func lockImages(_ locked: Bool, completion: (@Sendable (WhiteResult) -> Void)?) {
    run(completion) { link, done in link.elements.lock(link.elements.images(nil), locked, done) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func lockImages(_ locked: Bool) async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.lockImages(locked) { answer($0) } }
  }

  /// EL-3: whether `erase` and `deleteSelection` of this client pass images over.
  public func disableEraseImage(_ disabled: Bool) {
    link.enter { $0.board.isImageEraseDisabled = disabled }
  }

  // MARK: Any element

  /// Takes elements off the board; what is locked stays.
  public func erase(_ ids: [WhiteElementID], completion: (@Sendable (WhiteResult) -> Void)? = nil) {
    run(completion) { $0.elements.erase(ids, $1) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func erase(_ ids: [WhiteElementID]) async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.erase(ids) { answer($0) } }
  }

  /// Moves elements by so many pixels.
  public func move(
    _ ids: [WhiteElementID], x: Double, y: Double, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    run(completion) { link, done in link.elements.change(ids, done) { $0.moved(by: x, y) } }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func move(
    _ ids: [WhiteElementID], x: Double, y: Double
  ) async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.move(ids, x: x, y: y) { answer($0) } }
  }

  /// Gives elements this transform: [a, b, c, d, e, f] takes a point (x, y) of an element to
  /// (a x + c y + e, b x + d y + f). Nil takes it away.
  public func transform(
    _ ids: [WhiteElementID], _ matrix: [Double]?, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    let value = matrix.map { JSONValue.array($0.map { JSONValue($0) }) }
    run(completion) { link, done in link.elements.change(ids, done) { _ in [(ElementKey.transform, value)] } }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func transform(
    _ ids: [WhiteElementID], _ matrix: [Double]?
  ) async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.transform(ids, matrix) { answer($0) } }
  }

  /// Sets what is set in the style; the rest of each element's style stays.
  public func restyle(
    _ ids: [WhiteElementID], _ style: WhiteStyle, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    let fields = style.fields.map { ("style." + $0.0, Optional($0.1)) }
    run(completion) { link, done in link.elements.change(ids, done) { _ in fields } }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func restyle(
    _ ids: [WhiteElementID], _ style: WhiteStyle
  ) async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.restyle(ids, style) { answer($0) } }
  }

  /// Sets fields of an element by the keys of docs/PROTOCOL.md, section 6, such as `width`; null takes a change
  /// away, and the element is again as it was put.
  public func change(
    _ id: WhiteElementID, _ fields: [String: JSONValue], completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    let set = fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value.isNull ? nil : $0.value) }
    run(completion) { link, done in link.elements.change([id], done) { _ in set } }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func change(
    _ id: WhiteElementID, _ fields: [String: JSONValue]
  ) async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.change(id, fields) { answer($0) } }
  }

  /// EL-3: a locked element can be unlocked and nothing else.
  public func lock(
    _ ids: [WhiteElementID], _ locked: Bool, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    run(completion) { $0.elements.lock(ids, locked, $1) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func lock(_ ids: [WhiteElementID], _ locked: Bool) async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.lock(ids, locked) { answer($0) } }
  }

  /// Above all others on their page.
  public func bringToFront(_ ids: [WhiteElementID], completion: (@Sendable (WhiteResult) -> Void)?) {
    run(completion) { $0.elements.reorder(ids, toFront: true, $1) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func bringToFront(_ ids: [WhiteElementID]) async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.bringToFront(ids) { answer($0) } }
  }

  /// Below all others on their page.
  public func sendToBack(_ ids: [WhiteElementID], completion: (@Sendable (WhiteResult) -> Void)?) {
    run(completion) { $0.elements.reorder(ids, toFront: false, $1) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func sendToBack(_ ids: [WhiteElementID]) async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.sendToBack(ids) { answer($0) } }
  }
}

extension ElementEdits {
  func lock(_ ids: [ElementID], _ locked: Bool, _ completion: @escaping CommandCompletion) {
    change(ids, completion) { _ in [(ElementKey.locked, .bool(locked))] }
  }
}
