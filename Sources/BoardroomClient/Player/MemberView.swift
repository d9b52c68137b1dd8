import BoardroomCore
import BoardroomModel
import EventLogModel

/// A log as one member's callbacks object saw it: what reached the client when, through the same mirror as live.
/// Takes every event of the log in order; what is to be told is gathered and taken out with `drain`.
struct MemberView {
  struct Settings: Sendable {
    var echoesOwn = false
    var showsPresence = false
    /// After so long in an outage the client gave up by itself; nil: it never does.
    var timeout: Duration? = .seconds(45)
    /// So long after `reconnecting` the app is told that the connection counts as lost; nil: it is not.
    var lostNotice: Duration?
    /// Whether all events are told one by one, as a link to an account or a channel does.
    var tellsEvents = false
    /// Where a socket that closes is silence like any other.
    var silence: MemberTrack.SilenceClocks?
  }

  enum Stage: Sendable, Hashable { case outside, inside, away }

  struct Missed: Sendable {
    var event: RoomEvent
    var misfit: String?
  }

  let track: MemberTrack
  let settings: Settings
  let room: RoomID
  var batches = MagixBatches()
  private(set) var stage = Stage.outside
  private var mirror: Mirror
  /// The stay that is looked at, the one to come, and the next outage of it.
  private var current: Int?
  private var next = 0
  private var outage = 0
  private var phase: RoomPhase?
  private var committable = Committable()
  private var missed: [Missed] = []
  private var updates: [LinkUpdate] = []
  /// When the present outage was told, until its loss is.
  private var toldAway: Timestamp?

  init(_ track: MemberTrack, _ settings: Settings, in room: RoomID) {
    var track = track
    if let silence = settings.silence { track.settle(silence) }
    (self.track, self.settings, self.room) = (track, settings, room)
    mirror = Self.mirror(settings)
  }

  private static func mirror(_ settings: Settings) -> Mirror {
    Mirror(echoesOwn: settings.echoesOwn, showsPresence: settings.showsPresence, isOptimistic: false)
  }

  /// What is to be told since the last time.
  mutating func drain() -> [LinkUpdate] {
    defer { updates = [] }
    return updates
  }

  /// The room as the client has it.
  var state: RoomState { mirror.state }

  private var stay: MemberStay? { current.map { track.stays[$0] } }
  private var nextOutage: MemberStay.Outage? {
    stay.flatMap { $0.outages.indices.contains(outage) ? $0.outages[outage] : nil }
  }

  // MARK: Events

  /// `state` is the room's after the event.
  mutating func apply(_ event: RoomEvent, misfit: String?, leadingTo state: RoomState) {
    if next < track.stays.count, track.stays[next].joined == event.revision { return begin(state, event) }
    guard let stay else { return }
    if event.revision == stay.last { prepareEnd(of: stay) }
    if isCut(event.revision, event.time) {
      missed.append(Missed(event: event, misfit: misfit))
    } else {
      var late: [WhiteEvent] = []
      deliver(event, misfit, isLive: true, &late)
    }
    if event.revision == stay.last { finish(stay) }
  }

  /// Tells what the events of one instant have changed (CB-5).
  mutating func showInstant() { if stage == .inside { showState() } }

  private func isCut(_ revision: Revision, _ time: Timestamp) -> Bool {
    switch stage {
    case .away: return true
    case .outside: return false
    case .inside:
      guard let outage = nextOutage else { return false }
      return outage.after.map { revision > $0 } ?? (time > outage.unheard ?? outage.lost)
    }
  }

  private mutating func begin(_ state: RoomState, _ event: RoomEvent) {
    let goesOn = stage == .away && track.stays[next].continues != nil
    current = next
    outage = 0
    next += 1
    if goesOn {
      missed.append(Missed(event: event, misfit: nil))
    } else {
      enter(state)
      addUpdate(.joined)
    }
  }

  /// A room object of its own, from its first phase on.
  private mutating func enter(_ state: RoomState) {
    guard let stay else { return }
    mirror = Self.mirror(settings)
    mirror.replace(with: state, isFirst: true)
    missed = []
    stage = .inside
    announce(.connecting)
    mirror.become(stay.member)
    addUpdate(.admitted(stay.member, stay.session))
    tellBack(as: .connected)
  }

  // MARK: What reaches the app, as RoomLink has it live

