import BoardroomClient
import BoardroomCodec
import BoardroomModel

// Strokes and other elements with completions, which are called on the SDK's context. Nil: nobody waits, and a failure is told
// to `throwError` of the common callbacks object.
extension WhiteRoom {
  // MARK: Strokes

  /// The pen went down, with its first points.
  @discardableResult
  public func beginStroke(
    _ pen: WhitePen, _ points: [WhitePoint] = [], completion: (@Sendable (WhiteResult) -> Void)?
  ) -> WhiteStroke {
    let stroke = newStroke()
    begin(.draw(stroke, pen, points, ends: false), completion: completion)
    return stroke
  }

  /// A whole stroke at once.
  @discardableResult
  public func drawStroke(
    _ pen: WhitePen, _ points: [WhitePoint], completion: (@Sendable (WhiteResult) -> Void)?
  ) -> WhiteStroke {
    let stroke = newStroke()
    begin(.draw(stroke, pen, points, ends: true), completion: completion)
    return stroke
  }

  // MARK: Putting

  /// Puts a shape, a text, a line or a note on the current page; answers with its name on the board.
  public func insert(
    _ shape: WhiteShape, completion: (@Sendable (Result<WhiteElementID, BoardroomError>) -> Void)?
  ) {
    begin(.insert(shape), completion: completion)
  }

  /// Puts an element with the fields that docs/PROTOCOL.md, section 6, gives its type, and any of the app's own.
  public func insertElement(
    _ type: WhiteElementType, _ fields: JSONValue,
    completion: (@Sendable (Result<WhiteElementID, BoardroomError>) -> Void)?
  ) {
    begin(.insertElement(type, fields), completion: completion)
  }

  /// A text (EL-4); answers with what `updateText` needs. Without a size it has the one that this member writes in.
  public func insertText(
    x: Double, y: Double, text: String, size: Double? = nil, style: WhiteStyle = WhiteStyle(),
    completion: (@Sendable (Result<WhiteElementID, BoardroomError>) -> Void)?
  ) {
    begin(.insertText(x: x, y: y, text: text, size: size, style: style), completion: completion)
  }

  /// Another text in place of one; where it stands and how it looks stay.
  public func updateText(
    _ id: WhiteElementID, _ text: String, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    begin(.updateText(id, text), completion: completion)
  }

  /// Another text in every text and note that is selected.
  public func updateSelectedText(_ text: String, completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.updateSelectedText(text), completion: completion)
  }

  // MARK: Images

  /// EL-1: a place for an image whose source comes later.
  public func insertImage(
    _ information: WhiteImageInformation,
    completion: (@Sendable (Result<WhiteElementID, BoardroomError>) -> Void)?
  ) {
    begin(.insertImage(information), completion: completion)
  }

  /// EL-1: the image with this uuid has its source, an `http` or `https` address, from here on.
  public func completeImageUpload(
    _ uuid: String, src: String, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    begin(.completeImageUpload(uuid, src: src), completion: completion)
  }

  /// EL-2: both at once.
  public func insertImage(
    _ information: WhiteImageInformation, src: String,
    completion: (@Sendable (Result<WhiteElementID, BoardroomError>) -> Void)?
  ) {
    begin(.insertImage(information, src: src), completion: completion)
  }

  /// EL-3: whether the image with this uuid is locked.
  public func lockImage(_ uuid: String, locked: Bool, completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.lockImage(uuid, locked: locked), completion: completion)
  }

  /// EL-3: all images of the current page.
  public func lockImages(_ locked: Bool, completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.lockImages(locked), completion: completion)
  }

  // MARK: Any element

  /// Takes elements off the board; what is locked stays.
  public func erase(_ ids: [WhiteElementID], completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.erase(ids), completion: completion)
  }

  /// Moves elements by so many pixels.
  public func move(
    _ ids: [WhiteElementID], x: Double, y: Double, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    begin(.move(ids, x: x, y: y), completion: completion)
  }

  /// Gives elements this transform: [a, b, c, d, e, f] takes a point (x, y) of an element to
  /// (a x + c y + e, b x + d y + f). Nil takes it away.
  public func transform(
    _ ids: [WhiteElementID], _ matrix: [Double]?, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    begin(.transform(ids, matrix), completion: completion)
  }

  /// Sets what is set in the style; the rest of each element's style stays.
  public func restyle(
    _ ids: [WhiteElementID], _ style: WhiteStyle, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    begin(.restyle(ids, style), completion: completion)
  }

  /// Sets fields of an element by the keys of docs/PROTOCOL.md, section 6; null takes a change away.
  public func change(
    _ id: WhiteElementID, _ fields: [String: JSONValue], completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    begin(.change(id, fields), completion: completion)
  }

  /// EL-3: a locked element can be unlocked and nothing else.
  public func lock(
    _ ids: [WhiteElementID], _ locked: Bool, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    begin(.lock(ids, locked), completion: completion)
  }

  /// Above all others on their page.
  public func bringToFront(_ ids: [WhiteElementID], completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.bringToFront(ids), completion: completion)
  }

  /// Below all others on their page.
  public func sendToBack(_ ids: [WhiteElementID], completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.sendToBack(ids), completion: completion)
  }

  // MARK: What is selected

  /// Remembers what is selected for `paste`; completes with how many. Refused while serialization is disabled (EL-6).
  public func copy(completion: (@Sendable (Result<Int, BoardroomError>) -> Void)?) {
    begin(.copy, completion: completion)
  }

  /// Puts copies of what was remembered onto the current page; they are selected then.
  public func paste(completion: (@Sendable (Result<[WhiteElementID], BoardroomError>) -> Void)?) {
    begin(.paste, completion: completion)
  }

  /// Copies what is selected; the copies are selected then.
  public func duplicate(completion: (@Sendable (Result<[WhiteElementID], BoardroomError>) -> Void)?) {
    begin(.duplicate, completion: completion)
  }

  /// Erases what is selected.
  public func deleteSelection(completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.deleteSelection, completion: completion)
  }
}

extension WhiteStroke {
  /// The pen moved. Fails with `noSuchElement` if the stroke ended, or the session did while it was drawn.
  public func extend(_ points: [WhitePoint], completion: (@Sendable (WhiteResult) -> Void)?) {
    room.begin(.extend(self, points, ends: false), completion: completion)
  }

  /// The pen went up, after these points.
  public func end(_ points: [WhitePoint] = [], completion: (@Sendable (WhiteResult) -> Void)?) {
    room.begin(.extend(self, points, ends: true), completion: completion)
  }
}
