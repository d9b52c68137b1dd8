import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import TestKit
import Testing

/// Member states as values, and the camera in a view whose size the app tells.
@Suite struct ViewTests {
  @Test("MS-currentApplianceName, -shapeType: tools and shapes of 2.7 by name; the pencil at first")
  func appliances() throws {
    let (world, _, _, a, b) = try pair()
    #expect(a.memberState.appliance == .pencil)
    let names = WhiteApplianceName.allCases.map(\.rawValue).joined(separator: " ")
    #expect(
      names
        == "clicker selector laserPointer laserPen pencil rectangle ellipse shape eraser pencilEraser text"
        + " straight arrow hand")
    #expect(WhiteShapeType.allCases.map(\.rawValue) == ["triangle", "rhombus", "pentagram", "speechBalloon"])
    #expect(WhiteStrokeType.allCases.map(\.rawValue) == ["normal", "stroke", "dotted", "longDotted"])
    for appliance in WhiteApplianceName.allCases {
      world.perform { _ = try? await a.setMemberState(WhiteMemberState(appliance)) }
      #expect(a.memberState.appliance == appliance)
    }
    var own = WhiteMemberState()
    own.currentApplianceName = "compass"
    world.perform { [own] in _ = try? await a.setMemberState(own) }
    world.run(for: 1)
    let seen = b.roomMembers.first { $0.memberId == a.memberId }?.memberState
    #expect(seen?.currentApplianceName == "compass")
    #expect(seen?.appliance == nil)
  }

  @Test(
    "MS-textSizeOverride, EL-4: it goes before textSize: a text without a size of its own is written in it")
  func textSizes() throws {
    let (world, _, _, a, b) = try pair()
    let sizes: [(Double?, Double?, Double?)] = [(nil, nil, nil), (20, nil, 20), (20, 33, 33), (nil, 12, 12)]
    for (size, override, shown) in sizes {
      var state = WhiteMemberState(.text)
      (state.textSize, state.textSizeOverride) = (size, override)
      #expect(state.shownTextSize == shown)
    }
    var state = WhiteMemberState(.text)
    (state.textSize, state.textSizeOverride) = (20, 33)
    world.perform { [state] in
      _ = try? await a.setMemberState(state)
      _ = try? await a.insertText(x: 0, y: 0, text: "large")
      _ = try? await a.insertText(x: 0, y: 50, text: "own", size: 7)
    }
    world.run(for: 1)
    let texts = world.perform { await b.getElements() }.compactMap(\.fontSize)
    #expect(texts == [33, 7])
  }

  @Test("MS-textCanSelectText, MS-textSizeOverride: kept and shared by their names")
  func textOptions() throws {
    let (world, _, _, a, b) = try pair()
    var state = WhiteMemberState(.text)
    (state.textCanSelectText, state.textSizeOverride) = (true, 33)
    world.perform { [state] in _ = try? await a.setMemberState(state) }
    world.run(for: 1)
    #expect(b.roomMembers.first { $0.memberId == a.memberId }?.memberState == state)
    let fields = world.foldedState.members[0]?.state.mapValues(\.text)
    #expect(fields?["textCanSelectText"] == "true")
    #expect(fields?["textSizeOverride"] == "33")
  }

  private static let wrong: [@Sendable (inout WhiteMemberState) -> Void] = [
    { $0.strokeColor = [1, 2, 256] }, { $0.textColor = [1, 2] }, { $0.fillColor = [-1, 0, 0] },
    { $0.strokeWidth = -1 }, { $0.textSize = .nan }, { $0.strokeOpacity = 1.5 }, { $0.fillOpacity = -0.1 },
    { $0.pencilEraserSize = 4 }, { $0.strokeType = "wavy" },
  ]

  @Test("MS-strokeColor, -strokeOpacity, -pencilEraserSize, -strokeType: what is out of range fails")
  func ranges() throws {
    let (world, _, _, a, _) = try pair()
    let before = world.log.count
    for change in Self.wrong {
      var state = WhiteMemberState()
      change(&state)
      let refusal = world.perform { [state] () async -> RefusalCode? in
        await code { try await a.setMemberState(state) }
      }
      #expect(refusal == .badParameter)
    }
    #expect(world.log.count == before)
    #expect(a.memberState == WhiteMemberState())
  }

  // MARK: Camera

  @Test("CA-1, RS-7, RS-8: a rectangle fits into the view; without its size the call fails")
  func container() throws {
    let (world, _, _, a, b) = try pair()
    let rectangle = WhiteRectangle(originX: 100, originY: 100, width: 200, height: 50)
    let refused = world.perform { await code { try await a.moveCameraToContainer(rectangle) } }
    #expect(refused == .badParameter)
    a.refreshViewSize(width: 400, height: 200)
    world.perform { _ = try? await a.moveCameraToContainer(rectangle) }
    let camera = a.cameraState
    #expect(camera.centerX == 200)
    #expect(camera.centerY == 125)
    #expect(camera.scale == 2)
    #expect(a.zoomScale == 2)
    #expect(camera.width == 400)
    #expect(camera.height == 200)
    #expect(world.perform { await a.getCameraState() } == camera)
    #expect(b.cameraState.width == nil)
    let empty = world.perform {
      await code { try await a.moveCameraToContainer(WhiteRectangle(width: 0, height: 1)) }
    }
    #expect(empty == .badParameter)
  }

  @Test("CA-2, JO-cameraBound: the camera stays within its bound, whatever the view and the scale")
  func bound() throws {
    let (world, _, _, a, _) = try pair { config in
      config.cameraBound = WhiteCameraBound(width: 1_000, height: 500, minScale: 0.5, maxScale: 4)
    }
    a.refreshViewSize(width: 200, height: 100)
    func look(_ x: Double, _ y: Double, _ scale: Double) -> [Double] {
      world.perform {
        _ = try? await a.moveCamera(WhiteCameraState(centerX: x, centerY: y, scale: scale))
      }
      return [a.cameraState.centerX, a.cameraState.centerY, a.cameraState.scale]
    }
    #expect(look(10, 20, 1) == [10, 20, 1])
    #expect(look(900, -900, 1) == [400, -200, 1])
    #expect(look(900, -900, 2) == [450, -225, 2])
    #expect(look(0, 0, 100) == [0, 0, 4])
    #expect(look(0, 0, 0.1) == [0, 0, 0.5])
    a.setCameraBound(WhiteCameraBound(centerX: 50, width: 100))
    #expect(look(900, 900, 1) == [50, 900, 1])
    a.setCameraBound(nil)
    #expect(look(900, 900, 8) == [900, 900, 8])
  }

  @Test("CA-2: the page's ppt fits into the view; a page without one fails")
  func ppt() throws {
    let (world, _, _, a, _) = try pair()
    a.refreshViewSize(width: 640, height: 640)
    #expect(world.perform { await code { try await a.scalePptToFit() } } == .noSuchScene)
    let page = WhitePptPage(src: "https://x.example/1.png", width: 1_280, height: 720)
    world.perform {
      _ = try? await a.putScenes("/", scenes: [WhiteScene(name: "init", page: page)], index: 0)
      _ = try? await a.moveCamera(WhiteCameraState(centerX: 9, centerY: 9, scale: 3))
      _ = try? await a.scalePptToFit()
    }
    #expect(a.cameraState.scale == 0.5)
    #expect(a.cameraState.centerX == 0)
    #expect(a.cameraState.centerY == 0)
  }

  @Test("CA-3: points of the view as points of the board; origin in the middle, x right, y down")
  func world() throws {
    let (world, _, _, a, _) = try pair()
    a.refreshViewSize(width: 400, height: 200)
    world.run(for: 0)
    #expect(a.convertToPointInWorld(x: 200, y: 100) == (0, 0))
    #expect(a.convertToPointInWorld(x: 400, y: 200) == (200, 100))
    world.perform { _ = try? await a.moveCamera(WhiteCameraState(centerX: 50, centerY: -20, scale: 2)) }
    #expect(a.convertToPointInWorld(x: 200, y: 100) == (50, -20))
    #expect(a.convertToPointInWorld(x: 0, y: 0) == (-50, -70))
  }
}
