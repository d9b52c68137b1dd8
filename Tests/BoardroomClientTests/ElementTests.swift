import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import TestKit
import Testing

@Suite struct ElementTests {
  private static let shapes: [WhiteShape] = [
    WhiteShape(.rectangle, x: 1, y: 2, width: 30, height: 40),
    WhiteShape(.ellipse, x: 1, y: 2, width: 30, height: 40),
    WhiteShape(.triangle, x: 1, y: 2, width: 30, height: 40),
    WhiteShape(.rhombus, x: 1, y: 2, width: 30, height: 40),
    WhiteShape(.pentagram, x: 1, y: 2, width: 30, height: 40),
    WhiteShape(.speechBalloon, x: 1, y: 2, width: 30, height: 40),
    WhiteShape(.straight, through: [(1, 2), (31, 42)]),
    WhiteShape(.arrow, through: [(31, 42), (1, 2), (5, 5)]),
  ]

  @Test("MS-shapeType: every shape and line is put as it was asked for, at every member", arguments: shapes)
  func shape(_ shape: WhiteShape) throws {
    let (world, _, _, a, b) = try pair()
    let id = try world.perform {
      await asResult { () async throws(BoardroomError) in try await a.insert(shape) }
    }.get()
    world.run(for: 1)
    let elements = world.perform { await b.getElements() }
    #expect(elements.map(\.id) == [id])
    let element = try #require(elements.first)
    #expect(element.type == shape.type)
    #expect(element.x == 1)
    #expect(element.y == 2)
    if shape.points == nil {
      #expect(element.width == 30)
      #expect(element.height == 40)
    } else {
      #expect(element.value("points")?.array?.count == shape.points?.count)
    }
  }

  @Test("Numbers of strokes, shapes and copies are one count: none is used twice")
  func numbers() throws {
    let (world, _, _, a, _) = try pair()
    world.perform {
      _ = try? await a.disableSerialization(false)
      _ = try? await a.drawStroke(WhitePen(), [WhitePoint(x: 0, y: 0)])
      let note = try? await a.insertNote(x: 0, y: 0, width: 10, height: 10, text: "n")
      _ = try? await a.drawStroke(WhitePen(), [WhitePoint(x: 5, y: 5)])
      if let note {
        a.select([note])
        _ = try? await a.duplicate()
      }
    }
    let ids = world.perform { await a.getElements().map(\.id.number) }
    #expect(ids.sorted() == [1, 2, 3, 4])
  }

  @Test("EL-1: a placeholder is completed later, by another member too; its uuid is on the board")
  func completeImage() throws {
    let (world, _, _, a, b) = try pair()
    let image = WhiteImageInformation(uuid: "u-1", centerX: 100, centerY: 50, width: 40, height: 20)
    let (id, before, after) = world.perform { () async -> (WhiteElementID?, WhiteElement?, WhiteElement?) in
      let id = try? await a.insertImage(image)
      let before = await a.getElements().first
      _ = await b.getBoard()
      return (id, before, nil)
    }
    world.run(for: 1)
    #expect(before?.id == id)
    #expect(before?.source == nil)
    #expect(before?.uuid == "u-1")
    #expect(after == nil)
    #expect(before?.x == 80)
    #expect(before?.y == 40)
    #expect(before?.isUniformScale == true)
    #expect(before?.isLocked == false)
    let (codes, done) = world.perform { () async -> ([RefusalCode?], WhiteElement?) in
      let wrong = await code { try await b.completeImageUpload("u-1", src: "javascript:alert(1)") }
      let unknown = await code { try await b.completeImageUpload("u-2", src: "https://x.example/1.png") }
      let right = await code { try await b.completeImageUpload("u-1", src: "https://x.example/1.png") }
      return ([wrong, unknown, right], await b.getElements().first)
    }
    #expect(codes == [.badParameter, .noSuchElement, nil])
    #expect(done?.id == id)
    #expect(done?.source == "https://x.example/1.png")
  }

  @Test("EL-2: an image with its source is there at once; another scheme is refused")
  func imageWithSource() throws {
    let (world, _, _, a, _) = try pair()
    let image = WhiteImageInformation(uuid: "u", width: 4, height: 2, locked: true, uniformScale: false)
    let (refused, element) = world.perform { () async -> (RefusalCode?, WhiteElement?) in
      let refused = await code { try await a.insertImage(image, src: "file:///etc/passwd") }
      _ = try? await a.insertImage(image, src: "http://x.example/1.png")
      return (refused, await a.getElements().first)
    }
    #expect(refused == .badParameter)
    #expect(element?.source == "http://x.example/1.png")
    #expect(element?.isLocked == true)
    #expect(element?.isUniformScale == false)
  }

