import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import TestKit
import Testing

/// Magix events beyond CB-17, pointers, and the time delay.
@Suite struct SharingTests {
  @Test("ME-1, ME-2, ME-3: name, any payload, room, scope and author; the server's has a reserved one")
  func fields() throws {
    let world = World()
    let (anna, ben) = (try Listener(world), try Listener(world, "ben"))
    anna.room.addMagixEventListener(WhiteRoom.allMagixEvents)
    let payloads: [JSONValue] = [
      .null, .bool(true), .number("1.50"), .string("ü"), .array([.null]), .object([("a", .number("1"))]),
    ]
    world.perform {
      for payload in payloads { _ = try? await ben.room.dispatchMagixEvent("any", payload: payload) }
    }
    world.inject(
      RoomEvent(
        revision: 0, time: world.loop.now, actor: .server, counter: 0,
        event: .magix(MagixEvent(name: "system", payload: .null))))
    world.run(for: 30)
    let magix = anna.ears.heard.magix
    #expect(magix.dropLast().map(\.payload) == payloads.map(\.text))
    #expect(magix.dropLast().allSatisfy { $0.eventName == "any" && $0.scope == .custom })
    #expect(magix.allSatisfy { $0.uuid == anna.room.uuid })
    #expect(magix.first?.authorId == ben.room.memberId)
    #expect(magix.last?.authorId == WhiteEvent.administrator)
    #expect(magix.last?.scope == .system)
  }

  @Test(
    "ME-7, CB-18, X-70: batches come the interval after their first event; less than 500 ms is raised to that"
  )
  func batches() throws {
    let world = World()
    let (anna, ben) = (try Listener(world), try Listener(world, "ben"))
    anna.room.addHighFrequencyEventListener("dot", fireInterval: 10)
    let mine = Box<[Int]>([])
    anna.room.addHighFrequencyEventListener("line", fireInterval: 2_000) { batch in
      mine.change { $0.append(batch.count) }
    }
    world.run(for: 0.1)
    let start = world.seconds
    for step in 1...20 {
      ben.room.dispatchMagixEvent("dot", payload: JSONValue(step), completion: nil)
      ben.room.dispatchMagixEvent("line", payload: JSONValue(step), completion: nil)
      world.run(for: 0.04)
    }
    #expect(world.seconds - start < 1)
    #expect(anna.ears.heard.batches.map(\.count).count == 1)
    world.run(for: 3)
    let batches = anna.ears.heard.batches
    let dots = batches.filter { $0.first?.eventName == "dot" }
    #expect(dots.count == 2)
    #expect(dots.joined().map(\.payload.text) == (1...20).map(String.init))
    #expect((11...14).contains(dots[0].count))
    #expect(mine.value == [20])
    #expect(anna.ears.heard.magix.isEmpty)
    anna.room.removeMagixEventListener("dot")
    world.perform { _ = try? await ben.room.dispatchMagixEvent("dot", payload: .null) }
    world.run(for: 2)
    #expect(anna.ears.heard.batches.count == batches.count)
  }

  @Test("ME-8: the own event comes after acceptance; with firesOwnAtOnce at once, and not again")
  func ownEvents() throws {
    let world = World()
    let anna = try Listener(world)
    let at = Box<[String]>([])
    anna.room.addMagixEventListener("late") { _ in at.change { $0.append("late") } }
    anna.room.addMagixEventListener("soon", firesOwnAtOnce: true) { _ in at.change { $0.append("soon") } }
    anna.room.dispatchMagixEvent("late", payload: .null, completion: nil)
    anna.room.dispatchMagixEvent("soon", payload: .null, completion: nil)
    world.run(for: 0)
    #expect(at.value == ["soon"])
    world.run(for: 2)
    #expect(at.value == ["soon", "late"])
  }

  @Test("ME-9: above 1 KiB there is a line in the log, above 32 KiB it is refused with both sizes")
  func sizes() throws {
    let world = World()
    let anna = try Listener(world)
    let results = world.perform { () async -> [RefusalCode?] in
      var codes: [RefusalCode?] = []
      for size in [900, 2_000, 40_000] {
        let payload = JSONValue.string(String(repeating: "x", count: size))
        codes.append(await code { try await anna.room.dispatchMagixEvent("m", payload: payload) })
      }
      return codes
    }
    #expect(results == [nil, nil, .tooLarge])
    let lines = anna.ears.heard.lines
    try #require(lines.count == 1)
    #expect(lines[0].level == .warning)
    #expect(lines[0].text.contains("1024"))
  }

