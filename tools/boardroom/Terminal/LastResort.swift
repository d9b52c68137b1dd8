import Foundation
import Synchronization

/// Ends the program when its time to drain is over, whatever it is doing (BOUND-9): a loop may be busy with a
/// large room, and freeing a large state takes time, too. The journal is then as after a kill.
///
/// The thread is started at the program's start, so that it needs nothing at the end.
final class LastResort: Sendable {
  /// Seconds after the time to drain, for the last steps of an orderly end.
  static let margin = 2.0

  private let begun = DispatchSemaphore(value: 0)
  private let isBegun = Atomic<Bool>(false)

  init(after seconds: Double) {
    let begun = begun
    let thread = Thread {
      begun.wait()
      Thread.sleep(forTimeInterval: seconds + Self.margin)
      Terminal.noteIfTaken(
        "The time to stop is over: the program ends as after a kill. What was acknowledged is in the journal."
      )
      _exit(ExitStatus.io.rawValue)
    }
    thread.name = "last resort"
    thread.stackSize = 256 << 10
    thread.start()
  }

  /// Starts the time. Further calls change nothing.
  func begin() {
    if !isBegun.exchange(true, ordering: .relaxed) { begun.signal() }
  }
}