  private mutating func deliver(
    _ event: RoomEvent, _ misfit: String?, isLive: Bool, _ late: inout [WhiteEvent]
  ) {
    let isOwn = event.actor.member == mirror.me
    let what = mirror.apply(event)?.what ?? misfit
    if settings.tellsEvents { addUpdate(.event(event)) }
    if let what {
      showState()
      addUpdate(.misfit(author: event.actor.member?.rawValue ?? .max, what: what))
    }
    if isOwn, !settings.tellsEvents, event.event.isRefusal { addUpdate(.event(event)) }
    if isLive, let callback = event.callback(isOwn: isOwn, in: mirror.state) {
      addUpdate(.callback(callback))
    }
    guard case .custom(.magix(let magix)) = event.event else { return }
    let heard = WhiteEvent(magix, in: room, by: event.actor, isLate: !isLive)
    guard isLive else { return late.append(heard) }
    showState()
    tellMagix(heard, isOwn: isOwn, at: event.time)
  }

  private mutating func tellMagix(_ event: WhiteEvent, isOwn: Bool, at time: Timestamp) {
    addUpdate(.magix(event, isOwn ? .ownAccepted : .others))
    if let full = batches.add(event, at: time) { addUpdate(.magixBatch(full)) }
  }

  private mutating func addUpdate(_ update: LinkUpdate) { updates.append(update) }

  private mutating func showState() {
    let news = mirror.flush()
    show(news)
    guard let told = news.state else { return }
    addUpdate(.state(mirror.shown, told: told))
    announceCommittable()
  }

  private mutating func show(_ news: Mirror.MirrorUpdate) {
    if let scenes = news.scenes { addUpdate(.scenes(scenes)) }
    if let steps = news.steps { addUpdate(.steps(steps)) }
    if news.elements { addUpdate(.elements) }
  }

  private mutating func announce(_ phase: RoomPhase) {
    guard self.phase != phase else { return }
    self.phase = phase
    addUpdate(.phase(phase))
    announceCommittable()
  }

  private mutating func announceCommittable() {
    let able = phase == .connected ? mirror.isWritable() : false
    if let news = committable.update(able) { addUpdate(.committable(news)) }
  }

  /// The phase, then one state delta for all that changed.
  private mutating func tellBack(as phase: RoomPhase) {
    let news = mirror.flush()
    if news.state != nil { addUpdate(.state(mirror.shown, told: WhiteRoomState())) }
    announce(phase)
    show(news)
    if let told = news.state, !told.isEmpty { addUpdate(.state(mirror.shown, told: told)) }
  }

  // MARK: Ends

  /// Who leaves says so before the log does.
  private mutating func prepareEnd(of stay: MemberStay) {
    switch stay.end {
    case .left:
      showInstant()
      announce(.disconnecting)
    case .kicked, .gaveUp, .goesOn, nil: break
    }
  }

  private mutating func finish(_ stay: MemberStay) {
    switch stay.end {
    case .left:
      showInstant()
      over(.left)
    case .kicked(let reason):
      showInstant()
      over(.refused(Farewell(Refusal(.kicked), kick: reason, comeBack: false)))
    case .gaveUp, .goesOn, nil: break
    }
  }

  private mutating func over(_ end: ConnectionEnd) {
    addUpdate(.ended(end, wasJoining: false, because: nil))
    leaveView()
  }

  private mutating func leaveView() {
    (stage, phase, toldAway) = (.outside, .disconnected, nil)
    committable.end()
    current = nil
    missed = []
  }

  // MARK: What only the client saw

  /// When `pass` has something to do.
  var due: Timestamp? { [cue, batches.due].compactMap(\.self).min() }

  private var cue: Timestamp? {
    switch stage {
    case .outside: nil
    case .inside: nextOutage?.lost
    case .away: [lossTime, awayEnd].compactMap(\.self).min()
    }
  }

  private var lossTime: Timestamp? {
    guard let toldAway, let notice = settings.lostNotice else { return nil }
    return toldAway + notice
  }

  /// Whether the client was back before this event of the same instant, which it so got live. A room tells one change for all of an
  /// instant, so that it makes no difference there.
  func isBack(before event: RoomEvent) -> Bool {
    guard settings.tellsEvents, stage == .away, let awayEnd, awayEnd <= event.time else { return false }
    let isOther = stay.map { $0.continues != nil && mirror.me != $0.member } ?? false
    guard let having = isOther ? stay?.having : nextOutage?.having else { return false }
    return event.revision > having
  }

  private var awayEnd: Timestamp? {
    // In the stay that goes on with this room object: it is back when the client says.
    if let stay, let back = stay.continues, mirror.me != stay.member { return back }
    guard let outage = nextOutage else { return nil }
    if let back = outage.back { return back }
    switch stay?.end {
    case .gaveUp: return settings.timeout.map { outage.lost + $0 }
    case .left, .kicked, .goesOn, nil: return nil
    }
  }

