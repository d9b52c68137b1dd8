import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// A room's log in a store of this process: a folder that was copied from a server, or one in memory.
public struct LogReplaySource: ReplaySource {
  /// Events looked through at once where the end of the last sitting is searched for.
  private static let page = 4_096
  private static let pageBytes = 256 << 10

  /// The room whose log is read.
  public let room: RoomID
  private let store: any LogStore

  /// Reads the room's log in a store of this process.
  public init(_ room: RoomID, in store: any LogStore) {
    self.room = room
    self.store = store
  }

  /// The log's extent, as the store knows it.
  public func outline() async throws(ReplaySourceError) -> ReplayOutline {
    do throws(LogError) {
      let info = try await store.info(of: room)
      var outline = ReplayOutline(
        epoch: info.epoch, low: info.low, last: info.last, begin: info.created, end: info.lastTime,
        emptied: nil, isRecord: false)
      guard info.last > .zero else { return outline }
      if let begin = try await time(of: info.low) { outline.begin = begin }
      let state = try await finalState(info)
      outline.isRecord = state?.created?.isRecord ?? false
      if let state, state.members.isEmpty { outline.emptied = try await lastLeave(info) }
      return outline
    } catch { throw ReplaySourceError(error, after: .zero) }
  }

  private func time(of revision: Revision) async throws(LogError) -> Timestamp? {
    do throws(LogError) {
      return try await store.runs(of: room, after: revision.previous, limit: 1).first?.begin
    } catch .damaged { return nil }
  }

  /// The state at the end, as far as the log can be read.
  private func finalState(_ info: LogInfo) async throws(LogError) -> RoomState? {
    var state = try await stored(notAfter: info.last) ?? RoomState()
    guard state.revision > .zero || info.low <= 1 else { return nil }
    while state.revision < info.last {
      do throws(LogError) {
        let runs = try await store.runs(of: room, after: state.revision, limit: Self.pageBytes)
        if runs.isEmpty { return state }
        for run in runs {
          run.forEach { view, _ in state.apply(RoomEvent.reading(view, in: run.records).event) }
        }
      } catch .damaged { return state }
    }
    return state
  }

  /// Searched for from the end: whoever leaves an empty room behind did so in the last sitting.
  private func lastLeave(_ info: LogInfo) async throws(LogError) -> Timestamp? {
    var upper = info.last
    while upper >= info.low {
      let lower = Revision(max(info.low.rawValue, upper.rawValue - min(upper.rawValue, UInt64(Self.page))))
      if let found = try await lastLeave(from: lower, through: upper) { return found }
      guard lower > info.low else { return nil }
      upper = lower.previous
    }
    return nil
  }

  private func lastLeave(from lower: Revision, through upper: Revision) async throws(LogError) -> Timestamp? {
    var found: Timestamp?
    var at = lower.previous
    while at < upper {
      let runs: [Run]
      do throws(LogError) {
        runs = try await store.runs(of: room, after: at, limit: Self.pageBytes)
      } catch .damaged { return found }
      for run in runs {
        run.forEach { view, _ in
          if view.revision <= upper, view.kind == EventKind.memberLeft.rawValue { found = view.time }
        }
      }
      guard let last = runs.last?.lastRevision else { return found }
      at = last
    }
    return found
  }

  /// The records after a revision, in order, about `limit` bytes of them; none at the end.
  public func runs(after revision: Revision, limit: Int) async throws(ReplaySourceError) -> [Run] {
    do throws(LogError) { return try await store.runs(of: room, after: revision, limit: limit) } catch {
      throw ReplaySourceError(error, after: revision)
    }
  }

  /// The newest stored snapshot at or before a revision; nil if there is none.
  public func state(notAfter revision: Revision) async throws(ReplaySourceError) -> RoomState? {
    do throws(LogError) { return try await stored(notAfter: revision) } catch {
      throw ReplaySourceError(error, after: revision)
    }
  }

  /// The oldest stored snapshot at or after a revision; nil if there is none.
  public func state(notBefore revision: Revision) async throws(ReplaySourceError) -> RoomState? {
    do throws(LogError) {
      var found: RoomState?
      var bound = try await store.info(of: room).last
      while let state = try await stored(notAfter: bound), state.revision >= revision {
        found = state
        bound = state.revision.previous
      }
      return found
    } catch { throw ReplaySourceError(error, after: revision) }
  }

  /// A snapshot is disposable: one that cannot be read is passed over.
  private func stored(notAfter revision: Revision) async throws(LogError) -> RoomState? {
    var bound = revision
    while bound > .zero {
      let found: Snapshot?
      do throws(LogError) {
        found = try await store.latestSnapshot(of: room, notAfter: bound)
      } catch .missingPart {
        return nil
      } catch .damaged { return nil }
      guard let snapshot = found else { return nil }
      if let state = try? StateDecoder.state(
        root: snapshot.root, parts: snapshot.parts.map(\.bytes), keptByStore: true)
      {
        return state
      }
      bound = snapshot.revision.previous
    }
    return nil
  }

  /// The last revision at or before a time; zero if the log begins later.
  public func revision(at time: Timestamp) async throws(ReplaySourceError) -> Revision {
    do throws(LogError) { return try await store.revision(in: room, at: time) } catch {
      throw ReplaySourceError(error, after: .zero)
    }
  }
}

extension ReplaySourceError {
  init(_ error: LogError, after revision: Revision) {
    if let gap = Gap(error, after: revision) {
      self = .gap(gap)
      return
    }
    switch error {
    case .noSuchLog, .deleted, .trimmed:
      self = .failed(BoardroomError(.notFound, cause: error.description, cure: "Check the room's uuid."))
    case .logExists, .unfinished, .fenced, .conflict, .beyondEnd, .tooLarge, .full, .stopped, .io, .damaged,
      .locked,
      .incompatible, .missingPart, .readOnly, .unstarted, .elsewhere, .changingOwner, .nodeFenced:
      self = .failed(BoardroomError(.internalFailure, cause: error.description))
    }
  }
}
