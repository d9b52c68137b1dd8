import BoardroomCore
import BoardroomModel
import EventLogModel

/// One step of a log on its way into a player.
enum ReplayItem: Sendable {
  /// `misfit` says what is wrong with its record, if anything is.
  case event(RoomEvent, misfit: String?)
  /// Events that cannot be read; playing goes on at a snapshot's state (RP-65).
  case leap(to: RoomState, over: Gap)
  /// Events that cannot be read, and no snapshot after them.
  case lost(Gap, at: Timestamp)

  /// When it is due in the log's time.
  var time: Timestamp {
    switch self {
    case .event(let event, _): event.time
    case .leap(let state, _): state.time
    case .lost(_, let time): time
    }
  }

  /// The last revision that it holds.
  var revision: Revision {
    switch self {
    case .event(let event, _): event.revision
    case .leap(let state, _): state.revision
    case .lost(let gap, _): gap.last
    }
  }
}

/// Reads a source: pages of events, and states at a revision. Passes over what cannot be read (RP-65).
struct ReplayLoader: Sendable {
  /// Bytes asked for at once: four of the store's largest blocks.
  static let pageBytes = 256 << 10
  /// Reading a snapshot costs about what folding so many events does; nearer targets are folded.
  static let snapshotWorth = 4_096

  let source: any ReplaySource

  struct LoadedPage: Sendable {
    var items: [ReplayItem]
    /// Everything up to this revision is in it, or cannot be had.
    var through: Revision
  }

  /// Some of what comes after one revision, up to and with another, which must be the later one.
  func page(after: Revision, at time: Timestamp, through: Revision) async throws(ReplaySourceError)
    -> LoadedPage
  {
    do throws(ReplaySourceError) {
      let runs = try await source.runs(after: after, limit: Self.pageBytes)
      let items = Self.items(of: runs, through: through)
      guard let last = items.last else { throw .gap(Self.missing(after, through, source.room)) }
      return LoadedPage(items: items, through: last.revision)
    } catch {
      switch error {
      case .failed: throw error
      case .gap(let gap): return try await beyond(gap, at: time, through: through)
      }
    }
  }

  private static func items(of runs: [Run], through: Revision) -> [ReplayItem] {
    var items: [ReplayItem] = []
    for run in runs.compactMap({ $0.prefix(through: through) }) {
      run.forEach { view, _ in
        let (event, misfit) = RoomEvent.reading(view, in: run.records)
        items.append(.event(event, misfit: misfit))
      }
    }
    return items
  }

  private static func missing(_ after: Revision, _ through: Revision, _ room: RoomID) -> Gap {
    let damage = Damage(what: "events are missing", place: "the log", log: room)
    return Gap(first: after.next, last: through, cause: .damaged(damage))
  }

  /// Goes on at the next snapshot, if there is one not after `through`.
  private func beyond(
    _ gap: Gap, at time: Timestamp, through: Revision
  ) async throws(ReplaySourceError) -> LoadedPage {
    if let state = try await source.state(notBefore: gap.last), state.revision >= max(gap.first, gap.last),
      state.revision <= through
    {
      return LoadedPage(items: [.leap(to: state, over: gap)], through: state.revision)
    }
    return LoadedPage(items: [.lost(gap, at: time)], through: through)
  }

  /// What a place in the log looks like.
  struct LoadedState: Sendable {
    var state = RoomState()
    var gaps: [Gap] = []
    /// Everything up to this revision is in `state`, or cannot be had.
    var through = Revision.zero
  }

  /// The state right after `target`: from `near` or the nearest snapshot, and the events after it (RP-61). Where
  /// events cannot be read, that of the last moment before them that can be rebuilt.
  func place(_ target: Revision, near: RoomState?) async throws(ReplaySourceError) -> LoadedState {
    var place = LoadedState()
    place.state = try await start(near: target, near)
    place.through = place.state.revision
    while place.through < target {
      let page = try await page(after: place.through, at: place.state.time, through: target)
      place.through = page.through
      for item in page.items { place.apply(item) }
    }
    return place
  }

  private func start(near target: Revision, _ near: RoomState?) async throws(ReplaySourceError) -> RoomState {
    var best = RoomState()
    if let near, near.revision <= target { best = near }
    guard target - best.revision > Self.snapshotWorth,
      let stored = try await source.state(notAfter: target), stored.revision > best.revision,
      stored.revision <= target
    else { return best }
    return stored
  }
}

extension ReplayLoader.LoadedState {
  fileprivate mutating func apply(_ item: ReplayItem) {
    switch item {
    case .event(let event, _): state.apply(event)
    case .leap(let leapt, let gap):
      state = leapt
      gaps.append(gap)
    case .lost(let gap, _): gaps.append(gap)
    }
  }
}
