import BoardroomCodec
import BoardroomModel

extension Element {
  /// What to draw for this element alone.
  public var marks: [Mark] {
    switch content {
    case .stroke(let stroke): StrokeOutline.marks(stroke)
    case .shape(let type, let raw):
      ShapeBody(raw).map { body in
        switch type {
        case .rectangle: body.rectangle
        case .text: body.text
        }
      } ?? []
    }
  }
}

/// The fields of an `elementPut` body that are drawn. Absent ones have the values below.
///
/// `style` is an object of optional fields: `colour` and `fill` ([red, green, blue]), `width` of the line in
/// pixels, `opacity` from 0 to 1. Whatever else it holds is kept in the log and not drawn.
private struct ShapeBody {
  private static let lineWidth = 2.0
  private static let letterHeight = 16.0
  private static let ink = Colour(red: 30, green: 30, blue: 30)
  private let fields: JSONValue
  private let style: JSONValue

  init?(_ raw: JSONText) {
    guard let value = try? JSONValue.parse(raw.bytes) else { return nil }
    fields = value
    style = value["style"] ?? .object([])
  }

  private func number(_ name: String, in value: JSONValue, or usual: Double = 0) -> Double {
    guard case .number(let text)? = value[name], let number = Double(text), number.isFinite else {
      return usual
    }
    return number
  }

  private var corner: Spot { Spot(number("x", in: fields), number("y", in: fields)) }
  private var opacity: Double { min(max(number("opacity", in: style, or: 1), 0), 1) }

  private func colour(_ name: String) -> Colour? {
    guard case .array(let parts)? = style[name], parts.count == 3 else { return nil }
    let levels = parts.compactMap { part -> UInt8? in
      guard case .number(let text) = part else { return nil }
      return UInt8(text)
    }
    return levels.count == 3 ? Colour(red: levels[0], green: levels[1], blue: levels[2]) : nil
  }

  private var line: Paint { Paint(colour("colour") ?? Self.ink, opacity: opacity) }

  var rectangle: [Mark] {
    let size = Spot(number("width", in: fields), number("height", in: fields))
    let far = corner + size
    let steps: [PathStep] = [
      .move(corner), .line(Spot(far.x, corner.y)), .line(far), .line(Spot(corner.x, far.y)), .close,
    ]
    let inside = colour("fill").map { Mark.fill(steps, Paint($0, opacity: opacity)) }
    let width = number("width", in: style, or: Self.lineWidth)
    return [inside, width > 0 ? .line(steps, width: width, line) : nil].compactMap(\.self)
  }

  var text: [Mark] {
    guard case .string(let text)? = fields["text"], !text.isEmpty else { return [] }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let size = number("size", in: fields, or: Self.letterHeight)
    return [.text(lines, at: corner, size: size, line)]
  }
}
