import BoardroomModel
import EventLogModel

/// Which members are live, and the committed runs on their way to them: one that is being handed out, and behind it what
/// has been gathered.
struct RunDeliveries {
  /// What is gathered goes out at the latest when it has so many bytes: a piece of a catch-up.
  private static let gatheredBytes = 256 << 10

  /// What is to be done with a run that the log holds now.
  enum RunAdmission {
    case deliver
    /// It waits with others; all of them may go out now, if none is being handed out.
    case deliverGathered
    /// It waits for others, or for the one that is being handed out.
    case gathered
    /// So long it may wait for others.
    case wait(Duration)
  }

  private(set) var live: [MemberSession] = []
  private var gathered: Run?
  /// When what is gathered goes out.
  private var gatheredUntil = Timestamp.zero
  private var last = Timestamp.zero
  private var underWay: RunDelivery?

  /// Whether a run is being handed out, in several turns of the loop.
  var isUnderWay: Bool { underWay != nil }
  var isGathering: Bool { gathered != nil }

  /// In a large room a run may wait for others for a moment, and longer if it tells only who is there.
  mutating func admit(_ run: Run, at now: Timestamp, _ policy: ServerPolicy) -> RunAdmission {
    // One goes to all members before the next begins.
    guard underWay == nil else {
      let all = gathered?.joined(with: run) ?? run
      gathered = all
      return all.records.count > Self.gatheredBytes ? .deliverGathered : .gathered
    }
    let span = Duration.milliseconds(live.count / policy.membersPerMillisecond)
    let isPatient = span > .zero && run.holdsOnlyPresence
    let due = last + (isPatient ? max(span, policy.presenceWait) : span)
    guard let before = gathered else {
      guard due > now else { return .deliver }
      gathered = run
      gatheredUntil = due
      return .wait(due - now)
    }
    gathered = before.joined(with: run)
    guard before.records.count <= Self.gatheredBytes else { return .deliverGathered }
    // What is there already may be more patient.
    guard due < gatheredUntil else { return .gathered }
    gatheredUntil = due
    return due > now ? .wait(due - now) : .deliverGathered
  }

  /// What was gathered; nil if there is nothing, or another run is being handed out.
  mutating func takeGathered() -> Run? {
    guard underWay == nil else { return nil }
    defer { gathered = nil }
    return gathered
  }

  mutating func begin(_ run: Run, _ wire: WireMessages, at now: Timestamp) {
    last = now
    underWay = RunDelivery(run, to: live, wire)
  }

  /// The run that is being handed out, to go on with it; `pause` gives it back.
  mutating func takeUnderWay() -> RunDelivery? {
    defer { underWay = nil }
    return underWay
  }

  mutating func pause(_ delivery: RunDelivery) { underWay = delivery }

  mutating func goLive(_ session: MemberSession, from durable: Revision) {
    session.handed = durable
    session.stage = .live(place: live.count)
    live.append(session)
  }

  /// Does nothing if the member is not live. What its stage is from here on, the caller says.
  mutating func removeLive(_ session: MemberSession) {
    guard case .live(let place) = session.stage else { return }
    live.swapAt(place, live.count - 1)
    live.removeLast()
    if place < live.count { live[place].stage = .live(place: place) }
  }

  mutating func end() { (live, underWay) = ([], nil) }
}

extension Run {
  /// Whether it tells only that members come, go, or are silent for a while.
  fileprivate var holdsOnlyPresence: Bool {
    var isSo = true
    forEach { view, _ in
      switch EventKind(rawValue: view.kind) {
      case .memberJoined, .memberLeft, .memberPhase: break
      default: isSo = false
      }
    }
    return isSo
  }
}
