import BoardroomModel
import EventLogModel

extension RoomState {
  /// THE projection: server, mirror and replay all fold with it. Takes any event in any state without a
  /// trap; what does not fit is told as an anomaly and changes nothing but revision, time and counter.
  @discardableResult
  public mutating func apply(_ event: RoomEvent) -> Anomaly? {
    var touched: RoomParts = []
    return apply(event, touching: &touched)
  }

  /// The same, and adds the parts that changed to `touched`.
  @discardableResult
  public mutating func apply(_ event: RoomEvent, touching touched: inout RoomParts) -> Anomaly? {
    revision = event.revision
    time = event.time
    advance(event)
    guard let what = fold(event, &touched) else { return nil }
    return Anomaly(revision: event.revision, actor: event.actor, what: what)
  }

  /// The counter never falls: an event that was held back may come after one with a higher counter.
  private mutating func advance(_ event: RoomEvent) {
    guard event.counter > 0, let member = event.actor.member else { return }
    change(member) { $0.decided(event.counter, at: event.revision) }
  }

  /// Changes a member in its place; false if it is not here. `members[id]?.x = y` would copy the whole
  /// member with its dozen references first, on every event.
  @inline(__always)
  @discardableResult
  mutating func change(_ id: MemberID, _ body: (inout Member) -> Void) -> Bool {
    guard let place = members.index(forKey: id) else { return false }
    body(&members.values[place])
    return true
  }

  /// Applies the event; says what did not fit, if anything.
  private mutating func fold(_ event: RoomEvent, _ touched: inout RoomParts) -> String? {
    let actor = event.actor
    return switch event.event {
    case .drawing(let act): fold(act, by: actor, &touched)
    case .elements(let what): fold(what, by: actor, &touched)
    case .scenes(let what): fold(what, by: actor, &touched)
    case .state(let what): fold(what, by: actor, &touched)
    case .history(let what): fold(what, by: actor, &touched)
    case .members(let what): fold(what, by: actor, at: event.time, &touched)
    case .moderation(let what): fold(what, by: actor, at: event.time, &touched)
    case .room(let what): fold(what, at: event.time, &touched)
    case .space(let what): fold(what, by: actor, at: event.time, &touched)
    case .custom, .diagnostics, .unknown: nil
    }
  }
}

extension Member {
  fileprivate mutating func decided(_ counter: CommandCounter, at revision: Revision) {
    guard counter >= lastCounter else { return }
    lastCounter = counter
    lastRevision = revision
  }
}
