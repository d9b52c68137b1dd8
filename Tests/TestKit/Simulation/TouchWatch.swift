import BoardroomModel
import EventLogModel

/// Who was the last to do something to each element, found by comparing the board before and after each event, and
/// by nothing else; so that it can be asked whether an undo took back what another member made last.
struct TouchWatch {
  private struct Touches {
    /// Who brought it, took it away or brought it back.
    var presence: Actor
    /// Who gave it its content; and, with it, all attributes that nobody set since.
    var content: Actor
    var keys: [String: Actor] = [:]

    func last(of key: String) -> Actor { keys[key] ?? content }
    var all: [Actor] { [presence, content] + keys.values }
  }

  private var touches: [ElementID: Touches] = [:]

  /// What was wrong about this event.
  mutating func take(_ event: RoomEvent, _ before: RoomState, _ after: RoomState) -> [String] {
    var faults: [String] = []
    if before.elements.chunkVersions != after.elements.chunkVersions {
      let count = max(before.elements.places.count, after.elements.places.count)
      for place in 0..<count {
        let (old, new) = (before.elements.shown(at: place), after.elements.shown(at: place))
        if old != new { compare(old, new, event, &faults) }
      }
    }
    return faults
  }

  private mutating func compare(
    _ old: Element?, _ new: Element?, _ event: RoomEvent, _ faults: inout [String]
  ) {
    let actor = event.actor
    switch (old, new) {
    case (nil, let new?):
      touches[new.id] = Touches(presence: actor, content: actor)
    case (let old?, nil):
      touches[old.id]?.presence = actor
    case (let old?, let new?):
      if old.content != new.content { touches[new.id]?.content = actor }
    case (nil, nil): break
    }
  }
}

extension ElementStore {
  /// What everybody sees at this place.
  func shown(at place: Int) -> Element? {
    guard places.indices.contains(place), let element = places[place], ordinal(of: element.id) == place
    else { return nil }
    return element
  }
}
