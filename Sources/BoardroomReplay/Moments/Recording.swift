import BoardroomCodec
import BoardroomModel
import EventLogModel

/// A room's log, opened for reading.
public struct Recording: Sendable {
  /// Bytes that are read at once: four of the store's largest blocks, so that a page needs few calls and
  /// little memory.
  static let pageBytes = 256 << 10

  public let room: RoomID
  public let store: any LogStore
  /// The log as it was when the recording was opened or refreshed; the room may go on.
  public private(set) var info: LogInfo

  /// Opens the log of a room for reading. Throws what the store throws, such as `noSuchLog`.
  public static func open(_ room: RoomID, in store: any LogStore) async throws(ReplayError) -> Recording {
    Recording(room: room, store: store, info: try await info(of: room, in: store))
  }

  /// Reads again how far the log has come.
  public mutating func refresh() async throws(ReplayError) {
    info = try await Self.info(of: room, in: store)
  }

  private static func info(of room: RoomID, in store: any LogStore) async throws(ReplayError) -> LogInfo {
    do { return try await store.info(of: room) } catch { throw .log(error) }
  }

  /// Some of the events after one revision, up to and with another; empty when there are none.
  public func page(after: Revision, through: Revision) async throws(ReplayError) -> [Run] {
    guard after < through else { return [] }
    do throws(LogError) {
      return try await store.runs(of: room, after: after, limit: Self.pageBytes)
        .compactMap { $0.prefix(through: through) }.filter { $0.first <= through }
    } catch { throw .log(error) }
  }

  /// The last revision whose time is not after `time` (RP-60, RP-62); zero before the first event.
  public func revision(at time: Timestamp) async throws(ReplayError) -> Revision {
    do { return try await store.revision(in: room, at: time) } catch { throw .log(error) }
  }

  /// The state of the newest readable snapshot not after `revision`. Snapshots that cannot be read are
  /// skipped.
  public func state(notAfter revision: Revision) async throws(ReplayError) -> RoomState? {
    var bound = revision
    while bound > .zero, let snapshot = try await snapshot(notAfter: bound) {
      if let state = Self.state(of: snapshot) { return state }
      bound = snapshot.revision.previous
    }
    return nil
  }

  private static func state(of snapshot: Snapshot) -> RoomState? {
    try? StateDecoder.state(
      root: snapshot.root, parts: snapshot.parts.map(\.bytes), keptByStore: true)
  }

  /// The newest snapshot not after `revision`; nil also if the store cannot read it.
  public func snapshot(notAfter revision: Revision) async throws(ReplayError) -> Snapshot? {
    do throws(LogError) {
      return try await store.latestSnapshot(of: room, notAfter: revision)
    } catch .missingPart, .damaged {
      return nil
    } catch { throw .log(error) }
  }

  /// The oldest snapshot's state that holds everything up to `revision` at least.
  func state(notBefore revision: Revision) async throws(ReplayError) -> RoomState? {
    var found: Snapshot?
    var bound = info.last
    while let snapshot = try await snapshot(notAfter: bound), snapshot.revision >= revision {
      found = snapshot
      bound = snapshot.revision.previous
    }
    return found.flatMap(Self.state)
  }
}
