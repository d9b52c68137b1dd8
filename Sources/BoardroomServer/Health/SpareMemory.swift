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

/// Gives memory back to the system when many replays have ended (BOUND-5). The allocator of glibc keeps free
/// memory between pieces that are in use for ever, unless it is told to give it back.
final class SpareMemory: Sendable {
  /// 10 s: replays do not end all the time, and memory need not be given back sooner.
  static let every: Duration = .seconds(10)
  /// 16 replays, some 15 MiB. For fewer it is not worth going through all allocated memory.
  static let worthIt = 16

  /// How many replays have ended since the start.
  private let ended: @Sendable () -> Int
  private let giveBack: @Sendable () -> Void
  private let seen = Mutex(0)

  init(
    ended: @escaping @Sendable () -> Int, giveBack: @escaping @Sendable () -> Void = SpareMemory.trimLater
  ) {
    self.ended = ended
    self.giveBack = giveBack
  }

  /// Checks again and again while the loop runs.
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

  /// On another thread than the loops', because it takes some thousandths of a second.
  private static func trimLater() { NIOThreadPool.singleton.submit { _ in trim() } }

  /// The function is looked up by its name, since C libraries other than glibc do not have it and do not need
  /// it.
  private static func trim() {
    guard let place = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "malloc_trim") else { return }
    let trim = unsafeBitCast(place, to: (@convention(c) (Int) -> Int32).self)
    _ = trim(0)
  }
}
