import EventLogModel

/// What a room sends to the connections of one loop. Written at once where room and connections share the
/// loop; otherwise gathered, and carried over in one hop when the room has said all it has to say.
final class LoopOutbox {
  private enum Write: Sendable {
    case bytes(SharedBytes, any MemberLink)
    /// Called back on the room's loop once everything before it was written.
    case receipt(@Sendable () -> Void)
  }

  private let home: any RoomLoop
  let destination: any RoomLoop
  private let isLocal: Bool
  private var writes: [Write] = []
  private var touched: [any MemberLink] = []

  init(from home: any RoomLoop, to destination: any RoomLoop) {
    self.home = home
    self.destination = destination
    isLocal = home === destination
  }

  func send(_ bytes: SharedBytes, to link: any MemberLink) {
    guard isLocal else {
      writes.append(.bytes(bytes, link))
      return
    }
    link.write(bytes)
    if touched.last !== link { touched.append(link) }
  }

  /// Calls back on the room's loop, in a later turn, when what was sent so far has been written.
  func whenWritten(_ call: @escaping @Sendable () -> Void) {
    if isLocal { home.execute(call) } else { writes.append(.receipt(call)) }
  }

  /// Lets everything go out.
  func dispatch() {
    if isLocal {
      for link in touched { link.flush() }
      touched.removeAll(keepingCapacity: true)
      return
    }
    guard !writes.isEmpty else { return }
    let load = writes
    writes.removeAll(keepingCapacity: true)
    destination.execute { [home] in LoopOutbox.deliver(load, home: home) }
  }

  private static func deliver(_ writes: [Write], home: any RoomLoop) {
    var previous: (any MemberLink)?
    for write in writes {
      switch write {
      case .receipt(let call): home.execute(call)
      case .bytes(let bytes, let link):
        if let previous, previous !== link { previous.flush() }
        link.write(bytes)
        previous = link
      }
    }
    previous?.flush()
  }
}
