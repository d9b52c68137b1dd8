import Dispatch
import EventLog
import EventLogModel
import Foundation
import Synchronization

/// Runs all threads of a store one at a time, in an order that a seed chooses, on a clock that moves only by it: the same
/// seed gives the same run on every machine.
///
/// A thread has the turn until it waits, or comes to `pause`; whoever has it chooses the next. When all wait, the clock goes
/// on to the first moment that one of them waits for. Everything in here belongs to the thread that has the turn.
package final class SeededSchedule: Schedule, TaskExecutor, @unchecked Sendable {
  /// A thread, and what it waits for.
  private final class Runner: @unchecked Sendable {
    let turn = DispatchSemaphore(value: 0)
    var isOver: (() -> Bool)?
    var deadline: UInt64?

    func isReady(at time: UInt64) -> Bool {
      guard let isOver else { return true }
      return isOver() || deadline.map { $0 <= time } ?? false
    }
  }

  package private(set) var now: UInt64 = 1_000_000_000
  private var runners: [Runner] = []
  private var current: Runner?
  private var jobs: [UnownedJob] = []
  private var generator: SeededGenerator
  private let limit: UInt64
  /// Called once, with why nothing goes on.
  private var onStuck: (String) -> Void = { _ in }

  /// - Parameter limit: nanoseconds of the run's own time after which it counts as stuck.
  package init(seed: UInt64, limit: UInt64 = 100_000_000_000_000) {
    generator = SeededGenerator(seed: seed)
    self.limit = limit
  }

  package var wallMilliseconds: Int64 { 1_700_000_000_000 + Int64(now / 1_000_000) }

  /// Runs `body` and every thread that it starts. Throws `Stuck` when all of them wait for ever; they are left waiting.
  package func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { (outcome: CheckedContinuation<Value, any Error>) in
      onStuck = { outcome.resume(throwing: Stuck(why: $0)) }
      let first = Runner()
      runners = [first]
      current = first
      begin(first) { [self] in
        let result = Mutex<Value?>(nil)
        let box = Box(result)
        Task(executorPreference: self) {
          let value = await body()
          box.value.withLock { $0 = value }
        }
        while box.value.withLock({ $0 == nil }) { runJob() }
        onStuck = { _ in }
        outcome.resume(returning: box.value.withLock { $0! })
      }
      first.turn.signal()
    }
  }

  package struct Stuck: Error, CustomStringConvertible {
    let why: String
    package var description: String { why }
  }

  private final class Box<Value: Sendable>: Sendable {
    let value: Mutex<Value?>
    init(_ value: consuming Mutex<Value?>) { self.value = value }
  }

  private func runJob() {
    guard jobs.isEmpty else {
      return jobs.removeFirst().runSynchronously(on: asUnownedTaskExecutor())
    }
    wait(nanoseconds: nil) { !self.jobs.isEmpty }
  }

  package func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  // MARK: Turns

  package func start(_ body: @escaping @Sendable () -> Void) {
    let runner = Runner()
    runners.append(runner)
    begin(runner, body)
  }

  private func begin(_ runner: Runner, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread { [self] in
      runner.turn.wait()
      Schedules.$current.withValue(self) { body() }
      runners.removeAll { $0 === runner }
      if !runners.isEmpty { choose()?.turn.signal() }
    }
    thread.stackSize = 4 << 20
    thread.start()
  }

  package func wait(nanoseconds: UInt64?, until isOver: @escaping () -> Bool) {
    guard let me = current else { return }
    me.isOver = isOver
    me.deadline = nanoseconds.map { now &+ $0 }
    handOver(from: me)
  }

  package func sleep(nanoseconds: UInt64) { wait(nanoseconds: nanoseconds) { false } }

  /// A moment at which another thread may go on: a call of the disk, which takes some time.
  package func pause() {
    now &+= UInt64.random(in: 2_000...200_000, using: &generator)
    guard Int.random(in: 0..<4, using: &generator) == 0, let me = current else { return }
    handOver(from: me)
  }

  private func handOver(from me: Runner) {
    let next = choose()
    guard next !== me else { return }
    next?.turn.signal()
    me.turn.wait()
  }

  /// Who goes on; nil when nobody does, and then all wait for ever.
  private func choose() -> Runner? {
    while true {
      if let next = runners.filter({ $0.isReady(at: now) }).randomElement(using: &generator) {
        (next.isOver, next.deadline) = (nil, nil)
        current = next
        return next
      }
      guard let first = runners.compactMap(\.deadline).min(), first < limit else {
        onStuck(
          "after \(now / 1_000_000_000) s of its own time nothing goes on: \(runners.count) threads wait")
        onStuck = { _ in }
        return nil
      }
      now = max(now, first)
    }
  }
}
