import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import TestKit
import Testing

@Suite struct HistoryTests {
  @Test("EL-6, EL-7: disabled at first; once enabled, undo and redo answer with the steps that remain")
  func undoRedo() throws {
    let world = World()
    let anna = try Listener(world)
    let room = anna.room
    let (codes, steps) = world.perform { () async -> ([RefusalCode?], [Int?]) in
      var codes = [await code { try await room.undo() }, await code { try await room.redo() }]
      _ = try? await room.disableSerialization(false)
      codes.append(await code { try await room.undo() })
      _ = try? await room.insertRectangle(x: 0, y: 0, width: 1, height: 1)
      _ = try? await room.insertRectangle(x: 1, y: 0, width: 1, height: 1)
      var steps = [try? await room.undo(), try? await room.undo(), try? await room.redo()]
      steps.append(await room.getCanUndoSteps())
      steps.append(await room.getCanRedoSteps())
      return (codes, steps)
    }
    #expect(codes == [.forbidden, .forbidden, .nothingToUndo])
    #expect(steps == [1, 0, 1, 1, 1])
    #expect(world.perform { await room.getElements() }.map(\.x) == [0])
    #expect(room.canUndoSteps == 1)
    #expect(room.canRedoSteps == 1)
  }

  @Test("CB-19: the numbers of steps are told when they change and only then, also by a page turned")
  func told() throws {
    let world = World()
    let anna = try Listener(world)
    let room = anna.room
    world.perform {
      _ = try? await room.disableSerialization(false)
      _ = try? await room.insertRectangle(x: 0, y: 0, width: 1, height: 1)
      _ = try? await room.insertRectangle(x: 1, y: 0, width: 1, height: 1)
      _ = try? await room.undo()
      _ = try? await room.setGlobalState(["k": .null])
      _ = try? await room.addPage()
      _ = await room.nextPage()
      _ = await room.prevPage()
    }
    #expect(anna.ears.heard.undo == [1, 2, 1, 0, 1])
    #expect(anna.ears.heard.redo == [1, 0, 1])
  }

  @Test("EL-7, CB-19: what another member changed since is not taken back, and drops out of the numbers")
  func struck() throws {
    let world = World()
    let (anna, ben) = (try Listener(world), try Listener(world, "ben"))
    let (a, b) = (anna.room, ben.room)
    let (refused, left) = world.perform { () async -> (RefusalCode?, [WhiteElement]) in
      _ = try? await a.disableSerialization(false)
      guard let id = try? await a.insertRectangle(x: 0, y: 0, width: 1, height: 1) else { return (nil, []) }
      _ = try? await b.setGlobalState(["seen": .bool(true)])
      _ = try? await b.move([id], x: 7, y: 0)
      _ = try? await a.setGlobalState(["seen": .bool(false)])
      return (await code { try await a.undo() }, await a.getElements())
    }
    #expect(refused == .nothingToUndo)
    #expect(left.map(\.x) == [7])
    #expect(anna.ears.heard.undo == [1, 0])
  }

  @Test("EL-6, JO-undoCacheScenesCount: a new session in the same room object asks for it again")
  func newSession() throws {
    let world = World()
    let anna = try Listener(world) { $0.undoCacheScenesCount = 3 }
    let room = anna.room
    world.perform { _ = try? await room.disableSerialization(false) }
    let before = room.roomMemberId
    anna.client.network.set(.cut)
    world.run(for: 32)
    anna.client.network.set(.clear)
    world.run(for: 15)
    #expect(room.phase == .connected)
    #expect(room.roomMemberId != before)
    let asked = world.log.compactMap { event in
      if case .history(.kept(let depth)) = event.event { depth.scenes } else { nil }
    }
    #expect(asked == [3, 3])
    let left = world.perform { () async -> Int? in
      _ = try? await room.insertRectangle(x: 0, y: 0, width: 1, height: 1)
      return try? await room.undo()
    }
    #expect(left == 0)
    world.perform { _ = try? await room.disableSerialization(true) }
    #expect(world.perform { await code { try await room.undo() } } == .forbidden)
  }
}
