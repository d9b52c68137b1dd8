import BoardroomCodec
import BoardroomModel
import EventLogModel

/// A stroke that this client draws: from pen down to pen up, on the page that was current at pen down.
public final class WhiteStroke: Sendable {
  private let key: UInt64
  private let room: WhiteRoom
  private let known = Guarded(WhiteElementID?.none)

  fileprivate init(key: UInt64, room: WhiteRoom) {
    self.key = key
    self.room = room
  }

  /// Its name on the board, once the server has its beginning.
  public var id: WhiteElementID? { known.with { $0 } }

  fileprivate func begin(
    _ pen: WhitePen, _ points: [WhitePoint], ends: Bool, _ completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    let (key, room) = (key, room)
    room.link.enter { link in
      link.elements.beginStroke(key, pen, points, ends: ends) { [self] result in
        switch result {
        case .success(let (id, receipt)):
          known.with { $0 = id }
          completion?(.success(receipt))
        case .failure(let error):
          if completion == nil { room.complain(error) }
          completion?(.failure(error))
        }
      }
    }
  }

  private func go(
    _ points: [WhitePoint], ends: Bool, _ completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    let (key, room) = (key, room)
    room.link.enter { link in
      link.elements.extendStroke(key, points, ends: ends) { result in
        if case .failure(let error) = result, completion == nil { room.complain(error) }
        completion?(result)
      }
    }
  }

  /// The pen moved. Fails with `noSuchElement` if the stroke ended, or the session did while it was drawn.
  public func extend(_ points: [WhitePoint], completion: (@Sendable (WhiteResult) -> Void)? = nil) {
    go(points, ends: false, completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func extend(_ points: [WhitePoint]) async throws(BoardroomError) -> Receipt {
    try await room.answer { self.extend(points, completion: $0) }
  }

  /// The pen went up, after these points.
  public func end(_ points: [WhitePoint] = [], completion: (@Sendable (WhiteResult) -> Void)? = nil) {
    go(points, ends: true, completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func end(_ points: [WhitePoint] = []) async throws(BoardroomError) -> Receipt {
    try await room.answer { self.end(points, completion: $0) }
  }
}

extension WhiteRoom {
  /// The pen went down, with its first points.
  @discardableResult
  public func beginStroke(
    _ pen: WhitePen, _ points: [WhitePoint] = [], completion: (@Sendable (WhiteResult) -> Void)? = nil
  ) -> WhiteStroke {
    let stroke = newStroke()
    stroke.begin(pen, points, ends: false, completion)
    return stroke
  }

  /// A whole stroke at once.
  @discardableResult
  public func drawStroke(
    _ pen: WhitePen, _ points: [WhitePoint], completion: (@Sendable (WhiteResult) -> Void)? = nil
  ) -> WhiteStroke {
    let stroke = newStroke()
    stroke.begin(pen, points, ends: true, completion)
    return stroke
  }

  /// A whole stroke at once; returns its name on the board.
  @discardableResult
  public func drawStroke(
    _ pen: WhitePen, _ points: [WhitePoint]
  ) async throws(BoardroomError) -> WhiteElementID {
    let stroke = newStroke()
    let _: Receipt = try await answer { stroke.begin(pen, points, ends: true, $0) }
    guard let id = stroke.id else { throw BoardroomError(.noSuchElement) }
    return id
  }

  private func newStroke() -> WhiteStroke {
    let key = shown.with { shown in
      shown.lastStroke += 1
      return shown.lastStroke
    }
    return WhiteStroke(key: key, room: self)
  }
}
