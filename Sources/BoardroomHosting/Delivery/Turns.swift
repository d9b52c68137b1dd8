import EventLogModel

/// What one loop sends before it looks after everything else that it has to do: an allowance of bytes, for all rooms
/// of the loop together. What does not fit goes on in a later turn, in the order in which it came; in between the
/// loop reads its sockets and serves other rooms.
///
/// Counted in bytes and not in time, so that a test sees what a server does. Sending a message costs a system call
/// besides, which counts as so many bytes.
final class Turns {
  /// 4 MiB: some 2 ms of copying, or as many system calls as a loop makes in 5 ms.
  static let usual = 4 << 20
  /// 8 KiB: what the system copies in the time of one small send.
  static let eachSend = 8 << 10

  private let loop: any RoomLoop
  private let allowance: Int
  private var left: Int
  private var waiting: [() -> Void] = []
  /// The first of `waiting` that has not run.
  private var next = 0
  private var isScheduled = false

  init(on loop: any RoomLoop, allowance: Int = Turns.usual) {
    self.loop = loop
    self.allowance = allowance
    left = allowance
  }

  /// Nothing more is to be sent in this turn: use `later`.
  var isSpent: Bool { left <= 0 }

  func spend(_ bytes: Int) {
    left -= bytes + Self.eachSend
    // Small sends of several turns are taken together: asking for another turn costs as much as one of them.
    if left < allowance / 2 { schedule() }
  }

  /// Runs `work` in a later turn, behind what waits already.
  func later(_ work: @escaping () -> Void) {
    waiting.append(work)
    schedule()
  }

  private func schedule() {
    guard !isScheduled else { return }
    isScheduled = true
    let me = Confined(self, to: loop)
    loop.yield { me.value.turn() }
  }

  private func turn() {
    isScheduled = false
    left = allowance
    while left > 0, next < waiting.count {
      let work = waiting[next]
      next += 1
      work()
    }
    if next == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      next = 0
    } else {
      schedule()
    }
  }
}
