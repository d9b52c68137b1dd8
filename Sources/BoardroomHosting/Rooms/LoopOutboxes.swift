import BoardroomModel

/// The outboxes of a space: one for each loop that has connections of its members.
struct LoopOutboxes {
  private let home: any RoomLoop
  private var all: [LoopOutbox] = []

  init(from home: any RoomLoop) { self.home = home }

  /// The one to this loop, made if there is none.
  mutating func outbox(to destination: any RoomLoop) -> LoopOutbox {
    if let outbox = all.first(where: { $0.destination === destination }) { return outbox }
    let outbox = LoopOutbox(from: home, to: destination)
    all.append(outbox)
    return outbox
  }

  func dispatch() {
    for outbox in all { outbox.dispatch() }
  }
}
