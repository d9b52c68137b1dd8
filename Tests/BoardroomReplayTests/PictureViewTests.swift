import BoardroomCodec
import BoardroomModel
import StorageTestKit
import Testing

@testable import BoardroomDrawing

@Suite("Pictures of a given size")
struct PictureViewTests {
  private let board = Drawn.board([
    Drawn.shape(.rectangle, #"{"x":0,"y":0,"width":1000,"height":468,"style":{"width":0,"fill":[9,9,9]}}"#),
    Drawn.shape(.text, #"{"x":2000,"y":0,"text":"far"}"#, number: 3),
  ])

  private func head(_ size: PictureSize, _ view: PictureView) throws -> String {
    let picture = SceneSVG.picture(of: board, scene: 1, size: size, view: view)
    return try #require(picture.split(separator: "\n").first.map(String.init))
  }

  @Test("SC-15: a preview has the size asked for and shows everything, no larger than it is")
  func everything() throws {
    let small = Drawn.board([
      Drawn.shape(.rectangle, #"{"x":0,"y":0,"width":1000,"height":468,"style":{"width":0,"fill":[9,9,9]}}"#)
    ])
    let thumbnail = SceneSVG.picture(
      of: small, scene: 1, size: try #require(PictureSize(width: 129, height: 100)))
    #expect(thumbnail.contains("width=\"129\" height=\"100\" viewBox=\"-16 -166 1032 800\""))
    let large = SceneSVG.picture(
      of: small, scene: 1, size: try #require(PictureSize(width: 2_000, height: 1_000)))
    #expect(large.contains("width=\"2000\" height=\"1000\" viewBox=\"-500 -266 2000 1000\""))
    let empty = SceneSVG.picture(
      of: Drawn.board([]), scene: 1, size: try #require(PictureSize(width: 320, height: 240)))
    #expect(empty.contains("viewBox=\"0 0 320 240\""))
  }

  @Test("SC-15: a screenshot shows what a camera sees: around its centre, by its scale")
  func camera() throws {
    let camera = Camera(unit: -1, x: 400, y: -100, scale: 131_072)
    let size = try #require(PictureSize(width: 640, height: 360))
    #expect(try head(size, .camera(camera)).contains("viewBox=\"40 -140 320 180\""))
  }

  @Test("What lies outside of the view is left out of the picture")
  func outside() throws {
    let size = try #require(PictureSize(width: 100, height: 100))
    let area = PictureView.area(Area(low: Spot(1_990, -5), high: Spot(2_040, 45)))
    let picture = SceneSVG.picture(of: board, scene: 1, size: size, view: area)
    #expect(picture.contains("viewBox=\"1990 -5 50 50\""))
    #expect(picture.contains("far"))
    #expect(!picture.contains("<path"))
  }

  @Test(
    "A picture's sides are from 1 to 8,192 pixels",
    arguments: [
      ("640x360", true), ("1x1", true), ("8192x8192", true), ("0x5", false), ("8193x1", false),
      ("-1x5", false),
      ("640", false), ("640x", false), ("640x360x2", false), ("axb", false), ("", false),
    ])
  func sizes(text: String, isGood: Bool) {
    #expect((PictureSize(text) != nil) == isGood)
  }

  @Test("A turn and the angle that it is found by are each other's inverse, whatever the machine")
  func turns() {
    for step in -20...20 {
      let angle = Double(step) * 0.157
      let found = Angle.of(x: Angle.cosine(angle), y: Angle.sine(angle))
      #expect(abs((found - angle).remainder(dividingBy: 2 * .pi)) < 1e-14, "\(angle)")
    }
    #expect(Angle.sine(0) == 0)
    #expect(Angle.cosine(0) == 1)
    #expect(abs(Angle.sine(.pi / 6) - 0.5) < 1e-15)
    #expect(abs(Angle.cosine(100) - 0.862_318_872_287_684) < 1e-14)
    let turned = Transform.turn(.pi / 2, about: Spot(10, 20))(Spot(20, 20))
    #expect(abs(turned.x - 10) < 1e-12)
    #expect(abs(turned.y - 30) < 1e-12)
  }
}
