import BoardroomCodec
import BoardroomModel
import Foundation

/// The small drawings of tools/samples, made by the pen model.
enum SampleDrawing: String, CaseIterable {
  case hello, plan, loops

  func drawing(seed: UInt64) -> Drawing {
    var pen = PenModel(seed: seed)
    switch self {
    case .hello: return Drawing(acts: Self.hello(&pen))
    case .plan: return Drawing(acts: Self.plan(&pen))
    case .loops: return Drawing(acts: Self.loops(&pen))
    }
  }

  private static let ink = Colour(red: 32, green: 38, blue: 57)
  private static let blue = Colour(red: 38, green: 98, blue: 217)
  private static let green = Colour(red: 22, green: 135, blue: 84)
  private static let red = Colour(red: 204, green: 58, blue: 48)
  private static let yellow = Colour(red: 255, green: 210, blue: 40)

  private static func write(
    _ text: String, x: Double, y: Double, size: Double, colour: Colour, width: Double, _ pen: inout PenModel
  ) -> [Drawing.DrawingStep] {
    Letters.strokes(text, x: x, y: y, size: size).map { pen.draw($0, colour: colour, width: width) }
  }

  /// A word, underlined, and a face.
  private static func hello(_ pen: inout PenModel) -> [Drawing.DrawingStep] {
    var acts = write("Boardroom", x: 40, y: 130, size: 52, colour: ink, width: 5, &pen)
    acts.append(
      pen.draw(
        [(42, 168), (160, 158), (300, 164), (455, 152)], colour: yellow, width: 18, tool: .highlighter))
    acts.append(pen.draw(ring(x: 540, y: 105, radius: 48), colour: blue, width: 4))
    acts.append(pen.draw([(524, 88), (525, 97)], colour: blue, width: 6))
    acts.append(pen.draw([(556, 87), (557, 96)], colour: blue, width: 6))
    acts.append(
      pen.draw([(514, 116), (526, 130), (541, 134), (557, 129), (568, 114)], colour: blue, width: 4))
    return acts
  }

  /// How a stroke travels: three boxes with names, arrows, and what a hand would add.
  private static func plan(_ pen: inout PenModel) -> [Drawing.DrawingStep] {
    var acts: [Drawing.DrawingStep] = []
    let names = ["pen", "log", "all"]
    for (index, name) in names.enumerated() {
      let x = 60 + Double(index) * 250
      acts.append(pen.draw(box(x: x, y: 80, width: 150, height: 96), colour: ink, width: 4))
      acts += write(name, x: x + 38, y: 146, size: 34, colour: blue, width: 4, &pen)
    }
    for x in [218.0, 468.0] {
      acts.append(pen.draw([(x, 130), (x + 40, 124), (x + 82, 128)], colour: green, width: 4))
      acts.append(pen.draw([(x + 66, 112), (x + 84, 128), (x + 64, 143)], colour: green, width: 4))
    }
    acts += write("durable", x: 318, y: 238, size: 24, colour: red, width: 3, &pen)
    acts.append(pen.draw(ring(x: 386, y: 128, radius: 104, flat: 0.72), colour: red, width: 3))
    acts.append(
      Drawing.DrawingStep(
        at: pen.now,
        what: .shape(
          .text, JSONText(unchecked: #"{"x":60,"y":20,"text":"A stroke, on its way","size":22}"#))))
    pen.pause(300)
    acts.append(
      Drawing.DrawingStep(
        at: pen.now,
        what: .shape(
          .rectangle,
          JSONText(
            unchecked: #"{"x":30,"y":8,"width":730,"height":270,"style":{"colour":[190,196,208],"width":2}}"#)
        )))
    acts.append(
      Drawing.DrawingStep(
        at: pen.now, what: .patch(JSONPatch([(key: "title", value: JSONText(unchecked: #""plan""#))]))))
    return acts
  }

  /// Forty loops of many points: work for tests and measurements.
  private static func loops(_ pen: inout PenModel) -> [Drawing.DrawingStep] {
    (0..<40).map { index in
      let (column, row) = (Double(index % 8), Double(index / 8))
      let turns = 2 + index % 4
      let places = (0...turns * 8).map { step -> (Double, Double) in
        let angle = Double(step) * .pi / 4
        let radius = 8 + 30 * Double(step) / Double(turns * 8)
        return (70 + column * 90 + radius * cos(angle), 70 + row * 90 + radius * sin(angle))
      }
      return pen.draw(places, colour: [ink, blue, green, red][index % 4], width: 2.5)
    }
  }

  private static func ring(x: Double, y: Double, radius: Double, flat: Double = 1) -> [(Double, Double)] {
    (0...13).map { step in
      let angle = Double(step) * .pi / 6 - 1.9
      return (x + radius * cos(angle), y + radius * flat * sin(angle))
    }
  }

  private static func box(x: Double, y: Double, width: Double, height: Double) -> [(Double, Double)] {
    let corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y - 3)]
    return zip(corners, corners.dropFirst()).flatMap { from, to in
      // Three places near each corner keep the curve from rounding it.
      [0.0, 0.04, 0.5, 0.96].map { (from.0 + (to.0 - from.0) * $0, from.1 + (to.1 - from.1) * $0) }
    } + [(x, y - 3)]
  }
}

extension Drawing.DrawingStep {
  /// The act as a line of a drawing of ours.
  var json: JSONValue {
    let at: (String, JSONValue) = ("at", JSONValue(Int(self.at)))
    switch what {
    case .stroke(let stroke): return .object([at, ("stroke", stroke.json)])
    case .shape(let type, let raw): return .object([at, (type.rawValue, (try? JSONValue(raw)) ?? .null)])
    case .magix(let magix): return .object([at, ("magix", (try? JSONValue(magix.raw)) ?? .null)])
    case .patch(let patch): return .object([at, ("globalState", (try? JSONValue(patch.raw)) ?? .null)])
    }
  }
}
