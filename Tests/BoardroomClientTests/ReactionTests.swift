import BoardroomClient
import BoardroomModel
import EventLogModel
import TestKit
import Testing

@Suite struct ReactionTests {
  @Test("REACT-3: everybody is told of a reaction, who reacts too, once and with its place and time")
  func told() throws {
    let world = World()
    let (anna, ben) = (try Listener(world), try Listener(world, "ben"))
    let (a, b) = (anna.room, ben.room)
    let element = try world.perform {
      await asResult { () async throws(BoardroomError) in
        try await a.insert(WhiteShape(.rectangle, x: 1, y: 2, width: 30, height: 40))
      }
    }.get()
    world.perform { _ = try? await a.react("👍", at: WhitePoint(x: 10.4, y: -20)) }
    world.perform { _ = try? await b.react("🎉", on: element) }
    world.run(for: 1)
    for ears in [anna.ears, ben.ears] {
      let heard = ears.heard.reactions
      #expect(heard.map(\.emoji) == ["👍", "🎉"])
      #expect(heard.map(\.memberId) == [a.roomMemberId, b.roomMemberId])
      #expect(heard.map(\.place) == [.page("/init", x: 10, y: -20), .element(element)])
      #expect(heard.allSatisfy { $0.time > 0 })
    }
  }

  @Test("REACT-2, REACT-3: what is no emoji is refused with the reason, and nobody is told")
  func refused() throws {
    let world = World()
    let (anna, ben) = (try Listener(world), try Listener(world, "ben"))
    let room = anna.room
    let answer = world.perform {
      await asResult { () async throws(BoardroomError) in
        try await room.react("ok", at: WhitePoint(x: 0, y: 0))
      }
    }
    guard case .failure(let error) = answer else { return #expect(Bool(false)) }
    #expect(error.code == .badParameter)
    world.run(for: 1)
    #expect(ben.ears.heard.reactions.isEmpty)
  }

  @Test("REACT-3: what an outage kept back is not shown too late; the stream of events has it")
  func late() throws {
    let world = World()
    let (anna, ben) = (try Listener(world), try Listener(world, "ben"))
    let events = anna.room.events
    let seen = Box<[UInt8]>([])
    Task(executorPreference: world.tasks) {
      for await event in events { seen.change { $0.append(event.event.kind) } }
    }
    anna.client.network.set(.cut)
    world.run(for: 1)
    let b = ben.room
    world.perform { _ = try? await b.react("👍", at: WhitePoint(x: 0, y: 0)) }
    anna.client.network.set(.clear)
    world.run(for: 10)
    #expect(ben.ears.heard.reactions.count == 1)
    #expect(anna.ears.heard.reactions.isEmpty)
    #expect(seen.value.contains(EventKind.reaction.rawValue))
  }
}