  @Test("EL-3: a locked image is neither moved nor erased until it is unlocked; lockImages means all")
  func lockImage() throws {
    let (world, _, _, a, b) = try pair()
    let codes = world.perform { () async -> [RefusalCode?] in
      var codes: [RefusalCode?] = []
      guard let id = try? await a.insertImage(WhiteImageInformation(uuid: "u", width: 4, height: 2)) else {
        return []
      }
      codes.append(await code { try await a.lockImage("u", locked: true) })
      await seen(b)
      codes.append(await code { try await b.move([id], x: 1, y: 1) })
      codes.append(await code { try await a.erase([id]) })
      codes.append(await code { try await b.lockImages(false) })
      codes.append(await code { try await b.move([id], x: 1, y: 1) })
      await seen(a)
      codes.append(await code { try await a.erase([id]) })
      return codes
    }
    #expect(codes == [nil, .locked, .locked, nil, nil, nil])
  }

  @Test("EL-3, JO-disableEraseImage: erasing passes images over while that is switched on")
  func keepImages() throws {
    let (world, _, _, a, _) = try pair { $0.disableEraseImage = true }
    let left = world.perform { () async -> [WhiteElementType?] in
      let image = try? await a.insertImage(WhiteImageInformation(uuid: "u", width: 4, height: 2))
      let note = try? await a.insertNote(x: 0, y: 0, width: 9, height: 9, text: "")
      let only = await code { try await a.erase([image].compactMap(\.self)) }
      #expect(only == .forbidden)
      _ = try? await a.erase([image, note].compactMap(\.self))
      return await a.getElements().map(\.type)
    }
    #expect(left == [.image])
    a.disableEraseImage(false)
    let none = world.perform { () async -> Int in
      _ = try? await a.erase(await a.getElements().map(\.id))
      return await a.getElements().count
    }
    #expect(none == 0)
  }

  @Test("EL-5, JO-disableTextOperations: texts are neither put nor changed while that is switched on")
  func noText() throws {
    let (world, _, _, a, b) = try pair()
    let codes = world.perform { () async -> [RefusalCode?] in
      guard let text = try? await a.insertText(x: 0, y: 0, text: "t") else { return [] }
      a.disableTextOperations(true)
      await seen(b)
      let put = await code { try await a.insertText(x: 0, y: 0, text: "u") }
      let update = await code { try await a.updateText(text, "u") }
      let shape = await code { try await a.insertRectangle(x: 0, y: 0, width: 1, height: 1) }
      let others = await code { try await b.updateText(text, "v") }
      a.disableTextOperations(false)
      return [put, update, shape, others, await code { try await a.updateText(text, "w") }]
    }
    #expect(codes == [.forbidden, .forbidden, nil, nil, nil])
    let (other, _, _, c, _) = try pair { $0.disableTextOperations = true }
    #expect(other.perform { await code { try await c.insertText(x: 0, y: 0, text: "t") } } == .forbidden)
  }

  @Test("Elements are moved, transformed, restyled and changed; null takes a change away; strokes too")
  func changes() throws {
    let (world, _, _, a, b) = try pair()
    let (shape, stroke) = world.perform { () async -> (WhiteElement?, WhiteElement?) in
      var style = WhiteStyle()
      style.colour = Colour(red: 1, green: 2, blue: 3)
      style.width = 2
      let rectangle = try? await a.insertRectangle(x: 10, y: 20, width: 5, height: 6, style: style)
      let line = try? await a.drawStroke(WhitePen(), [WhitePoint(x: 0, y: 0), WhitePoint(x: 9, y: 9)])
      let both = [rectangle, line].compactMap(\.self)
      await seen(b)
      _ = try? await b.move(both, x: 5, y: -5)
      _ = try? await b.move(both, x: 1, y: 1)
      var red = WhiteStyle()
      red.colour = Colour(red: 255, green: 0, blue: 0)
      _ = try? await b.restyle(both, red)
      await seen(a)
      guard let rectangle, let line else { return (nil, nil) }
      _ = try? await a.change(rectangle, ["width": .number("50"), "height": .number("60")])
      _ = try? await a.change(rectangle, ["height": .null])
      return (await a.getElement(rectangle), await a.getElement(line))
    }
    #expect(shape?.x == 16)
    #expect(shape?.y == 16)
    #expect(shape?.width == 50)
    #expect(shape?.height == 6)
    #expect(shape?.style("colour") == .array([.number("255"), .number("0"), .number("0")]))
    #expect(shape?.colour("colour") == Colour(red: 255, green: 0, blue: 0))
    #expect(shape?.colour("fill") == nil)
    #expect(shape?.style("width")?.double == 2)
    #expect(stroke?.transform == [1, 0, 0, 1, 6, -4])
    #expect(stroke?.x == nil)
    #expect(stroke?.type == nil)
    #expect(stroke?.style("colour")?[0]?.int == 255)
    let turned = world.perform { () async -> [Double]? in
      guard let shape else { return nil }
      _ = try? await a.transform([shape.id], [0, 1, -1, 0, 0, 0])
      return await a.getElement(shape.id)?.transform
    }
    #expect(turned == [0, 1, -1, 0, 0, 0])
  }

