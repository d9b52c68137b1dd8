import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A thread outside of Swift's pool. The commit and sealer threads block in system calls, which threads of
/// the pool must not do.
package final class WorkerThread: Sendable {
  private final class WorkItem: Sendable {
    let body: @Sendable () -> Void
    let finished = Signal()
    let isDone = Atomic(false)

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func run() {
      body()
      isDone.store(true, ordering: .releasing)
      finished.raise()
    }
  }

  private let work: WorkItem

  package convenience init(_ body: @escaping @Sendable () -> Void) {
    do { try self.init(running: WorkItem(body)) } catch { preconditionFailure("\(error)") }
  }

  /// Thrown when the system starts no more threads.
  private struct Refused: Error, CustomStringConvertible {
    let code: Int32
    var description: String { "the system refuses another thread (error \(code))" }
  }

  /// For callers that can also go on without a thread: nil if the system starts none.
  static func ifAllowed(_ body: @escaping @Sendable () -> Void) -> WorkerThread? {
    try? WorkerThread(running: WorkItem(body))
  }

  private init(running work: WorkItem) throws(Refused) {
    self.work = work
    if let schedule = Schedules.current {
      schedule.start { work.run() }
      return
    }
    let argument = Unmanaged.passRetained(work).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(&thread, nil, { WorkerThread.start($0) }, argument)
      if let thread { pthread_detach(thread) }
    #else
      var thread = pthread_t()
      let code = pthread_create(&thread, nil, { WorkerThread.start($0!) }, argument)
      if code == 0 { pthread_detach(thread) }
    #endif
    guard code == 0 else {
      Unmanaged<WorkItem>.fromOpaque(argument).release()
      throw Refused(code: code)
    }
  }

  private static func start(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<WorkItem>.fromOpaque(argument).takeRetainedValue().run()
    return nil
  }

  /// Waits until the body has returned.
  package func join() {
    while true {
      let ticket = work.finished.ticket
      if work.isDone.load(ordering: .acquiring) { return }
      work.finished.wait(after: ticket)
    }
  }
}

/// Wakes threads. Read `ticket` while holding the lock that guards the condition, then `wait(after:)` it
/// without the lock: a `raise` in between is not missed.
package final class Signal: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let count = Atomic<UInt64>(0)
  private let schedule = Schedules.current

  package init() {
    pthread_mutex_init(mutex, nil)
    #if canImport(Darwin)
      pthread_cond_init(condition, nil)
    #else
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #endif
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  package var ticket: UInt64 { count.load(ordering: .acquiring) }

  package func raise() {
    pthread_mutex_lock(mutex)
    count.add(1, ordering: .releasing)
    pthread_mutex_unlock(mutex)
    pthread_cond_broadcast(condition)
  }

  package func wait(after ticket: UInt64) {
    if let schedule { return schedule.wait(nanoseconds: nil) { self.ticket != ticket } }
    pthread_mutex_lock(mutex)
    while self.ticket == ticket { pthread_cond_wait(condition, mutex) }
    pthread_mutex_unlock(mutex)
  }

  /// As above, for at most `nanoseconds`.
  package func wait(after ticket: UInt64, nanoseconds: UInt64) {
    if let schedule { return schedule.wait(nanoseconds: nanoseconds) { self.ticket != ticket } }
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    #if canImport(Darwin)
      var span = timespec(
        tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
      if self.ticket == ticket { pthread_cond_timedwait_relative_np(condition, mutex, &span) }
    #else
      let end = MonotonicClock.now &+ nanoseconds
      var until = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
      while self.ticket == ticket {
        if pthread_cond_timedwait(condition, mutex, &until) != 0 { return }
      }
    #endif
  }
}

/// Nanoseconds since some fixed point, never falling.
enum MonotonicClock {
  static var now: UInt64 {
    if let schedule = Schedules.current { return schedule.now }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }
}

/// Milliseconds since 1970, for fields that people read.
package enum WallClock {
  package static var milliseconds: Int64 {
    if let schedule = Schedules.current { return schedule.wallMilliseconds }
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
  }
}
