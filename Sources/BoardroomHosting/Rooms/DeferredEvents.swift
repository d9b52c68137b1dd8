import BoardroomModel

/// What a member's stay owes the log: it happened while the log took nothing.
enum DeferredEvent {
  /// The member fell silent, or was heard again.
  case phase
  case leave(LeaveCause)
}

/// What happened to members while the log was full and is not recorded yet, one event of each member: the last counts.
struct DeferredEvents {
  private var events: [MemberID: DeferredEvent] = [:]

  var isEmpty: Bool { events.isEmpty }

  /// In the order of the members' numbers.
  var inOrder: [(member: MemberID, event: DeferredEvent)] {
    events.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  mutating func owe(_ event: DeferredEvent, of member: MemberID) { events[member] = event }

  /// The log holds what there was to be recorded.
  mutating func remove(_ member: MemberID) { events[member] = nil }
}
