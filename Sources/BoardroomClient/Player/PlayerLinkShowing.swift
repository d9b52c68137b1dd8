import BoardroomCore
import BoardroomModel
import EventLogModel

// From events that are due to what the app hears of them, and from the source to events that are not.

/// What has been read and not been shown.
struct ReplayQueue: Sendable {
  /// Fewer than so many, and more are read.
  static let low = 4_096

  private var items: [ReplayItem] = []
  private var first = 0
  /// Everything up to this revision was read.
  var through = Revision.zero

  var isEmpty: Bool { first == items.count }
  var isLow: Bool { items.count - first < Self.low }
  var next: ReplayItem? { isEmpty ? nil : items[first] }
  /// The time of the last one.
  var lastTime: Timestamp? { items.last?.time }

  mutating func add(_ page: ReplayLoader.LoadedPage) {
    items += page.items
    through = page.through
  }

  mutating func takeFirst() -> ReplayItem {
    defer {
      first += 1
      if first == items.count || first > Self.low {
        items.removeFirst(first)
        first = 0
      }
    }
    return items[first]
  }

  /// Whether everything up to `revision` is here.
  func holds(_ revision: Revision) -> Bool { through >= revision }
}

extension PlayerLink {
  // MARK: Showing

  /// Shows everything up to and with a moment of the log, instant by instant: what happened in one millisecond
  /// becomes one change.
  func show(upTo utc: Timestamp) {
    while let next = [ahead.next?.time, view?.due, batches.due].compactMap(\.self).min(), next <= utc {
      while let item = ahead.next, item.time <= next { show(ahead.takeFirst()) }
      showInstant()
      if view?.due.map({ $0 <= next }) == true { view?.pass(next) }
      for batch in batches.next(at: next) { onUpdate(.magixBatch(batch)) }
      drainView()
    }
    announceSlice()
  }

  private func show(_ item: ReplayItem) {
    switch item {
    case .event(let event, let misfit): show(event, misfit)
    case .leap(let state, let gap):
      mirror.replace(with: state)
      view?.jump(to: state.revision, state.time, seen: state, lacking: [])
      onUpdate(.gap(gap))
    case .lost(let gap, _): onUpdate(.gap(gap))
    }
  }

  private func show(_ event: RoomEvent, _ misfit: String?) {
    let what = mirror.apply(event) ?? misfit
    if let what {
      showState()
      onUpdate(.misfit(what))
    }
    if case .custom(.magix(let magix)) = event.event {
      showState()
      let heard = WhiteEvent(magix, in: loader.source.room, by: event.actor, isLate: false)
      onUpdate(.magix(heard))
      if let full = batches.add(heard, at: event.time) { onUpdate(.magixBatch(full)) }
    }
    guard view != nil else { return }
    view?.apply(event, misfit: misfit, leadingTo: mirror.state)
    drainView()
  }

  private func showInstant() {
    showState()
    view?.showInstant()
    drainView()
  }

  private func drainView() { for update in view?.drain() ?? [] { onUpdate(.room(update)) } }

  /// RP-42: the cache first, then the callback, and that only if there is something in it.
  func showState() {
    // With the first frame everything is new.
    let isDrawn = mirror.boardHasChanged && mirror.shown != nil
    let told = mirror.flush()
    if let told {
      if told.sceneState != nil { onUpdate(.scenes(mirror.state.scenes)) }
      onUpdate(.state(mirror.shown ?? WhitePlayerState(), told: told))
    }
    if isDrawn { onUpdate(.elements) }
  }

  // MARK: Reading ahead

  func refill() {
    guard let range, !isReading, !isOver, !machine.isSeeking, ahead.isLow, ahead.through < range.last else {
      return
    }
    isReading = true
    let (number, after, last) = (reading, ahead.through, range.last)
    let time = ahead.lastTime ?? mirror.state.time
    ask({ loader in
      await Self.answer { () async throws(ReplaySourceError) in
        try await loader.page(after: after, at: time, through: last)
      }
    }) { link, answer in
      guard link.reading == number, !link.isOver else { return }
      link.isReading = false
      switch answer {
      case .success(let page): link.filled(page)
      case .failure(let error): link.failed(error) { $0.refill() }
      }
    }
  }

  private func filled(_ page: ReplayLoader.LoadedPage) {
    failures = 0
    ahead.add(page)
    if machine.feed(at: now) { announce() }
    turn()
  }

  static func answer<Value: Sendable>(
    _ body: @Sendable () async throws(ReplaySourceError) -> Value
  ) async -> Result<Value, ReplaySourceError> {
    do throws(ReplaySourceError) { return .success(try await body()) } catch { return .failure(error) }
  }

  /// A network mends: tried again, at the pace of the connections. Nothing else does.
  func failed(
    _ error: ReplaySourceError, again: @escaping (PlayerLink) -> Void
  ) {
    let cause: BoardroomError
    switch error {
    case .failed(let failure): cause = failure
    case .gap(let gap): cause = BoardroomError(.internalFailure, cause: "The log cannot be read: \(gap).")
    }
    let policy = ConnectionPolicy.white()
    guard cause.code == .networkLost, failures < policy.retryPace.count else { return fail(cause) }
    let wait = policy.retryDelay(after: failures, chance: context.chance())
    failures += 1
    let number = reading
    context.scheduleConfined(at: now + wait) { [weak self] in
      if let self, reading == number, !isOver { again(self) }
    }
  }
}
