import Dispatch
import NIOCore
import NIOPosix

/// The file descriptors of the process, and who may have how many of them.
///
/// The system gives one number for all. The journal, the database and everything else that the server cannot do
/// without come first; what is left is for sockets of the port, all of them: those of HTTP, those that have said
/// nothing yet, and those that are being told that they are too many.
enum Descriptors {
  /// For the journal and the database with its readers (12 to 15), the images, pages and pictures being read or
  /// written (one for each thread of NIO's pool, 64 at most), measurements, TLS files, cursors of webhooks, names
  /// being looked up, signals and timers of the system's libraries. 128: twice what was seen at work.
  static let base = 128
  /// Of one event loop: what it waits on, what wakes it, its timer; and one to spare.
  static let eachLoop = 4
  /// Requests under way to one endpoint of webhooks, with what the client's pool keeps (8), twice over.
  static let eachEndpoint = 16
  /// However low the system's limit: fewer sockets are no server.
  static let fewestSockets = 24

  /// What is kept from the sockets of the port.
  static func reserve(loops: Int, endpoints: Int) -> Int {
    base + eachLoop * loops + eachEndpoint * endpoints
  }

  /// Makes what the libraries beneath make at first use and cannot do without: timers of Dispatch, which end the
  /// program when they find no descriptor, and the threads for files.
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
