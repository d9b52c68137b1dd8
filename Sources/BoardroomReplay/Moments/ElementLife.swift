import BoardroomModel
import EventLogModel

/// What one event did to one element.
public struct ElementMoment: Sendable, Hashable {
  /// What became of the element.
  public enum Change: String, Sendable, Hashable, CaseIterable {
    /// It is on the board for the first time.
    case made
    /// It looks otherwise, or is elsewhere.
    case changed
    /// It is gone from the board.
    case erased
    /// It is on the board again.
    case restored
  }

  /// The event: who did it, and when.
  public var event: RoomEvent
  /// What became of the element.
  public var change: Change
  /// The element after the event; nil where it is erased.
  public var element: Element?
}

extension Replay {
  /// The life of one element, from the first event that is left to the last that this replay knows of: each event that made,
  /// changed, erased or restored it, in the order of the log. The replay stays where it is.
  ///
  /// Reads the whole log once. A stroke that grows is one moment for each part of it that came.
  public func changes(of id: ElementID) async throws(ReplayError) -> [ElementMoment] {
    var cursor = try await Replay(recording)
    var life: [ElementMoment] = []
    var before = Trace(of: id, in: cursor)
    var wasMade = before.element != nil
    while let event = try await cursor.step() {
      let after = Trace(of: id, in: cursor)
      defer { before = after }
      // A chunk of places that no event touched is the same: most events need no comparison of elements.
      guard after.version != before.version, after.element != before.element else { continue }
      let change: ElementMoment.Change =
        switch (before.element, after.element) {
        case (nil, .some): wasMade ? .restored : .made
        case (_, nil): .erased
        default: .changed
        }
      wasMade = true
      life.append(ElementMoment(event: event, change: change, element: after.element))
    }
    return life
  }

  /// An element, and how often something in its chunk of places has changed.
  private struct Trace {
    var element: Element?
    var version: UInt64?

    init(of id: ElementID, in replay: Replay) {
      let store = replay.moment.state.elements
      element = store[id]
      version = store.version(near: id)
    }
  }
}

extension ElementStore {
  /// The version of the chunk that holds the element, also while it is buried; nil where there is none.
  fileprivate func version(near id: ElementID) -> UInt64? {
    guard let ordinal = ordinal(of: id) else { return nil }
    return chunkVersions[ordinal / Self.chunkSize]
  }
}
