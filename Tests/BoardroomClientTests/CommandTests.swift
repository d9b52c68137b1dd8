import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import TestKit
import Testing

@Suite struct CommandTests {
  @Test("A receipt comes once the command is in the log and shown: who awaits it reads what it wrote")
  func readYourWrites() throws {
    let world = World()
    let room = try world.client("anna").join()
    let text = world.perform { () async -> String? in
      _ = try? await room.setGlobalState(["k": .string("v")])
      return room.state.globalState?["k"]?.text
    }
    #expect(text == "\"v\"")
    #expect(world.log.last?.event.kind == EventKind.globalState.rawValue)
  }

  @Test("RS-1: a null removes a key; others stay")
  func removeKey() throws {
    let world = World()
    let room = try world.client("anna").join()
    world.perform {
      _ = try? await room.setGlobalState(["a": .number("1"), "b": .number("2")])
      _ = try? await room.setGlobalState(["a": .null])
    }
    #expect(room.state.globalState?.keys.sorted() == ["b"])
  }

  @Test("SC-2, SC-5, SC-6: a path without slash, an unknown page and an index out of range are refused")
  func scenes() throws {
    let world = World()
    let room = try world.client("anna").join()
    let codes = world.perform { () async -> [RefusalCode?] in
      var codes: [RefusalCode?] = []
      for path in ["init", "/nowhere"] {
        codes.append(await code { try await room.setScenePath(path) })
      }
      codes.append(await code { try await room.setSceneIndex(7) })
      codes.append(await code { try await room.setSceneIndex(0) })
      return codes
    }
    try #require(codes.count == 4)
    #expect(codes[..<3].allSatisfy { $0 != nil })
    #expect(codes[3] == nil)
    #expect(room.state.sceneState?.scenePath == "/init")
  }

  @Test("A stroke drawn in segments is one element; its points are those drawn, at every member")
  func stroke() throws {
    let world = World()
    let (anna, ben) = (world.client("anna"), world.client("ben"))
    let (a, b) = (try anna.join(), try ben.join())
    let pen = WhitePen(colour: Colour(red: 1, green: 2, blue: 3), width: 2.5)
    let stroke = a.beginStroke(pen, [WhitePoint(x: 0, y: 0, pressure: 0.5)])
    stroke.append([WhitePoint(x: 1, y: -1, time: .milliseconds(5), pressure: 0.6)])
    stroke.append((2..<1_500).map { WhitePoint(x: Double($0), y: 0, time: .milliseconds($0 * 5)) })
    world.perform { _ = try? await stroke.end() }
    world.run(for: 1)
    let id = try #require(stroke.id)
    for room in [a, b] {
      let board = world.perform { await room.getBoard() }
      guard case .stroke(let content)? = board.elements[id]?.content else {
        Issue.record("no stroke")
        continue
      }
      #expect(content.pointCount == 1_500)
      #expect(content.ended)
      #expect(content.style.colour == pen.colour)
      #expect(content.style.width == 10)
    }
    let late = world.perform { await code { try await stroke.extend([WhitePoint(x: 0, y: 0)]) } }
    #expect(late == .noSuchElement)
  }

  @Test("EL-4: text is put, changed in its place, and erased; a rectangle too")
  func shapes() throws {
    let world = World()
    let (anna, ben) = (world.client("anna"), world.client("ben"))
    let (a, b) = (try anna.join(), try ben.join())
    let (text, rectangle) = world.perform { () async -> (WhiteElementID?, WhiteElementID?) in
      let text = try? await a.insertText(x: 10, y: 20.5, text: "hello", size: 16)
      let rectangle = try? await a.insertRectangle(x: 0, y: 0, width: 10, height: 20)
      if let text { _ = try? await b.updateText(text, "böard \"room\"") }
      if let rectangle { _ = try? await b.erase([rectangle]) }
      return (text, rectangle)
    }
    world.run(for: 1)
    let board = world.perform { await a.getBoard() }
    let textID = try #require(text)
    let element = world.perform { await a.getElement(textID) }
    let rectangleID = try #require(rectangle)
    #expect(element?.type == .text)
    #expect(element?.text == "böard \"room\"")
    #expect(element?.y == 20.5)
    #expect(element?.fontSize == 16)
    #expect(board.elements[rectangleID] == nil)
  }

  @Test("SIZE-patch, SIZE-error: a patch over 64 KiB is refused with actual and allowed; nothing is lost")
  func tooLarge() throws {
    let world = World()
    let room = try world.client("anna").join()
    let result = world.perform {
      await asResult { () async throws(BoardroomError) in
        try await room.setGlobalState(["k": .string(String(repeating: "x", count: 70_000))])
      }
    }
    guard case .failure(let error) = result else { Issue.record("taken"); return }
    #expect(error.code == .tooLarge)
    #expect(error.allowed == 65_536)
    #expect((error.actual ?? 0) > 70_000)
    #expect(error.description.contains("65536 is allowed"))
    #expect(room.phase == .connected)
  }

