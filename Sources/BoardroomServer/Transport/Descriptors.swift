import Dispatch
import NIOCore
import NIOPosix

/// The file descriptors of the process, and who may have how many of them.
///
/// The system has one limit for the process. The journal, the database and everything else that the server
/// needs come first. What is left is for all sockets of the port: those of HTTP and of rooms, those that have
/// sent nothing yet, and those that are told that there are too many.
enum Descriptors {
  /// For the journal and the database with its readers (12 to 15), the images, pages and pictures being read or
  /// written (one for each thread of NIO's pool, 64 at most), measurements, TLS files, cursors of webhooks, names
  /// being looked up, signals and timers of the system's libraries. 128: twice what was seen at work.
  static let base = 128
  /// Descriptors of one event loop: for waiting, for waking it, for its timer, and one to spare.
  static let eachLoop = 4
  /// Requests under way to one endpoint of webhooks, with what the client's pool keeps (8), twice over.
  static let eachEndpoint = 16
  /// The fewest sockets, however low the system's limit is: with fewer a server cannot work.
  static let fewestSockets = 24

  /// How many descriptors the sockets of the port may not use.
  static func reserve(loops: Int, endpoints: Int) -> Int {
    base + eachLoop * loops + eachEndpoint * endpoints
  }

  /// Creates what libraries create at their first use and need: timers of Dispatch, which end the program if
  /// they get no descriptor, and the threads for files.
  static func claim() async {
    try? await Task.sleep(for: .nanoseconds(1), clock: .continuous)
    try? await Task.sleep(for: .nanoseconds(1), clock: .suspending)
    for isByWall in [false, true] {
      await withCheckedContinuation { fired in
        let queue = DispatchQueue.global()
        let fire: @Sendable () -> Void = { fired.resume() }
        if isByWall {
          queue.asyncAfter(wallDeadline: .now() + .milliseconds(1), execute: fire)
        } else {
          queue.asyncAfter(deadline: .now() + .milliseconds(1), execute: fire)
        }
      }
    }
    try? await NIOThreadPool.singleton.runIfActive {}
  }
}
