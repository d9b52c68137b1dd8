import Synchronization

/// A value behind a lock.
package final class Guarded<Value>: Sendable {
  private let mutex: Mutex<Value>

  package init(_ value: sending Value) { mutex = Mutex(value) }

  package func with<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
    mutex.withLock(body)
  }
}
