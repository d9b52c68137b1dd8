import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel

/// Rooms without limits of rate, for tests that say a lot at once.
package func unlimited(_ change: (inout ServerPolicy) -> Void = { _ in }) -> ServerPolicy {
  var policy = ServerPolicy(room: RoomPolicy(rate: nil, rates: [:]))
  change(&policy)
  return policy
}

extension Command {
  /// A custom event with about so many bytes.
  package static func note(_ number: Int, bytes: Int = 10) -> Command {
    let text = String(repeating: "x", count: bytes)
    let payload = "{\"n\":\(number),\"t\":\"\(text)\"}"
    return .magix(
      MagixEvent(
        name: "note", payload: JSONText(unchecked: payload),
        raw: JSONText(unchecked: "{\"event\":\"note\",\"payload\":\(payload)}")))
  }

  /// Sets one key of the globalState.
  package static func set(_ key: String, _ value: String) -> Command {
    .state(.global(JSONPatch(raw: JSONText(unchecked: "{\"\(key)\":\(value)}"), fields: [])))
  }
}

extension RoomEvent {
  /// Counts as one with another that tells the same, whichever client read it.
  package var kindName: String { EventKind(rawValue: event.kind)?.name ?? "unknown" }
}
