import BoardroomCodec
import BoardroomModel
import EventLogModel

/// A stroke that this client draws: from pen down to pen up, on the page that was current at pen down.
public final class WhiteStroke: Sendable {
  fileprivate let key: UInt64
  package let room: WhiteRoom
  fileprivate let known = Guarded(WhiteElementID?.none)

  fileprivate init(key: UInt64, room: WhiteRoom) {
    self.key = key
    self.room = room
  }

  /// Its name on the board, once the server has its beginning.
  public var id: WhiteElementID? { known.with { $0 } }

  /// The pen moved. Nobody waits for it: what becomes of it is told to `throwError` of the common callbacks object if it
  /// fails. Points come in the order of the calls.
  public func append(_ points: [WhitePoint]) {
    room.begin(.extend(self, points, ends: false), completion: nil)
  }

  /// The pen went up, after these points. Nobody waits for it, as with `append`.
  public func finish(_ points: [WhitePoint] = []) {
    room.begin(.extend(self, points, ends: true), completion: nil)
  }

  /// The pen moved. Throws `noSuchElement` if the stroke ended, or the session did while it was drawn.
  @discardableResult
  nonisolated(nonsending) public func extend(_ points: [WhitePoint]) async throws(BoardroomError) -> Receipt {
    try await room.answer(.extend(self, points, ends: false), takesBack: false)
  }

  /// The pen went up, after these points.
  @discardableResult
  nonisolated(nonsending) public func end(_ points: [WhitePoint] = []) async throws(BoardroomError) -> Receipt
  {
    try await room.answer(.extend(self, points, ends: true), takesBack: false)
  }
}

extension WhiteRoom {
  /// The pen went down, with its first points. Nobody waits for it, as with `WhiteStroke.append`.
  @discardableResult
  public func beginStroke(_ pen: WhitePen, _ points: [WhitePoint] = []) -> WhiteStroke {
    let stroke = newStroke()
    begin(.draw(stroke, pen, points, ends: false), completion: nil)
    return stroke
  }

  /// A whole stroke at once; returns its name on the board.
  @discardableResult
  nonisolated(nonsending) public func drawStroke(
    _ pen: WhitePen, _ points: [WhitePoint]
  ) async throws(BoardroomError) -> WhiteElementID {
    let stroke = newStroke()
    _ = try await answer(.draw(stroke, pen, points, ends: true))
    guard let id = stroke.id else { throw BoardroomError(.noSuchElement) }
    return id
  }

  package func newStroke() -> WhiteStroke {
    let key = shown.with { shown in
      shown.lastStroke += 1
      return shown.lastStroke
    }
    return WhiteStroke(key: key, room: self)
  }
}

extension RoomRequest<Receipt> {
  /// The pen goes down, and where `ends` says so, up again.
  package static func draw(_ stroke: WhiteStroke, _ pen: WhitePen, _ points: [WhitePoint], ends: Bool) -> Self
  {
    .onLink { link, finish in
      link.elements.beginStroke(stroke.key, pen, points, ends: ends) { result in
        finish(
          result.map { id, receipt in
            stroke.known.with { $0 = id }
            return receipt
          })
      }
    }
  }

  package static func extend(_ stroke: WhiteStroke, _ points: [WhitePoint], ends: Bool) -> Self {
    .onLink { $0.elements.extendStroke(stroke.key, points, ends: ends, $1) }
  }
}