  /// Does what the client did by itself at `time`, which must be `due`.
  mutating func pass(_ time: Timestamp) {
    for batch in batches.next(at: time) { addUpdate(.magixBatch(batch)) }
    guard let cue, cue <= time else { return }
    switch stage {
    case .outside: break
    case .inside:
      showState()
      stage = .away
      guard nextOutage?.manner == .told else { return }
      announce(.reconnecting)
      toldAway = time
    case .away:
      if let lossTime, lossTime <= time {
        toldAway = nil
        addUpdate(.lost)
      }
      if let awayEnd, awayEnd <= time { endAway(at: time) }
    }
  }

  private mutating func endAway(at time: Timestamp) {
    let isOther = stay.map { $0.continues != nil && mirror.me != $0.member } ?? false
    toldAway = nil
    guard isOther || nextOutage?.back != nil else {
      over(.gaveUp(after: settings.timeout ?? .zero, tries: 0))
      return
    }
    if !isOther, nextOutage?.manner == .restarted { return restart() }
    let wasTold = isOther || nextOutage?.manner == .told
    var late: [WhiteEvent] = []
    if isOther, settings.tellsEvents {
      // A new stay in an account or a channel begins with a snapshot (SPC-14).
      foldMissed()
    } else {
      for one in missed { deliver(one.event, one.misfit, isLive: false, &late) }
    }
    missed = []
    if isOther, let stay {
      mirror.become(stay.member)
      addUpdate(.admitted(stay.member, stay.session))
    } else {
      outage += 1
    }
    stage = .inside
    tellBack(as: .connected)
    if !wasTold { addUpdate(.mended) }
    for event in late { tellMagix(event, isOwn: event.authorId == mirror.me?.rawValue, at: time) }
  }

  /// Another program goes on with the stay, and knows nothing of what was before.
  private mutating func restart() {
    foldMissed()
    outage += 1
    enter(mirror.state)
    addUpdate(.joined)
  }

  private mutating func foldMissed() {
    for one in missed { _ = mirror.apply(one.event) }
  }

  // MARK: Seeking

  /// The last event that the client had at a moment, if it lacks some.
  func cut(at revision: Revision, _ time: Timestamp) -> Revision? {
    guard let place = standing(at: revision, time) else { return nil }
    guard let outage = place.outage, let after = outage.after else { return nil }
    return after < revision ? after : nil
  }

  /// Goes to another moment without what lies between (RP-61): phases are told where they differ, the state as
  /// one delta.
  ///
  /// - Parameters:
  ///   - seen: what the client had folded, `cut` regarded.
  ///   - lacking: the events since.
  mutating func jump(to revision: Revision, _ time: Timestamp, seen: RoomState, lacking: [Missed]) {
    batches.clear()
    next = track.stays.firstIndex { $0.joined > revision } ?? track.stays.count
    guard let place = standing(at: revision, time) else {
      if phase != nil { announce(.disconnected) }
      return leaveView()
    }
    let isSame = stage != .outside && mirror.me == track.stays[place.stay].member
    (current, outage) = (place.stay, place.index)
    if isSame { mirror.replace(with: seen, isFirst: false) } else { enter(seen) }
    missed = lacking
    stage = place.isAway ? .away : .inside
    tellBack(as: place.isAway ? .reconnecting : .connected)
    // What cannot be read leaves only a difference, as a snapshot does.
    if isSame, !place.isAway, settings.tellsEvents { addUpdate(.mended) }
  }

  private struct ViewPosition {
    var stay: Int
    var index: Int
    var outage: MemberStay.Outage?
    var isAway: Bool
  }

  private func standing(at revision: Revision, _ time: Timestamp) -> ViewPosition? {
    guard let place = track.stays.lastIndex(where: { $0.joined <= revision }) else { return nil }
    let stay = track.stays[place]
    let index = stay.outages.firstIndex { $0.back.map { time < $0 } ?? true } ?? stay.outages.count
    let outage = index < stay.outages.count ? stay.outages[index] : nil
    let isAway = outage.map { $0.lost <= time && $0.manner == .told } ?? false
    if let last = stay.last, last <= revision {
      switch stay.end {
      case .left, .kicked, nil: return nil
      case .gaveUp:
        guard let outage else { return nil }
        if let timeout = settings.timeout, time >= outage.lost + timeout { return nil }
      case .goesOn: break
      }
    }
    return ViewPosition(stay: place, index: index, outage: outage, isAway: isAway)
  }
}
