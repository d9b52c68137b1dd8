import BoardroomClient
import EventLogModel

/// The clock of what is recalled, and what is due by it: it stands where the reader is.
final class RecallContext: ClientContext {
  private struct Agenda {
    var now = Timestamp.zero
    var asked: [@Sendable () -> Void] = []
    var timers: [(time: Timestamp, work: @Sendable () -> Void)] = []

    /// The first of those that are due at `limit`; nil: of all.
    mutating func takeTimer(notAfter limit: Timestamp?) -> (@Sendable () -> Void)? {
      guard let place = timers.indices.min(by: { timers[$0].time < timers[$1].time }) else { return nil }
      if let limit, timers[place].time > limit { return nil }
      let timer = timers.remove(at: place)
      now = max(now, timer.time)
      return timer.work
    }
  }

  private let agenda = Guarded(Agenda())

  var now: Timestamp { agenda.with { $0.now } }

  /// Goes on to `time`, and does on the way what was due.
  func advance(to time: Timestamp) {
    runTimers(notAfter: time)
    agenda.with { $0.now = max($0.now, time) }
  }

  /// The log is at its end: does what is due after it.
  func finish() { runTimers(notAfter: nil) }

  private func runTimers(notAfter limit: Timestamp?) {
    while let work = agenda.with({ $0.takeTimer(notAfter: limit) }) {
      work()
      settle()
    }
  }

  /// Does what was to be done once this instant is over.
  func settle() {
    while let work = agenda.with({ $0.asked.isEmpty ? nil : $0.asked.removeFirst() }) { work() }
  }

  func execute(_ work: @escaping @Sendable () -> Void) { agenda.with { $0.asked.append(work) } }
  func schedule(at time: Timestamp, _ work: @escaping @Sendable () -> Void) {
    agenda.with { $0.timers.append((time, work)) }
  }
  func chance() -> Double { 0 }
  func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedSerialExecutor()) }
  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
  /// One reader, which calls nothing from elsewhere.
  func checkIsolated() {}
}

extension ServiceGround {
  /// For who reads of what happened, and reaches nobody.
  static func recalled(on context: RecallContext) -> ServiceGround {
    let configuration = ServiceConfiguration(appId: "recall", endpoint: Endpoint(host: "", port: 0))
    return ServiceGround(configuration, context: context, transport: NoTransport())
  }
}

/// Who reads reaches nobody.
private struct NoTransport: Transport {
  private struct Nowhere: TransportConnection {
    func send(_ message: [UInt8]) {}
    func close() {}
  }

  func open(
    _ endpoint: Endpoint, _ subprotocol: Subprotocol, events: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection { Nowhere() }
}
