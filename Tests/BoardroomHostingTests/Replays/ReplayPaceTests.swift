import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import StorageTestKit
import TestKit
import Testing

/// A watcher on a loop whose timers a test turns to the millisecond.
private struct PacedWatcher {
  let world: World
  let link = SimulatedLink()

  init(_ world: World, _ wish: ReplayWish) {
    self.world = world
    let (link, engine, loop, room) = (link, world.engine, world.loop, world.room)
    world.perform {
      let now = loop.now
      let handle = engine.connect(link, on: loop, subprotocol: .binary, from: nil, at: now)
      let hello = Hello(room: room, token: "admin", replay: wish)
      handle.receive(WireCodec(.binary).encode(client: .hello(hello)), at: now)
    }
  }

  func take() -> [Notice] {
    link.take().messages.compactMap { try? WireCodec(.binary).decodeServer($0) }
  }
}

@Test("RPL-11: records come when they are due, not before it and at most 20 ms after it, whatever the speed")
func recordsComeInTime() throws {
  for speed in [0.5, 1, 3] {
    let world = World(seed: 7)
    var generator = SeededGenerator(seed: 3)
    var time = world.loop.now
    for number in 0..<60 {
      time = time + .milliseconds(Int64.random(in: 0...180, using: &generator))
      let raw = JSONText(unchecked: "{\"event\":\"n\(number)\"}")
      let event = Event.magix(MagixEvent(name: "n\(number)", payload: .null, raw: raw))
      world.inject(RoomEvent(revision: .zero, time: time, actor: .server, counter: 0, event: event))
    }
    let due = Dictionary(uniqueKeysWithValues: world.log.map { ($0.revision, $0.time) })
    let watcher = PacedWatcher(world, ReplayWish(place: .revision(1), speed: speed))
    let began = world.loop.now
    let start = try #require(due[1])
    var (seen, worst) = (Revision(1), Int64(0))
    while seen < 61, world.seconds < 60 {
      for case .run(let run) in watcher.take() {
        run.forEach { view, _ in
          guard view.revision > seen, let recorded = due[view.revision] else { return }
          seen = view.revision
          let wanted = Double((recorded - start).wholeMilliseconds) / speed
          let late = Double((world.loop.now - began).wholeMilliseconds) - wanted
          #expect(late >= 0, "revision \(view.revision) at speed \(speed)")
          worst = max(worst, Int64(late))
        }
      }
      world.run(for: 0.001)
    }
    #expect(seen == 61)
    #expect(worst <= 22, "\(worst) ms late at speed \(speed)")
  }
}