  @Test("Commands in flight when the connection breaks are applied once and get their receipts")
  func inFlight() throws {
    let world = World()
    let anna = world.client("anna")
    let room = try anna.join()
    for bytes in stride(from: 0, to: 400, by: 40) {
      anna.network.breakAfter(bytes, .toServer)
      for number in 1...10 {
        room.dispatchMagixEvent("n", payload: JSONValue(bytes * 100 + number), completion: nil)
      }
      let receipt = world.perform { await code { try await room.setGlobalState(["k": JSONValue(bytes)]) } }
      #expect(receipt == nil)
      world.run(for: 10)
    }
    let sent = stride(from: 0, to: 400, by: 40).flatMap { bytes in (1...10).map { "\(bytes * 100 + $0)" } }
    #expect(magix(in: world) == sent)
    // They came again under their old counters, before anything new: no gap was ever refused.
    #expect(!world.log.contains { $0.event.kind == EventKind.refused.rawValue })
  }

  @Test("The session ends in an outage: commands in flight that never arrived fail as networkLost")
  func lostInFlight() throws {
    let world = World()
    let anna = world.client("anna")
    let room = try anna.join()
    anna.network.set(.silent)
    let outcome = Outcome()
    room.dispatchMagixEvent("n", payload: .null) { outcome.set($0) }
    world.run(for: 5)
    #expect(room.phase == .reconnecting)
    anna.network.set(.cut)
    world.run(for: 32)
    anna.network.set(.clear)
    world.run(for: 12)
    #expect(room.phase == .connected)
    guard case .failure(let error)? = outcome.value else { Issue.record("no outcome"); return }
    #expect(error.code == .networkLost)
    #expect(magix(in: world).isEmpty)
    let after = world.perform { await code { try await room.setGlobalState(["k": .null]) } }
    #expect(after == nil)
  }

  @Test("Phases that only the client saw are in the log after it came back")
  func clientPhases() throws {
    let world = World()
    let anna = world.client("anna")
    _ = try anna.join()
    anna.network.set(.cut)
    world.run(for: 6)
    anna.network.set(.clear)
    world.run(for: 10)
    let uploads = world.log.compactMap { event in
      if case .diagnostics(.clientPhases(let phases)) = event.event { phases } else { nil }
    }
    #expect(uploads.count == 1)
    #expect(uploads.first?.map(\.phase) == ["reconnecting", "connected"])
    #expect((uploads.first?.first?.ago ?? 0) > 5_000)
    // When it was lost it had its own coming; on the return also both ends that the server saw of the outage.
    #expect(uploads.first?.map(\.revision) == [2, 4])
  }

  @Test("boardroom.json.v1 carries the same room")
  func jsonSubprotocol() throws {
    let world = World()
    let anna = world.client("anna", subprotocol: .json)
    let ben = world.client("ben")
    let (a, b) = (try anna.join(), try ben.join())
    world.perform {
      _ = try? await a.setGlobalState(["k": .string("ü")])
      _ = try? await b.drawStroke(WhitePen(), [WhitePoint(x: 1, y: 2), WhitePoint(x: 3, y: 4)])
    }
    world.run(for: 1)
    let (one, two) = world.perform { (await a.getBoard(), await b.getBoard()) }
    #expect(one == two)
    #expect(one.elements.count == 1)
  }

  @Test(
    "GET-globalState, -memberState, -roomMembers, -sceneState, -broadcastState, -roomPhase, -zoomScale")
  func getters() throws {
    let world = World()
    let room = try world.client("anna").join()
    let agree = world.perform { () async -> Bool in
      _ = try? await room.setGlobalState(["k": .bool(true)])
      let state = await room.getRoomState()
      let global = await room.getGlobalState()
      let members = await room.getRoomMembers()
      let scene = await room.getSceneState()
      let broadcast = await room.getBroadcastState()
      let member = await room.getMemberState()
      let (phase, zoom) = (await room.getRoomPhase(), await room.getZoomScale())
      return state == room.state && global == state.globalState && members == state.roomMembers
        && scene == state.sceneState && broadcast == state.broadcastState && member == state.memberState
        && phase == .connected && zoom == state.zoomScale
    }
    #expect(agree)
  }

  @Test("Commands of one actor's tasks are carried out in the order in which the tasks were begun")
  @MainActor
  func tasks() async throws {
    let (world, _, _, a, _) = try pair()
    let tasks = (1...50).map { step in
      Task { _ = try? await a.dispatchMagixEvent("n", payload: JSONValue(step)) }
    }
    // Behind them: when it has run, all of them have begun.
    await Task {}.value
    world.run(for: 1)
    for task in tasks { await task.value }
    #expect(magix(in: world) == (1...50).map(String.init))
  }

  private func magix(in world: World) -> [String] {
    world.log.compactMap { if case .custom(.magix(let event)) = $0.event { event.payload.text } else { nil } }
  }
}

/// The code with which `body` is refused; nil if it is not.
func code<Value>(_ body: () async throws -> Value) async -> RefusalCode? {
  do { _ = try await body() } catch { return (error as? BoardroomError)?.code ?? .internalFailure }
  return nil
}