  @Test("Brought to the front or sent to the back they keep their order; new ones lie on top")
  func order() throws {
    let (world, _, _, a, b) = try pair()
    let orders = world.perform { () async -> [[UInt64]] in
      var ids: [WhiteElementID] = []
      for x in 1...4 {
        if let id = try? await a.insertRectangle(x: Double(x), y: 0, width: 1, height: 1) { ids.append(id) }
      }
      var orders: [[UInt64]] = []
      _ = try? await a.bringToFront([ids[1], ids[0]])
      orders.append(await a.getElements().map(\.id.number))
      await seen(b)
      _ = try? await b.sendToBack([ids[3], ids[0]])
      orders.append(await b.getElements().map(\.id.number))
      _ = try? await a.insertRectangle(x: 9, y: 0, width: 1, height: 1)
      orders.append(await a.getElements().map(\.id.number))
      return orders
    }
    #expect(orders == [[3, 4, 1, 2], [4, 1, 3, 2], [4, 1, 3, 2, 5]])
  }

  @Test("EL-8, EL-6: copies stand apart from what they are of; refused while serialization is off")
  func copies() throws {
    let (world, _, _, a, b) = try pair()
    let (refused, made, all) = world.perform {
      () async -> ([RefusalCode?], [WhiteElementID], [WhiteElement]) in
      let note = try? await a.insertNote(x: 10, y: 10, width: 9, height: 9, text: "n")
      let line = try? await a.drawStroke(WhitePen(), [WhitePoint(x: 0, y: 0)])
      a.select([note, line].compactMap(\.self))
      var refused: [RefusalCode?] = [await code { try await a.copy() }]
      refused.append(await code { try await a.paste() })
      refused.append(await code { try await a.duplicate() })
      refused.append(await code { try await a.undo() })
      refused.append(await code { try await a.redo() })
      _ = try? await a.disableSerialization(false)
      refused.append(await code { try await a.copy() })
      _ = try? await a.setGlobalState(["k": .null])
      let pasted = (try? await a.paste()) ?? []
      let doubled = (try? await a.duplicate()) ?? []
      return (refused, pasted + doubled, await b.getElements())
    }
    world.run(for: 1)
    #expect(refused == Array(repeating: .forbidden, count: 5) + [nil])
    #expect(made.count == 4)
    #expect(a.selection == Array(made.suffix(2)))
    let elements = world.perform { await b.getElements() }
    #expect(elements.map(\.x) == [10, nil, 30, nil, 50, nil])
    #expect(all.count <= 6)
    #expect(elements.map { $0.transform?[4] } == [nil, nil, nil, 20, nil, 40])
    #expect(elements.map(\.text) == ["n", nil, "n", nil, "n", nil])
  }

  @Test(
    "EL-8, EL-4: what is selected is deleted, and its texts changed; without a selection both are refused")
  func selection() throws {
    let (world, _, _, a, _) = try pair()
    let (codes, texts, left) = world.perform { () async -> ([RefusalCode?], [String?], Int) in
      let text = try? await a.insertText(x: 0, y: 0, text: "old")
      let box = try? await a.insertRectangle(x: 0, y: 0, width: 1, height: 1)
      var codes = [await code { try await a.updateSelectedText("new") }]
      codes.append(await code { try await a.deleteSelection() })
      a.select([text, box].compactMap(\.self))
      codes.append(await code { try await a.updateSelectedText("new") })
      let texts = await a.getElements().map(\.text)
      codes.append(await code { try await a.deleteSelection() })
      return (codes, texts, await a.getElements().count)
    }
    #expect(codes == [.noSuchElement, .noSuchElement, nil, nil])
    #expect(texts == ["new", nil])
    #expect(left == 0)
  }
}
