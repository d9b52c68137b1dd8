import BoardroomHosting
import Synchronization

/// One start of a world's server: the loop and the tasks of its engine, and the connections that it has. Once it was
/// killed nothing of it runs any more.
final class ServerProcess: RoomLoop, TaskExecutor {
  private let loop: VirtualLoop
  /// What is told when it is killed, as a system closes the sockets of a process; nil: it was.
  private let sockets = Mutex<[@Sendable () -> Void]?>([])

  init(_ loop: VirtualLoop) { self.loop = loop }

  var isAlive: Bool { sockets.withLock { $0 != nil } }

  func kill() {
    let open = sockets.withLock { sockets in
      defer { sockets = nil }
      return sockets ?? []
    }
    for close in open { close() }
  }

  func whenKilled(_ close: @escaping @Sendable () -> Void) { sockets.withLock { $0?.append(close) } }

  // MARK: RoomLoop

  var isCurrent: Bool { loop.isCurrent }

  func execute(_ work: @escaping @Sendable () -> Void) { loop.execute { if self.isAlive { work() } } }

  func execute(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    loop.execute(after: delay) { if self.isAlive { work() } }
  }

  // MARK: TaskExecutor

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
