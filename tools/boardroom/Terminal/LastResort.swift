import Foundation
import Synchronization

/// Ends the program when its time to drain is over, whatever it is doing (BOUND-9): a loop may be busy with a heavy room,
/// and freeing a great state takes its time, too. The journal is then as after a kill.
///
/// The thread is there from the start, so that nothing is needed for it at the end.
final class LastResort: Sendable {
  /// Beyond the time to drain: for what takes its time in an orderly ending.
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

  /// From now on the time runs. Further calls change nothing.
  func begin() {
    if !isBegun.exchange(true, ordering: .relaxed) { begun.signal() }
  }
}
