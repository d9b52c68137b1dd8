/// Gives a store its threads, waits and clocks in place of the system's. With it a test runs a whole store
/// from a seed: one thread at a time, on a clock that only the schedule moves.
///
/// What is made while `Schedules.current` is set uses that schedule; a thread that is started from there has
/// it set, too.
package protocol Schedule: AnyObject, Sendable {
  /// Nanoseconds since some fixed point, never falling.
  var now: UInt64 { get }
  /// Milliseconds since 1970.
  var wallMilliseconds: Int64 { get }
  /// Runs `body` on a thread of its own.
  func start(_ body: @escaping @Sendable () -> Void)
  /// Returns once `isOver` answers true, or after `nanoseconds`.
  func wait(nanoseconds: UInt64?, until isOver: @escaping () -> Bool)
}

package enum Schedules {
  /// Nil for the system's own threads and clocks.
  @TaskLocal package static var current: (any Schedule)?
}
