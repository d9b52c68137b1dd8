import BoardroomCore
import BoardroomModel
import EventLogModel

/// A whole log as one member's client had it, without a player: read page by page, and gone through instant by instant.
package struct MemberReading: Sendable {
  /// How often the viewer has joined, as far as the log goes back.
  package let stays: Int
  /// Where the log is an account's: the channels that the viewer's logins have entered.
  package let channels: Set<String>
  /// Events that could not be read, so far.
  package private(set) var gaps: [Gap] = []

  private let loader: ReplayLoader
  private let outline: ReplayOutline
  private let end: Timestamp
  private var view: MemberView
  private var state: RoomState
  private var queue = ReplayQueue()

  /// Reads the log once, for what became of the member's connections.
  ///
  /// - Parameters:
  ///   - until: what the client did by itself after this moment, and after the log's last event, is left out.
  init(
    _ viewer: WhiteReplayViewer, _ settings: MemberView.Settings, in source: any ReplaySource,
    until: Timestamp? = nil
  ) async throws {
    loader = ReplayLoader(source: source)
    outline = try await source.outline()
    var track = MemberTrack(viewer)
    var channels: Set<String> = []
    var at = outline.low.previous
    while at < outline.last {
      try Task.checkCancellation()
      let page = try await loader.page(after: at, at: outline.begin, through: outline.last)
      for case .event(let event, _) in page.items {
        track.add(event)
        guard case .space(.channelEntered(let name)) = event.event else { continue }
        if track.stays.last?.member == event.actor.member { channels.insert(name) }
      }
      at = page.through
    }
    (stays, self.channels) = (track.stays.count, channels)
    state = RoomState()
    // The state with which a log begins that retention has shortened.
    if outline.low > 1 { state = try await source.state(notAfter: outline.low.previous) ?? RoomState() }
    view = MemberView(track, settings, in: source.room)
    queue.through = outline.low.previous
    // A client may have given up after the log's last event.
    let last = view.track.last(settings.timeout) ?? outline.end
    end = max(outline.end, min(last, until ?? last))
  }

  /// A member's client of a service without a board, whose connection has these numbers.
  ///
  /// - Parameters:
  ///   - until: what the client did by itself after this moment, and after the log's last event, is left out.
  /// - Throws: `ReplaySourceError` if the log cannot be read, `CancellationError`.
  package static func space(
    _ viewer: WhiteReplayViewer, _ policy: ConnectionPolicy, in source: any ReplaySource,
    until: Timestamp? = nil
  ) async throws -> MemberReading {
    var settings = MemberView.Settings(echoesOwn: true, tellsEvents: true)
    settings.timeout = policy.giveUpAfter.map { $0 - policy.suspectAfter }
    settings.lostNotice = policy.lostNotice.map { $0 - policy.suspectAfter }
    settings.silence = MemberTrack.SilenceClocks(
      suspectAfter: policy.suspectAfter, offlineAfter: policy.offlineAfter)
    return try await MemberReading(viewer, settings, in: source, until: until)
  }

  /// When the next thing happens, by the server's clock; nil at the end.
  ///
  /// - Throws: `ReplaySourceError` if the log cannot be read, `CancellationError`.
  package mutating func nextTime() async throws -> Timestamp? {
    try Task.checkCancellation()
    while queue.isLow, queue.through < outline.last {
      queue.add(
        try await loader.page(
          after: queue.through, at: queue.lastTime ?? state.time, through: outline.last))
    }
    guard let next = upcoming, next <= end else { return nil }
    return next
  }

  private var upcoming: Timestamp? { [queue.next?.time, view.due].compactMap(\.self).min() }

  /// Goes through the next instant, whose time `nextTime` gave: hands on what the client's link told, event by event, with the
  /// state that the client had then.
  package mutating func step(_ take: ([LinkUpdate], RoomState) -> Void) {
    guard let time = upcoming else { return }
    while let item = queue.next, item.time <= time {
      if case .event(let event, _) = item, view.isBack(before: event) {
        view.pass(time)
        hand(to: take)
      }
      apply(queue.takeFirst())
      hand(to: take)
    }
    view.showInstant()
    if let due = view.due, due <= time { view.pass(time) }
    hand(to: take)
  }

  private mutating func hand(to take: ([LinkUpdate], RoomState) -> Void) {
    let updates = view.drain()
    if !updates.isEmpty { take(updates, view.state) }
  }

  private mutating func apply(_ item: ReplayItem) {
    switch item {
    case .event(let event, let misfit):
      state.apply(event)
      view.apply(event, misfit: misfit, leadingTo: state)
    case .leap(let leapt, let gap):
      state = leapt
      view.jump(to: leapt.revision, leapt.time, seen: leapt, lacking: [])
      gaps.append(gap)
    case .lost(let gap, _): gaps.append(gap)
    }
  }
}
