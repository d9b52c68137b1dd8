import EventLog
import EventLogModel

/// Which call of a disk fails, counted over all calls of a life, and how. Belongs to whoever has the turn.
package final class DiskFaults: @unchecked Sendable {
  package enum Call: String, Sendable, CaseIterable {
    case makeFolder, list, open, create, read, write, flush, truncate, size, rename, unlink, flushFolder, lock
    /// Of SQLite's files only: the memory that its connections share, locks on it and on files.
    case share, databaseLock

    fileprivate var changes: Bool {
      switch self {
      case .makeFolder, .create, .write, .flush, .truncate, .rename, .unlink, .flushFolder, .share: true
      case .list, .open, .read, .size, .lock, .databaseLock: false
      }
    }
  }

  package enum Effect: Sendable, Hashable {
    /// The call fails, and the next one goes well.
    case error(Int32)
    /// From this call on all that change something fail; with `reads`, all others too. With `ErrorNumber.noSpace` only
    /// what needs space does.
    case lasting(Int32, reads: Bool)
    /// Half is written.
    case short
    /// Half is written, and the rest fails.
    case torn(Int32)
    /// The call takes this many nanoseconds.
    case hang(UInt64)
  }

  package struct Plan: Sendable {
    /// The first call is 1. Where the effect means nothing to it, the next one that it means something to.
    package var at: Int
    package var effect: Effect
    package init(at: Int, effect: Effect) { (self.at, self.effect) = (at, effect) }
  }

  /// What becomes of a call.
  package enum Verdict { case well, short, fails(Int32) }

  /// Calls so far, and a checksum over them: kind, name, place and length, but no content.
  package private(set) var count = 0
  package private(set) var trace: UInt64 = 0xcbf2_9ce4_8422_2325
  /// The call that failed first.
  package private(set) var fired: String?
  /// A call that reads has failed.
  package private(set) var hitReading = false
  private var plan: Plan?
  private var isTorn = false
  private let schedule: SeededSchedule

  package init(_ plan: Plan?, on schedule: SeededSchedule) {
    self.plan = plan
    self.schedule = schedule
  }

  /// Flushes of files whose paths hold this answer well and do nothing.
  package var lies: String?

  package func heal() { plan = nil }
  /// Whether a call may still fail.
  package var isActive: Bool { plan != nil }
  /// The call that failed last.
  package private(set) var lastFailed = 0
  /// How long calls go on failing.
  private static let lasting: UInt64 = 20_000_000_000
  private var since: UInt64 = 0

  func verdict(of call: Call, _ path: String, offset: Int, length: Int, grows: Bool) -> Verdict {
    count += 1
    note(call, path, offset, length)
    guard let plan, count >= plan.at else { return .well }
    if isTorn {
      guard call == .write, case .torn(let code) = plan.effect else { return .well }
      self.plan = nil
      return .fails(code)
    }
    guard Self.concerns(plan.effect, call, grows: grows) else { return .well }
    lastFailed = count
    if fired == nil { since = schedule.now }
    if fired == nil { fired = "call \(count), \(call) of \(path), \(plan.effect)" }
    if call == .read { hitReading = true }
    switch plan.effect {
    case .error(let code):
      self.plan = nil
      return .fails(code)
    case .lasting(let code, _):
      if schedule.now &- since > Self.lasting { self.plan = nil }
      return .fails(code)
    case .short:
      self.plan = nil
      return .short
    case .torn:
      isTorn = true
      return .short
    case .hang(let nanoseconds):
      self.plan = nil
      schedule.sleep(nanoseconds: nanoseconds)
      return .well
    }
  }

  private static func concerns(_ effect: Effect, _ call: Call, grows: Bool) -> Bool {
    switch effect {
    case .error(ErrorNumber.noSpace): grows
    case .error(ErrorNumber.filesOfProcess): call == .open || call == .create
    case .lasting(ErrorNumber.noSpace, _): grows
    case .lasting(_, let reads): reads || call.changes
    case .short, .torn: call == .write
    case .error, .hang: true
    }
  }

  private func note(_ call: Call, _ path: String, _ offset: Int, _ length: Int) {
    func mix(_ value: UInt64) { trace = (trace ^ value) &* 0x100_0000_01b3 }
    for byte in call.rawValue.utf8 { mix(UInt64(byte)) }
    for byte in path.utf8 { mix(UInt64(byte)) }
    mix(UInt64(offset))
    mix(UInt64(length))
  }
}
