import BoardroomModel
import EventLogModel

/// The family `drawing`: pointers and cameras come as often as hands move, and are held back until it is time for the next.
extension Room {
  /// The events of pointers and cameras that were held back and may go by now.
  public mutating func due(at now: Timestamp) -> [Proposed] {
    var proposed: [Proposed] = []
    for member in positions.keys.sorted() {
      for kind in [PositionKind.pointer, .camera] {
        guard let time = dueTime(kind, of: member), time <= now,
          let released = release(kind, of: member, at: now)
        else { continue }
        proposed.append(asDecided(now: released, by: member))
      }
    }
    return proposed
  }

  /// A position that was held back, decided anew: meanwhile its author's pen may have been taken, the board locked, the page
  /// removed (P-12). What would be refused now changes nothing; its counters are settled all the same.
  private mutating func asDecided(now position: Proposed, by member: MemberID) -> Proposed {
    guard case .drawing(let act) = position.event else {
      preconditionFailure("only pointers and cameras are held back")
    }
    let command = Command.drawing(act)
    do throws(Refusal) {
      guard let author = standing(of: member) else { throw Refusal(.notMember) }
      try check(author, member, for: command)
      _ = try outcome(of: command, by: member)
      return position
    } catch {
      return Proposed(
        actor: position.actor, counter: position.counter,
        event: .diagnostics(.nothingChanged(kind: command.kind.rawValue)),
        settles: position.settles)
    }
  }

  /// When `due` will have something; nil while nothing is held back.
  public var nextDue: Timestamp? {
    positions.keys.flatMap { member in
      [PositionKind.pointer, .camera].compactMap { dueTime($0, of: member) }
    }.min()
  }

  private enum PositionKind {
    case pointer, camera

    init?(_ act: DrawingAct) {
      switch act {
      case .pointer: self = .pointer
      case .camera: self = .camera
      case .stroke: return nil
      }
    }
  }

  private func pace(_ kind: PositionKind) -> RoomPolicy.Pace {
    switch kind {
    case .pointer: inForce.pointers
    case .camera: inForce.cameras
    }
  }

  private func dueTime(_ kind: PositionKind, of member: MemberID) -> Timestamp? {
    guard case .every(let pace) = pace(kind), let held = positions[member] else { return nil }
    switch kind {
    case .pointer: return held.pointer.due(pace)
    case .camera: return held.camera.due(pace)
    }
  }

  private mutating func release(
    _ kind: PositionKind, of member: MemberID, at now: Timestamp
  ) -> Proposed? {
    switch kind {
    case .pointer: positions[member]?.pointer.release(at: now)
    case .camera: positions[member]?.camera.release(at: now)
    }
  }

  /// What was decided, now or later; strokes never wait.
  mutating func paced(
    _ position: Proposed, _ act: DrawingAct, _ author: MemberID, at now: Timestamp
  ) -> Decision {
    guard let kind = PositionKind(act) else { return .events([position]) }
    switch pace(kind) {
    case .all: return .events([position])
    case .off: return .events([])
    case .every(let pace):
      if let released = offer(position, kind, author, pace, at: now) { return .events([released]) }
      return .later(dueTime(kind, of: author) ?? now)
    }
  }

  private mutating func offer(
    _ position: Proposed, _ kind: PositionKind, _ author: MemberID, _ pace: Duration, at now: Timestamp
  ) -> Proposed? {
    switch kind {
    case .pointer: positions[author, default: PositionPacers()].pointer.offer(position, pace: pace, at: now)
    case .camera: positions[author, default: PositionPacers()].camera.offer(position, pace: pace, at: now)
    }
  }
}
