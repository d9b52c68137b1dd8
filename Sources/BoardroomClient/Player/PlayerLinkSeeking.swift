import BoardroomCore
import BoardroomModel
import EventLogModel

// Going to another moment: one snapshot and the events after it, told as one change (RP-61).

extension PlayerLink {
  func seek(to time: Duration, _ completion: @escaping (WhitePlayerSeekResult) -> Void) {
    guard range != nil || isOver else {
      // Before the log is open the newest wish waits for it.
      finishSeek(.overridden)
      seek = Seek(number: 0, target: max(time, .zero), completion: completion)
      return
    }
    advance()
    switch machine.seek(to: time, at: now) {
    case .unnecessary: completion(.successUnnecessary)
    case .stopped: completion(.stopped)
    case .go(let number, let target):
      finishSeek(.overridden)
      seek = Seek(number: number, target: target, completion: completion)
      start()
    }
    wake()
  }

  private func start() {
    guard let seek, let range else { return }
    reading += 1
    isReading = false
    if leapsWithin(ahead, to: range.map.utc(at: seek.target)) { return landHere(seek, range) }
    fetchSeek()
  }

  /// Whether all that lies between is here already.
  private func leapsWithin(_ queue: ReplayQueue, to utc: Timestamp) -> Bool {
    guard view == nil, machine.phase != .waitingFirstFrame, utc >= mirror.state.time else { return false }
    guard let range else { return false }
    return queue.through >= range.last || queue.lastTime.map { $0 > utc } == true
  }

  private func landHere(_ seek: Seek, _ range: ReplayRange) {
    let utc = range.map.utc(at: seek.target)
    while let item = ahead.next, item.time <= utc {
      switch ahead.takeFirst() {
      case .event(let event, _): _ = mirror.apply(event)
      case .leap(let state, let gap):
        mirror.replace(with: state)
        onUpdate(.gap(gap))
      case .lost(let gap, _): onUpdate(.gap(gap))
      }
    }
    landed(seek)
  }

  /// What a moment looks like, to the room and to the member that is looked through.
  struct FoundPosition: Sendable {
    var place: ReplayLoader.LoadedState
    var utc: Timestamp
    /// What the member had, if that was less.
    var seen: RoomState?
    var lacking: [MemberView.Missed] = []
    /// What comes next, so that playing can go on at once.
    var ahead: ReplayLoader.LoadedPage
  }

  func fetchSeek() {
    guard let seek, let range else { return }
    if machine.awaitSeek(seek.number, at: now) { announce() }
    let utc = range.map.utc(at: seek.target)
    let (near, view, low, number) = (mirror.state, view, range, reading)
    ask({ loader in
      await Self.answer { () async throws(ReplaySourceError) in
        try await loader.landing(at: utc, near: near, in: low, through: view)
      }
    }) { link, answer in
      guard link.reading == number, !link.isOver else { return }
      switch answer {
      case .success(let landing): link.land(landing)
      case .failure(let error): link.failed(error) { $0.fetchSeek() }
      }
    }
  }

  private func land(_ landing: FoundPosition) {
    guard let seek else { return }
    failures = 0
    for gap in landing.place.gaps { onUpdate(.gap(gap)) }
    mirror.replace(with: landing.place.state)
    ahead = ReplayQueue()
    ahead.add(landing.ahead)
    let seen = landing.seen ?? landing.place.state
    view?.jump(
      to: landing.place.state.revision, landing.utc, seen: seen, lacking: landing.lacking)
    landed(seek)
  }

  private func landed(_ seek: Seek) {
    batches.clear()
    let isFirst = mirror.shown == nil
    showState()
    if isFirst {
      onUpdate(.firstFrame)
      _ = machine.firstFrame(at: now)
    }
    for update in view?.drain() ?? [] { onUpdate(.room(update)) }
    switch machine.land(seek.number, on: seek.target, at: now) {
    case .tooLate: return
    case .landed: announce()
    }
    announceSlice()
    if !isFirst || seek.target > .zero { onUpdate(.time(seek.target)) }
    finishSeek(.success)
    turn()
  }
}

extension ReplayLoader {
  func landing(
    at utc: Timestamp, near: RoomState, in range: ReplayRange, through view: MemberView?
  ) async throws(ReplaySourceError) -> PlayerLink.FoundPosition {
    let target = min(try await source.revision(at: utc), range.last)
    let place = try await self.place(target, near: near)
    var landing = PlayerLink.FoundPosition(
      place: place, utc: utc, ahead: ReplayLoader.LoadedPage(items: [], through: place.through))
    if place.through < range.last {
      landing.ahead = try await page(after: place.through, at: place.state.time, through: range.last)
    }
    guard let cut = view?.cut(at: target, utc) else { return landing }
    let seen = try await self.place(cut, near: nil)
    landing.seen = seen.state
    var at = seen.through
    while at < target {
      let page = try await page(after: at, at: seen.state.time, through: target)
      for case .event(let event, let misfit) in page.items {
        landing.lacking.append(MemberView.Missed(event: event, misfit: misfit))
      }
      at = page.through
    }
    return landing
  }
}
