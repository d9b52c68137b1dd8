import NIOCore

/// How long an HTTP request may take to arrive, and how fast an answer must be read.
public struct RequestTimes: Sendable, Hashable {
  /// From the first byte of a head to its last. 10 s: as for a slow mobile link twice over.
  public var head: Duration = .seconds(10)
  /// From a head to the last byte of its body. 2 min: the largest image over the slowest link that is served.
  public var body: Duration = .seconds(120)
  /// The least bytes a second, on average: of a body, counted after the time for a head, and of an answer
  /// while bytes of it wait. 4 KiB: a fifth of the slowest mobile link.
  public var rate = 4 << 10

  /// How long, and how many bytes, of a body are still read after it was answered: if the connection were
  /// closed at once, the answer could be lost. 2 s, as for the answer to a close frame, and 256 KiB, as much
  /// as is under way on a fast link.
  static let drainWithin = TimeAmount.seconds(2)
  static let drained = 256 << 10

  public init() {}

  /// How often the connection is checked.
  var step: TimeAmount { TimeAmount(min(.seconds(1), head, body)) }
}

/// Decides whether a connection of HTTP is too slow. Knows no socket and no clock.
struct RequestPace {
  enum Verdict: Equatable {
    /// Nothing is under way, so that no further check is needed.
    case rests
    case goesOn
    /// The request did not come in time; nothing of an answer has gone out.
    case tooSlow
    /// The connection is closed without an answer: there was one already, or the client does not read it.
    case over
  }

  private enum Progress: Equatable {
    case nothing
    case head(since: NIODeadline)
    case body(since: NIODeadline, bytes: Int)
  }

  private let times: RequestTimes
  private var reading = Progress.nothing
  /// Since when the server itself does not read; that time is not counted against the client.
  private var heldSince: NIODeadline?
  /// Heads that came, less answers that have ended.
  private var unanswered = 0
  private var hasBegunAnswer = false
  /// The answer ended before the body did: when, and how many bytes have come since.
  private var drain: (since: NIODeadline, bytes: Int)?
  /// When the outgoing bytes were last checked, and how many had gone out by then.
  private var outward: (at: NIODeadline, gone: Int)?

  init(_ times: RequestTimes) { self.times = times }

  // MARK: What comes

  mutating func cameBytes(at now: NIODeadline) {
    if reading == .nothing { reading = .head(since: now) }
  }

  mutating func cameHead(at now: NIODeadline) {
    reading = .body(since: now, bytes: 0)
    unanswered += 1
  }

  /// Whether the bytes are still needed.
  mutating func cameBody(_ count: Int) -> Bool {
    if case .body(let since, let bytes) = reading { reading = .body(since: since, bytes: bytes + count) }
    drain?.bytes += count
    return drain == nil
  }

  /// Whether the connection has nothing left to do.
  mutating func cameEnd() -> Bool {
    reading = .nothing
    return drain != nil
  }

  /// Whether too much was read after the answer, so that nothing more is read.
  var isSated: Bool { drain.map { $0.bytes > RequestTimes.drained } ?? false }

  mutating func held(at now: NIODeadline) { heldSince = heldSince ?? now }

  mutating func wanted(at now: NIODeadline) {
    guard let held = heldSince else { return }
    heldSince = nil
    let pause = now - held
    switch reading {
    case .nothing: break
    case .head(let since): reading = .head(since: since + pause)
    case .body(let since, let bytes): reading = .body(since: since + pause, bytes: bytes)
    }
  }

  // MARK: What goes

  /// Whether the answer comes before the request is whole: then it is the last on this connection.
  mutating func beganAnswer() -> Bool {
    hasBegunAnswer = true
    return isInBody && unanswered == 1
  }

  /// Whether the rest of the request is only waited for, for a moment.
  mutating func endedAnswer(at now: NIODeadline) -> Bool {
    hasBegunAnswer = false
    unanswered -= 1
    guard isInBody, unanswered == 0 else { return false }
    drain = (now, 0)
    return true
  }

  private var isInBody: Bool { if case .body = reading { true } else { false } }

  // MARK: The time

  /// - Parameters:
  ///   - waiting: bytes that were written and have not gone out.
  ///   - gone: bytes that have gone out in all.
  mutating func verdict(at now: NIODeadline, waiting: Int, gone: Int) -> Verdict {
    if let drain { return now - drain.since >= RequestTimes.drainWithin ? .over : .goesOn }
    guard isReadFast(at: now, waiting, gone) else { return .over }
    guard heldSince == nil else { return .goesOn }
    switch reading {
    case .nothing: return waiting > 0 ? .goesOn : .rests
    case .head(let since):
      guard now - since >= TimeAmount(times.head) else { return .goesOn }
      return unanswered > 0 ? .over : .tooSlow
    case .body(let since, let bytes):
      let (passed, patience) = (now - since, TimeAmount(times.head))
      let due = Double((passed - patience).nanoseconds) / 1e9 * Double(times.rate)
      guard passed >= TimeAmount(times.body) || passed >= patience && Double(bytes) < due else {
        return .goesOn
      }
      return hasBegunAnswer || unanswered > 1 ? .over : .tooSlow
    }
  }

  private mutating func isReadFast(at now: NIODeadline, _ waiting: Int, _ gone: Int) -> Bool {
    guard waiting > 0 else {
      outward = nil
      return true
    }
    guard let last = outward else {
      outward = (now, gone)
      return true
    }
    let (passed, window) = (now - last.at, TimeAmount(times.head))
    guard passed >= window else { return true }
    outward = (now, gone)
    return Double(gone - last.gone) >= Double(passed.nanoseconds) / 1e9 * Double(times.rate)
  }
}
