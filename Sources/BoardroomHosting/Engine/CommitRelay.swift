import EventLogModel

final class WeakLoopRooms {
  weak var loopRooms: LoopRooms?
  init(_ loopRooms: LoopRooms) { self.loopRooms = loopRooms }
}

/// Carries commits from the thread that made them to the loop of their rooms: one hop per commit.
final class CommitRelay: CommitListener {
  private let way: Confined<WeakLoopRooms>
  private let loop: any RoomLoop

  init(to loopRooms: LoopRooms) {
    loop = loopRooms.loop
    way = Confined(WeakLoopRooms(loopRooms), to: loopRooms.loop)
  }

  func committed(_ runs: [CommittedRun]) {
    loop.execute { [way, loop] in
      for (room, wait) in way.value.loopRooms?.committed(runs) ?? [] {
        loop.execute(after: wait) { way.value.loopRooms?.deliverGathered(in: room) }
      }
    }
  }

  func failed(_ logs: [LogID], _ error: LogError) {
    loop.execute { [way] in way.value.loopRooms?.failed(logs, error) }
  }
}
