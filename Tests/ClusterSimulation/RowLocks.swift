/// What transactions lock.
enum LockName: Hashable {
  /// The lock of starts.
  case start
  case fence(Int, purpose: Int)
  case incarnation(Int)
  case log(Int)
  /// A frame table: shared by who writes rows, alone for TRUNCATE.
  case table(Int)
  /// The key of a frame in its index.
  case frame(Int, Int)
}

struct LockWish {
  var name: LockName
  var isExclusive: Bool
  /// Goes on without the lock if another has it (`skip locked`).
  var skips = false

  static func share(_ name: LockName) -> LockWish { LockWish(name: name, isExclusive: false) }
  static func alone(_ name: LockName) -> LockWish { LockWish(name: name, isExclusive: true) }
}

/// The locks of one server. Who comes first is served first; circles are found, as after `deadlock_timeout`.
final class RowLocks {
  enum Got { case all, skipped, deadlock }

  private struct Holder {
    var session: Session
    var isExclusive: Bool
  }

  private struct Waiter {
    var session: Session
    var wish: LockWish
    var resume: () -> Void
  }

  private var holders: [LockName: [Holder]] = [:]
  private var waiters: [LockName: [Waiter]] = [:]

  func take(_ wishes: [LockWish], from place: Int = 0, for session: Session, then: @escaping (Got) -> Void) {
    guard place < wishes.count else { return then(.all) }
    let wish = wishes[place]
    if isFree(wish, session), waiters[wish.name]?.isEmpty ?? true {
      hold(wish, session)
      return take(wishes, from: place + 1, for: session, then: then)
    }
    if holders[wish.name]?.contains(where: { $0.session === session && $0.isExclusive }) == true {
      return take(wishes, from: place + 1, for: session, then: then)
    }
    guard !wish.skips else { return then(.skipped) }
    guard !waits(wish.name, on: session) else { return then(.deadlock) }
    let waiter = Waiter(session: session, wish: wish) { [self] in
      take(wishes, from: place + 1, for: session, then: then)
    }
    waiters[wish.name, default: []].append(waiter)
  }

  private func isFree(_ wish: LockWish, _ session: Session) -> Bool {
    (holders[wish.name] ?? []).allSatisfy { $0.session === session || !($0.isExclusive || wish.isExclusive) }
  }

  private func hold(_ wish: LockWish, _ session: Session) {
    holders[wish.name, default: []].append(Holder(session: session, isExclusive: wish.isExclusive))
    session.locked.append(wish.name)
  }

  /// Whether those who have a lock wait, over whatever others, for a session.
  private func waits(_ name: LockName, on session: Session, _ depth: Int = 0) -> Bool {
    guard depth < 12 else { return true }
    let before = (holders[name] ?? []).map(\.session) + (waiters[name] ?? []).map(\.session)
    return before.contains { other in
      other === session && depth > 0
        || other !== session
          && waiters.contains {
            $0.value.contains { $0.session === other } && waits($0.key, on: session, depth + 1)
          }
    }
  }

  /// A session gives up all it has, and what it waits for.
  func release(_ session: Session) {
    for (name, list) in waiters where list.contains(where: { $0.session === session }) {
      waiters[name] = list.filter { $0.session !== session }
    }
    let freed = session.locked
    session.locked = []
    for name in freed { holders[name] = (holders[name] ?? []).filter { $0.session !== session } }
    for name in freed { serve(name) }
  }

  private func serve(_ name: LockName) {
    while let first = waiters[name]?.first, isFree(first.wish, first.session) {
      waiters[name]?.removeFirst()
      hold(first.wish, first.session)
      first.resume()
    }
  }
}
