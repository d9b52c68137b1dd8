import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization

/// One member that plays its part of a drawing into a live room. When the server is away, the SDK reconnects;
/// when the SDK has given up, the member joins again.
final class DrawingPerformer: Sendable {
  struct Settings: Sendable {
    var config: WhiteRoomConfig
    /// Drawing time over clock time; infinity draws as fast as receipts come.
    var rate: Double
    /// How long to go on trying while the server is away.
    var patience: Duration
  }

  /// How often a pen's points are sent, in milliseconds: three frames of a screen.
  private static let batch: Int64 = 50
  /// How often it is checked whether the room is back.
  private static let glance = Duration.milliseconds(50)
  /// Between two tries to join.
  private static let retryPause = Duration.milliseconds(500)

  private let sdk: WhiteSDK
  private let settings: Settings
  private let current: Mutex<WhiteRoom?> = Mutex(nil)
  private let counts = Mutex((acts: 0, rejoins: 0))

  init(_ sdk: WhiteSDK, _ settings: Settings) {
    self.sdk = sdk
    self.settings = settings
  }

  /// Steps that are in the room's log, and how often the member joined again.
  var done: (acts: Int, rejoins: Int) { counts.withLock { $0 } }
  var room: WhiteRoom? { current.withLock { $0 } }

  func join() async throws { try await join(tries: false) }

  func play(_ drawing: Drawing, from start: ContinuousClock.Instant) async throws {
    for act in drawing.acts {
      try await wait(until: act.at, from: start)
      try await perform(act, from: start)
      counts.withLock { $0.acts += 1 }
    }
  }

  /// The mirror of the room as it is now.
  func mirror() async -> RoomState? { await room?.getBoard() }

  func leave() async { await room?.disconnect() }

  // MARK: One act

  private func perform(_ act: Drawing.DrawingStep, from start: ContinuousClock.Instant) async throws {
    var isFirst = true
    while true {
      let room = try await connected()
      do throws(BoardroomError) {
        switch act.what {
        case .stroke(let stroke):
          if isFirst, settings.rate.isFinite {
            try await draw(stroke, at: act.at, in: room, from: start)
          } else {
            _ = try await room.drawStroke(stroke.pen, stroke.whitePoints)
          }
        case .shape(let type, let body): try await insert(type, body, in: room)
        case .magix(let event):
          try await room.dispatchMagixEvent(event.name, payload: (try? JSONValue(event.payload)) ?? .null)
        case .patch(let patch): try await room.setGlobalState(patch.values)
        }
        return
      } catch {
        guard error.passes else { throw error }
        isFirst = false
      }
    }
  }

  /// Draws with the pen's own times. If the connection breaks in the middle, the unfinished stroke is erased,
  /// so that it can be drawn again as a whole.
  private func draw(
    _ stroke: PenStroke, at begin: Int64, in room: WhiteRoom, from start: ContinuousClock.Instant
  ) async throws(BoardroomError) {
    let outcome = Outcome()
    var rest = stroke.whitePoints[...]
    let first = rest.prefix { $0.time == .zero }
    rest = rest.dropFirst(first.count)
    let drawn = room.beginStroke(stroke.pen, Array(first), completion: outcome.note)
    while !rest.isEmpty {
      let due = (rest.first?.time.wholeMilliseconds ?? 0) + Self.batch
      let piece = rest.prefix { $0.time.wholeMilliseconds < due }
      rest = rest.dropFirst(piece.count)
      try? await wait(until: begin + (piece.last?.time.wholeMilliseconds ?? 0), from: start)
      if !rest.isEmpty { drawn.extend(Array(piece), completion: outcome.note) } else { rest = piece; break }
    }
    do throws(BoardroomError) {
      try await drawn.end(Array(rest))
      if let failure = outcome.failure { throw failure }
    } catch {
      await takeAway(drawn)
      throw error
    }
  }

  private func takeAway(_ drawn: WhiteStroke) async {
    guard let id = drawn.id, let room = try? await connected() else { return }
    _ = try? await room.erase([id])
  }

  private func insert(
    _ type: ElementType, _ body: JSONText, in room: WhiteRoom
  ) async throws(BoardroomError) {
    guard let fields = try? JSONValue(body) else { return }
    try await room.insertElement(type, fields)
  }

  // MARK: Being there

  /// Waits until the room takes commands, and returns it. Joins again if the old stay is over.
  private func connected() async throws -> WhiteRoom {
    let limit = ContinuousClock.now.advanced(by: settings.patience)
    while ContinuousClock.now < limit {
      try Task.checkCancellation()
      guard let room else { throw CancellationError() }
      if room.isWritable { return room }
      if room.phase == .disconnected {
        if let error = room.error, !error.passes { throw error }
        try await join(tries: true)
        counts.withLock { $0.rejoins += 1 }
      } else {
        try await Task.sleep(for: Self.glance)
      }
    }
    throw Failure(
      .unavailable, "The server did not come back within \(settings.patience.components.seconds) s.")
  }

  private func join(tries: Bool) async throws {
    let limit = ContinuousClock.now.advanced(by: settings.patience)
    while true {
      do throws(BoardroomError) {
        let room = try await sdk.joinRoom(settings.config)
        current.withLock { $0 = room }
        return
      } catch {
        guard tries, error.passes, ContinuousClock.now < limit else { throw error }
        try await Task.sleep(for: Self.retryPause)
      }
    }
  }

  private func wait(until time: Int64, from start: ContinuousClock.Instant) async throws {
    guard settings.rate.isFinite else { return try Task.checkCancellation() }
    let due = start.advanced(by: .milliseconds(time) / settings.rate)
    try await ContinuousClock().sleep(until: due)
  }
}

/// Remembers the first failure of commands that nobody waits for.
private final class Outcome: Sendable {
  private let first = Mutex<BoardroomError?>(nil)
  var failure: BoardroomError? { first.withLock { $0 } }

  @Sendable func note(_ result: WhiteResult) {
    guard case .failure(let error) = result else { return }
    first.withLock { $0 = $0 ?? error }
  }
}

extension BoardroomError {
  /// Whether a later try can succeed: the connection or the session was lost, or a rate was exceeded.
  fileprivate var passes: Bool {
    switch code {
    case .notConnected, .networkLost, .goingAway, .timeout, .noSuchElement, .rateLimited, .pending, .logFull,
      .outOfOrder, .internalFailure, .tooSlowHello, .conflict, .roomsFull, .connectionLimit, .locked:
      true
    case .tokenInvalid, .tokenExpired, .forbidden, .banned, .writerLimit, .notFound, .unsupportedVersion,
      .badName, .badParameter, .malformed, .tooLarge, .unknownKind, .notWritable, .notMember, .noBroadcaster,
      .noSuchScene, .replaced, .kicked, .membersFull, .tooMany, .nothingToUndo, .peerOffline, .repeatedInvite,
      .noSuchInvite, .notRecorded:
      false
    }
  }
}

extension PenStroke {
  fileprivate var pen: WhitePen { WhitePen(tool: tool, colour: colour, width: width, unit: -3) }

  fileprivate var whitePoints: [WhitePoint] {
    points.map { WhitePoint(x: $0.x, y: $0.y, time: .milliseconds($0.time), pressure: $0.pressure) }
  }
}

extension JSONPatch {
  fileprivate var values: [String: JSONValue] {
    Dictionary(
      fields.map { ($0.key, $0.value.flatMap { try? JSONValue($0) } ?? .null) }, uniquingKeysWith: { $1 })
  }
}
