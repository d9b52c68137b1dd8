import BoardroomCodec
import BoardroomModel
import EventLogModel

/// What came of a request.
public enum ReplayAnswer: Sendable, Hashable {
  case status(Int, body: [UInt8])
  /// No connection, or one that broke, and why.
  case failed(ConnectionFailure)
  /// No connection, or one that broke, in words for people that name no address.
  case unreachable(String)
}

/// The way to a server's HTTP interface: HTTP in an app, a simulated server in tests.
public protocol ReplayDoor: Sendable {
  /// Gets what is at a path that begins with `/`.
  func get(_ path: String, headers: [(name: String, value: String)]) async -> ReplayAnswer
}

/// A room's log on a server (docs/HTTP.md): its index, stored runs and snapshots.
public struct HTTPReplaySource: ReplaySource {
  /// The room whose log is read.
  public let room: RoomID
  private let token: String
  private let door: any ReplayDoor
  private let codec = WireCodec(.binary)

  /// - Parameters:
  ///   - room: whose log it is.
  ///   - token: a room token of any role (RP-1).
  ///   - door: asks the server.
  public init(_ room: RoomID, token: String, door: any ReplayDoor) {
    (self.room, self.token, self.door) = (room, token, door)
  }

  /// The log's extent, from the index of the server.
  public func outline() async throws(ReplaySourceError) -> ReplayOutline { try await index().outline }

  /// The records after a revision, in order, about `limit` bytes of them; none at the end.
  public func runs(after revision: Revision, limit: Int) async throws(ReplaySourceError) -> [Run] {
    var runs: [Run] = []
    var at = revision
    for notice in try await stored(after: revision, limit: limit) {
      guard let fresh = try run(notice, after: at)?.suffix(after: at) else { continue }
      guard fresh.first == at.next else {
        if !runs.isEmpty { break }
        let cause = damage("events are missing")
        throw .gap(Gap(first: at.next, last: fresh.first.previous, cause: cause))
      }
      runs.append(fresh)
      at = fresh.lastRevision
    }
    return runs
  }

  /// A server's fault may pass, so it is asked twice; then the stored block that was due counts as damaged.
  private func stored(after revision: Revision, limit: Int) async throws(ReplaySourceError) -> [Notice] {
    var last = ReplaySourceError.failed(BoardroomError(.internalFailure))
    for _ in 1...2 {
      do throws(ReplaySourceError) {
        return try await messages("/runs?after=\(revision)&limit=\(limit)")
      } catch {
        guard case .failed(let cause) = error,
          cause.code == .malformed || cause.code == .internalFailure
        else { throw error }
        last = error
      }
    }
    throw try await gap(after: revision, last)
  }

  private func run(_ notice: Notice, after revision: Revision) throws(ReplaySourceError) -> Run? {
    switch notice {
    case .run(let run): return run
    case .block(let stored):
      do throws(CodecError) { return try Run(unpacking: stored) } catch {
        let last = max(stored.lastRevision, revision.next)
        throw .gap(Gap(first: max(stored.first, revision.next), last: last, cause: damage("\(error)")))
      }
    case .welcome, .catchUp, .snapshotRoot, .snapshotPart, .live, .receipts, .refused, .heartbeat, .quiet,
      .farewell,
      .answer, .replayed:
      return nil
    }
  }

  /// What the server cannot read it cannot send: the stored block that was due is passed over.
  private func gap(
    after revision: Revision, _ error: ReplaySourceError
  ) async throws(ReplaySourceError) -> ReplaySourceError {
    let index = try await index()
    guard let block = index.blocks.first(where: { $0.last > revision }), block.first <= revision.next else {
      return error
    }
    let cause = damage("the server cannot send a stored block")
    return .gap(Gap(first: revision.next, last: block.last, cause: cause))
  }

  private func damage(_ what: String) -> LogError {
    .damaged(Damage(what: what, place: "the server's answer", log: room))
  }

  /// The newest stored snapshot at or before a revision; nil if there is none.
  public func state(notAfter revision: Revision) async throws(ReplaySourceError) -> RoomState? {
    guard revision > .zero else { return nil }
    do throws(ReplaySourceError) {
      let state = try state(of: try await messages("/snapshots/\(revision)"))
      return state.revision <= revision ? state : nil
    } catch {
      guard case .failed(let cause) = error, cause.code == .notFound || cause.code == .malformed else {
        throw error
      }
      return nil
    }
  }

  /// The oldest stored snapshot at or after a revision; nil if there is none.
  public func state(notBefore revision: Revision) async throws(ReplaySourceError) -> RoomState? {
    for snapshot in try await index().snapshots where snapshot >= revision {
      if let state = try await state(notAfter: snapshot), state.revision >= revision { return state }
    }
    return nil
  }

  private func state(of notices: [Notice]) throws(ReplaySourceError) -> RoomState {
    var root: [UInt8]?
    var parts: [[UInt8]] = []
    for notice in notices {
      switch notice {
      case .snapshotRoot(_, _, _, _, let bytes): root = bytes
      case .snapshotPart(let bytes): parts.append(bytes)
      case .welcome, .catchUp, .run, .block, .live, .receipts, .refused, .heartbeat, .quiet, .farewell,
        .answer,
        .replayed:
        break
      }
    }
    do throws(CodecError) {
      return try StateDecoder.state(root: root ?? [], parts: parts)
    } catch { throw .failed(BoardroomError(.malformed, cause: "A snapshot cannot be read: \(error).")) }
  }

  /// The last revision at or before a time; zero if the log begins later.
  public func revision(at time: Timestamp) async throws(ReplaySourceError) -> Revision {
    let answer = try ReplayIndex.object(try await get("/revision?at=\(time)"))
    guard let revision = answer["revision"]?.int else { throw ReplayIndex.unreadable("revision") }
    return Revision(UInt64(clamping: revision))
  }

  // MARK: Asking

  private func index() async throws(ReplaySourceError) -> ReplayIndex {
    try ReplayIndex(try ReplayIndex.object(try await get("")))
  }

  private func messages(_ rest: String) async throws(ReplaySourceError) -> [Notice] {
    let bytes = try await get(rest)
    do throws(CodecError) { return try codec.decodeFramed(bytes) } catch {
      throw .failed(BoardroomError(.malformed, cause: "The server's answer cannot be read: \(error)."))
    }
  }

  private func get(_ rest: String) async throws(ReplaySourceError) -> [UInt8] {
    let answer = await door.get("/v5/rooms/\(room)/replay" + rest, headers: [("token", token)])
    switch answer {
    case .status(200, let body): return body
    case .status(let status, let body): throw .failed(ReplayIndex.error(status, body))
    case .failed(let failure): throw .failed(BoardroomError(failure))
    case .unreachable(let why):
      if Task.isCancelled { throw .failed(.cancelled) }
      throw .failed(BoardroomError(.networkLost, cause: "The server cannot be reached: \(why)."))
    }
  }
}
