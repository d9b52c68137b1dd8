import EventLogModel
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// Appending takes the lock and copies the body into the log's run of the present group.

extension EngineState {
  /// At most what a record takes beside its body, and a run beside its records (EventLogModel/Run.swift):
  /// uv length, kind, uv step, uv actor; tag, uv number, uv first, uv count, uv base, uv length.
  static let recordOverhead = 24
  static let runOverhead = 40

  /// Adds a record to the present group.
  mutating func put(
    _ log: LogState, kind: UInt8, actor: UInt64, time: Timestamp, body: UnsafeRawBufferPointer
  ) -> Revision {
    if !log.isDirty {
      log.isDirty = true
      dirty.append(log)
      pendingBytes += Self.runOverhead
    }
    let at = max(time, log.lastTime)
    log.lastTime = at
    let revision = log.pending.next
    log.pending.append(kind: kind, actor: actor, time: at, body: body)
    pendingBytes += body.count + Self.recordOverhead
    pendingEvents += 1
    return revision
  }

  func holds(_ thread: UInt) -> Bool { holders.contains { $0.thread == thread } }
}

extension Engine {
  private enum Verdict {
    case added(Revision, wake: Bool)
    case refused(LogError)
    case wait(ticket: UInt64)
  }

  /// The thread that calls, to tell its own `together` from another's.
  static var thisThread: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  func append(
    _ log: LogState, writer: UInt64, kind: UInt8, actor: UInt64, time: Timestamp,
    body: UnsafeRawBufferPointer
  ) throws(LogError) -> Revision {
    let need = body.count + EngineState.recordOverhead + EngineState.runOverhead
    let soft = softLimit
    // The revision and whether to wake the commit thread; 0 if the slower path has to be taken.
    let quick = state.withLock { state -> UInt64 in
      guard state.takesEvents, log.writer == writer, !log.isLeaving, body.count <= recordLimit,
        state.pendingBytes + need <= soft
      else { return 0 }
      let revision = state.put(log, kind: kind, actor: actor, time: time, body: body)
      return revision.rawValue << 1 | (state.wakeCommitterForAppend() ? 1 : 0)
    }
    guard quick != 0 else {
      return try appendSlowly(log, writer, kind: kind, actor: actor, time: time, body: body, need: need)
    }
    if quick & 1 == 1 { commitSignal.raise() }
    return Revision(quick >> 1)
  }

  private func appendSlowly(
    _ log: LogState, _ writer: UInt64, kind: UInt8, actor: UInt64, time: Timestamp,
    body: UnsafeRawBufferPointer, need: Int
  ) throws(LogError) -> Revision {
    while true {
      let verdict = state.withLock { state -> Verdict in
        if let obstacle = state.obstacle(log, writer: writer) { return .refused(obstacle) }
        guard body.count <= recordLimit else {
          return .refused(.tooLarge(bytes: body.count, limit: recordLimit))
        }
        let isHolder = state.holds(Self.thisThread)
        if state.pendingBytes + need > (isHolder ? hardLimit : softLimit) {
          // A group that is held together cannot be split, so this would wait for ever.
          if isHolder { return .refused(.tooLarge(bytes: state.pendingBytes + need, limit: hardLimit)) }
          state.blocked += 1
          return .wait(ticket: takenSignal.ticket)
        }
        let revision = state.put(log, kind: kind, actor: actor, time: time, body: body)
        return .added(revision, wake: state.wakeCommitterForAppend())
      }
      switch verdict {
      case .added(let revision, let wake):
        if wake { commitSignal.raise() }
        return revision
      case .refused(let error): throw error
      case .wait(let ticket): takenSignal.wait(after: ticket)
      }
    }
  }

  /// Keeps the group from being taken until `endHold`. Waits if the commit thread already wants the group;
  /// otherwise holders that follow one another could keep it from committing for ever.
  func beginHold() {
    let thread = Self.thisThread
    while true {
      let ticket = state.withLock { state -> UInt64? in
        if let index = state.holders.firstIndex(where: { $0.thread == thread }) {
          state.holders[index].depth += 1
          return nil
        }
        if state.stopped == nil, state.isSwapWanted || state.pendingBytes > softLimit {
          state.blocked += 1
          return takenSignal.ticket
        }
        state.holders.append((thread, 1))
        return nil
      }
      guard let ticket else { return }
      takenSignal.wait(after: ticket)
    }
  }

  func endHold() {
    let thread = Self.thisThread
    let wake = state.withLock { state -> Bool in
      guard let index = state.holders.firstIndex(where: { $0.thread == thread }) else { return false }
      state.holders[index].depth -= 1
      if state.holders[index].depth == 0 { state.holders.remove(at: index) }
      guard state.holders.isEmpty else { return false }
      return state.isSwapWanted || state.wakeCommitterForAppend()
    }
    if wake { commitSignal.raise() }
  }
}

/// The right to append to one log, until somebody else opens the log.
final class EngineAppender: LogAppender {
  private let engine: Engine
  private let state: LogState
  private let writer: UInt64

  var log: LogID { state.log }
  var epoch: Epoch { state.epoch }

  init(engine: Engine, state: LogState, writer: UInt64) {
    self.engine = engine
    self.state = state
    self.writer = writer
  }

  @discardableResult
  func append(
    kind: UInt8, actor: UInt64, time: Timestamp, body: UnsafeRawBufferPointer
  ) throws(LogError) -> Revision {
    try engine.append(state, writer: writer, kind: kind, actor: actor, time: time, body: body)
  }

  func together<Result>(_ body: () throws(LogError) -> Result) throws(LogError) -> Result {
    engine.beginHold()
    defer { engine.endHold() }
    return try body()
  }

  func close() { engine.close(state, writer: writer) }
}

extension Engine {
  func close(_ log: LogState, writer: UInt64) {
    let wake = state.withLock { state -> Bool in
      guard log.writer == writer, log.isOpen else { return false }
      // No appender has this number, so that the closed one is fenced off from here on.
      log.writer += 1
      log.isOpen = false
      log.wantsSealing = true
      log.tail.forgetRecent()
      if !log.tail.isSealed { state.queueForSealing(log) }
      return state.wakeSealer()
    }
    if wake { sealSignal.raise() }
  }
}
