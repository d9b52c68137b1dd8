import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

// From a record that came to what the app hears of it.

extension RoomEvent {
  /// A record's event. One that cannot be read counts as of an unknown kind, with what was wrong.
  static func reading(_ view: RecordView, in records: [UInt8]) -> (event: RoomEvent, misfit: String?) {
    do throws(CodecError) { return (try EventCodec.decode(view, in: records), nil) } catch {
      let event = RoomEvent(
        revision: view.revision, time: view.time, actor: Actor(code: view.actor), counter: 0,
        event: .unknown(kind: view.kind, payload: []))
      return (event, error.refusal.cause)
    }
  }
}

extension RoomLink {
  func receiveRecord(_ view: RecordView, in records: [UInt8]) {
    let (event, misfit) = RoomEvent.reading(view, in: records)
    let isOwn = session.map { event.actor == .member($0.member) } ?? false
    showOrHold(
      Arrived(
        event: event, misfit: misfit, isLive: connection?.stage == .live, isOwn: isOwn, time: now))
  }

  private func showOrHold(_ arrived: Arrived) {
    // What takes the place of a lost log is shown at once: there is nothing to keep step with.
    guard delayed.holds, told.hasJoined, connection?.sawEvents == true else {
      let arrived = applied(arrived)
      settleCommand(of: arrived)
      return deliver(arrived, to: .all)
    }
    delayed.add(arrived)
    wake()
    guard arrived.isOwn else { return }
    if arrived.event.counter > 0 { mirror.hold(arrived.event) }
    settleCommand(of: arrived)
    deliver(arrived, to: .magix)
  }

  private func applied(_ arrived: Arrived) -> Arrived {
    guard let anomaly = mirror.apply(arrived.event) else { return arrived }
    var arrived = arrived
    arrived.misfit = anomaly.what
    return arrived
  }

  // MARK: Held back

  /// SY-1: from now on others' doings come this much later.
  func setDelay(_ delay: Duration) {
    delayed.delay = max(delay, .zero)
    releaseDelayed()
    wake()
  }

  /// What has waited long enough is shown.
  func releaseDelayed() {
    guard let due = delayed.due, due <= now else { return }
    while let arrived = delayed.next(at: now) { release(arrived) }
    if connection?.stage == .live { showState() }
  }

  /// Another session begins: what is held back is caught up with at once.
  func releaseAllDelayed() {
    while let arrived = delayed.takeFirst() { release(arrived) }
  }

  private func release(_ arrived: Arrived) { deliver(applied(arrived), to: arrived.isOwn ? .events : .all) }

  // MARK: Settling

  private func settleCommand(of arrived: Arrived) {
    let event = arrived.event
    guard event.counter > 0, arrived.isOwn else { return }
    if case .diagnostics(.refused(let refused)) = event.event {
      outbox.sawRefusal(event.counter, refused.code)
    } else {
      finishOnceShown(outbox.sawEvent(event.counter, at: event.revision))
    }
  }

  /// Commands that are done and left no event of their own: what was shown of them goes.
  func finishWithoutEvent(_ settled: [Outbox.Settled]) {
    guard !settled.isEmpty else { return }
    for (_, result) in settled {
      if case .success(let receipt) = result { mirror.takeBack(receipt.counter) }
    }
    if connection?.stage == .live { showState() }
    finish(settled)
  }

  /// Whoever waits for a receipt reads the new state: it is shown first.
  func finishOnceShown(_ settled: Outbox.Settled?) {
    guard let settled else { return }
    if connection?.stage == .live { showState() }
    finish(settled)
  }

  // MARK: What the app hears

  private struct Subscriptions: OptionSet {
    let rawValue: UInt8
    static let events = Subscriptions(rawValue: 1)
    static let magix = Subscriptions(rawValue: 2)
    static let all: Subscriptions = [.events, .magix]
  }

  private func deliver(_ arrived: Arrived, to subscriptions: Subscriptions) {
    // A late joiner is not told what was before (ME-4); who comes back is told what was missed.
    guard arrived.isLive || told.hasJoined else { return }
    if subscriptions.contains(.events) { tellEvent(arrived) }
    guard subscriptions.contains(.magix), case .custom(.magix(let sent)) = arrived.event.event else {
      return
    }
    let event = WhiteEvent(
      sent, in: settings.hello.room, by: arrived.event.actor, isLate: !arrived.isLive)
    let moment: MagixMoment = arrived.isOwn ? .ownAccepted : .others
    guard connection?.stage == .live else { return magix.addLate(event, moment) }
    showState()
    tellMagix(event, moment)
  }

  private func tellEvent(_ arrived: Arrived) {
    let event = arrived.event
    onUpdate(.event(event))
    if let misfit = arrived.misfit {
      showState()
      onUpdate(.misfit(author: event.actor.member?.rawValue ?? .max, what: misfit))
    }
    guard arrived.isLive else { return }
    event.callback(isOwn: arrived.isOwn, in: mirror.state).map { onUpdate(.callback($0)) }
  }

  func tellMagix(_ event: WhiteEvent, _ moment: MagixMoment) {
    onUpdate(.magix(event, moment))
    // ME-7.
    if let full = magix.batches.add(event, at: now) { onUpdate(.magixBatch(full)) }
    if magix.batches.due != nil { wake() }
  }

  /// CB-4 and CB-5: the cache first, then the callback, and that only if there is something in it.
  func showState() {
    let news = mirror.flush()
    show(news)
    guard let told = news.state else { return }
    onUpdate(.state(mirror.shown, told: told))
    announceCommittable()
  }

  /// What is not part of the room state.
  func show(_ news: Mirror.MirrorUpdate) {
    if let scenes = news.scenes { onUpdate(.scenes(scenes)) }
    if let steps = news.steps { onUpdate(.steps(steps)) }
    if !news.stores.isEmpty { onUpdate(.stores(news.stores)) }
    if news.elements { onUpdate(.elements) }
  }
}