  @Test("Others' pointers are told and can be asked for; one's own is not")
  func pointers() throws {
    let world = World()
    let (anna, ben) = (try Listener(world), try Listener(world, "ben"))
    world.perform { _ = try? await ben.room.movePointer(x: 10.5, y: -3) }
    world.run(for: 1)
    #expect(anna.ears.heard.pointers.map(\.x) == [10.5])
    #expect(anna.ears.heard.pointers.map(\.y) == [-3])
    #expect(anna.ears.heard.pointers.map(\.memberId) == [ben.room.memberId])
    #expect(ben.ears.heard.pointers.isEmpty)
    let (mine, theirs) = world.perform { (await ben.room.getPointers(), await anna.room.getPointers()) }
    #expect(mine.isEmpty)
    #expect(theirs == anna.ears.heard.pointers)
  }

  // MARK: SY-1

  @Test("SY-1: others' content, magix events and pointers come later by the delay; one's own do not")
  func delay() throws {
    let world = World()
    let (anna, ben) = (try Listener(world), try Listener(world, "ben"))
    let (a, b) = (anna.room, ben.room)
    a.addMagixEventListener(WhiteRoom.allMagixEvents)
    world.run(for: 1)
    anna.ears.clear()
    a.setTimeDelay(3)
    #expect(a.timeDelay == 3)
    world.perform {
      _ = try? await b.setGlobalState(["k": .number("1")])
      _ = try? await b.dispatchMagixEvent("theirs", payload: .null)
      _ = try? await b.movePointer(x: 1, y: 1)
      _ = try? await b.insertRectangle(x: 0, y: 0, width: 1, height: 1)
      // One's own comes after it in the log, and is there all the same.
      _ = try? await a.insertRectangle(x: 5, y: 0, width: 1, height: 1)
      _ = try? await a.setGlobalState(["own": .number("1")])
      _ = try? await a.dispatchMagixEvent("mine", payload: .null)
    }
    let written = world.seconds
    #expect(world.perform { await a.getElements().map(\.x) } == [5])
    #expect(a.globalState.keys.sorted() == ["own"])
    #expect(anna.ears.heard.magix.map(\.eventName) == ["mine"])
    #expect(anna.ears.heard.pointers.isEmpty)
    world.run(to: written + 2)
    #expect(anna.ears.heard.states.isEmpty)
    #expect(world.perform { await a.getElements().count } == 1)
    world.run(to: written + 3.2)
    #expect(anna.ears.heard.states.count >= 1)
    #expect(a.globalState.keys.sorted() == ["k", "own"])
    #expect(anna.ears.heard.magix.map(\.eventName) == ["mine", "theirs"])
    #expect(anna.ears.heard.pointers.count == 1)
    let (one, two) = world.perform { (await a.getConfirmedBoard(), await b.getConfirmedBoard()) }
    #expect(one == two)
  }

  @Test("SY-1: a shorter delay releases what has waited long enough, and an outage loses nothing")
  func delayAndOutage() throws {
    let world = World()
    let (anna, ben) = (try Listener(world), try Listener(world, "ben"))
    let (a, b) = (anna.room, ben.room)
    a.setTimeDelay(60)
    world.perform { _ = try? await b.setGlobalState(["k": .number("1")]) }
    world.run(for: 1)
    anna.client.network.set(.cut)
    world.run(for: 2)
    world.perform { _ = try? await b.setGlobalState(["k": .number("2")]) }
    anna.client.network.set(.clear)
    world.run(for: 15)
    #expect(a.phase == .connected)
    #expect(a.globalState.isEmpty)
    a.setTimeDelay(0)
    world.run(for: 0)
    #expect(a.globalState["k"]?.text == "2")
    let (one, two) = world.perform { (await a.getConfirmedBoard(), await b.getConfirmedBoard()) }
    #expect(one == two)
  }

  @Test("SY-1: whether one may write, and a new session, are not delayed")
  func delayAndRights() throws {
    let world = World()
    let anna = try Listener(world)
    let room = anna.room
    room.setTimeDelay(60)
    #expect(world.perform { try? await room.setWritable(false) } == false)
    #expect(world.perform { try? await room.setWritable(true) } == true)
    world.perform { _ = try? await room.setGlobalState(["k": .number("1")]) }
    let member = room.memberId
    anna.client.network.set(.cut)
    world.run(for: 32)
    anna.client.network.set(.clear)
    world.run(for: 15)
    #expect(room.phase == .connected)
    #expect(room.memberId != member)
    #expect(room.isWritable)
    #expect(room.globalState["k"]?.text == "1")
    #expect(world.perform { await code { try await room.setGlobalState(["k": .null]) } } == nil)
  }
}
