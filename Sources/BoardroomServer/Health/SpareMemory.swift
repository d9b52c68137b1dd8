import BoardroomHosting
import NIOPosix
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Gives memory back to the system when many replays have ended (BOUND-5): the allocator of glibc keeps what lies between
/// pieces that are still in use, and without being told so it keeps it for ever.
final class SpareMemory: Sendable {
  /// 10 s: nobody ends replays all the time, and the next look comes soon enough.
  static let every: Duration = .seconds(10)
  /// 16: some 15 MiB. Fewer are not worth walking through all that is allocated.
  static let worthIt = 16

  /// How many have ended since the start.
  private let ended: @Sendable () -> Int
  private let giveBack: @Sendable () -> Void
  private let seen = Mutex(0)

  init(
    ended: @escaping @Sendable () -> Int, giveBack: @escaping @Sendable () -> Void = SpareMemory.trimLater
  ) {
    self.ended = ended
    self.giveBack = giveBack
  }

  /// Looks for as long as the loop runs.
  func watch(on loop: any RoomLoop) {
    loop.execute(after: Self.every) { [weak self] in
      guard let self else { return }
      look()
      watch(on: loop)
    }
  }

  func look() {
    let now = ended()
    let isDue = seen.withLock { seen in
      guard now - seen >= Self.worthIt else { return false }
      seen = now
      return true
    }
    if isDue { giveBack() }
  }

  /// Away from the loops: it takes some thousandths of a second.
  private static func trimLater() { NIOThreadPool.singleton.submit { _ in trim() } }

  /// Asked for by name, since other C libraries than glibc do not have it, and need no telling.
  private static func trim() {
    guard let place = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "malloc_trim") else { return }
    let trim = unsafeBitCast(place, to: (@convention(c) (Int) -> Int32).self)
    _ = trim(0)
  }
}
