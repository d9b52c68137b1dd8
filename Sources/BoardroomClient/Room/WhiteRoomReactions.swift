import BoardroomCodec
import BoardroomModel
import EventLogModel

/// A reaction of a member, oneself included, as it came into the log.
public struct WhiteReaction: Sendable, Hashable {
  /// Where it is shown.
  public enum Target: Sendable, Hashable {
    /// In pixels of the board, on the page of this path.
    case page(String, x: Double, y: Double)
    /// In the middle of an element.
    case element(WhiteElementID)
  }

  /// Who reacts.
  public var memberId: UInt64
  /// One emoji.
  public var emoji: String
  /// Where it is shown.
  public var place: Target
  /// When, in milliseconds since 1970, by the server's clock.
  public var time: Int64

  /// Nil where its page is gone.
  init?(_ event: RoomEvent, _ reaction: Reaction, by member: MemberID, in state: RoomState) {
    switch reaction.target {
    case .page(let scene, let x, let y):
      guard let path = state.scene(scene)?.path else { return nil }
      place = .page(path, x: Double(x), y: Double(y))
    case .element(let id): place = .element(id)
    }
    (memberId, emoji, time) = (member.rawValue, reaction.emoji, event.time.milliseconds)
  }
}

// Reactions: beyond the source system. Everybody is shown them for some seconds by `fireReaction`.
extension WhiteRoom {
  /// Shows an emoji to everybody at a place of the current page (REACT-1); `point` in pixels of the board. Refused as
  /// `badParameter` where the text is not one emoji, and as `rateLimited` above five a second.
  @discardableResult
  nonisolated(nonsending) public func react(
    _ emoji: String, at point: WhitePoint
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.react(emoji, at: point))
  }

  /// Shows an emoji to everybody on an element; `noSuchElement` where it is not there.
  @discardableResult
  nonisolated(nonsending) public func react(
    _ emoji: String, on element: WhiteElementID
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.react(emoji, on: element))
  }
}

extension RoomRequest<Receipt> {
  package static func react(_ emoji: String, at point: WhitePoint) -> Self {
    .onLink { link, finish in
      let scene = link.mirror.parts().currentScene
      let target = Reaction.Target.page(scene, x: whole(point.x), y: whole(point.y))
      link.submit(.react(Reaction(emoji, at: target)), finish)
    }
  }

  package static func react(_ emoji: String, on element: WhiteElementID) -> Self {
    .command(.react(Reaction(emoji, at: .element(element))))
  }

  /// A place that no board reaches is at the edge of what one reaches.
  private static func whole(_ pixels: Double) -> Int64 {
    guard pixels.isFinite else { return 0 }
    let edge = Double(FieldRanges.coordinate)
    return Int64(min(max(pixels.rounded(), -edge), edge))
  }
}
