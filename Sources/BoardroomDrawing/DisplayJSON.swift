import BoardroomCodec
import BoardroomModel

/// The JSON form of a display list, with which painters in other languages are tested
/// (`Tests/Golden/v1/display`). Paths are texts in SVG's grammar. Numbers have at most two decimals, those of
/// rotation and scale six. Fields with their usual value (opacity 1, no dash, alignment left, no place) are
/// left out.
extension DisplayList {
  public var json: JSONValue { .array(marks.map(\.json)) }
}

extension Mark {
  fileprivate var json: JSONValue {
    switch self {
    case .fill(let steps, let paint): .object([("op", .string("fill")), path(steps)] + paint.json)
    case .line(let steps, let width, let dash, let paint):
      .object(
        [("op", .string("line")), path(steps), ("width", number(width))]
          + (dash.isEmpty ? [] : [("dash", .array(dash.map(number)))]) + paint.json)
    case .text(let text): .object([("op", .string("text"))] + text.json)
    case .image(let image): .object([("op", .string("image"))] + image.json)
    }
  }
}

private typealias Fields = [(String, JSONValue)]

private func number(_ value: Double) -> JSONValue { .number(SceneSVG.decimal(value)) }
private func path(_ steps: [PathStep]) -> (String, JSONValue) { ("path", .string(steps.pathText)) }
private func opacity(_ value: Double) -> Fields { value >= 1 ? [] : [("opacity", number(value))] }
private func place(_ place: Transform) -> Fields {
  place == .identity ? [] : [("place", .array(SceneSVG.matrix(place).map { .number($0) }))]
}

extension Paint {
  fileprivate var json: Fields {
    [("colour", .string(SceneSVG.hex(colour)))] + BoardroomDrawing.opacity(opacity)
  }
}

extension TextMark {
  fileprivate var json: Fields {
    let flags = [
      ("bold", style.isBold), ("italic", style.isItalic), ("underline", style.isUnderlined),
      ("lineThrough", style.isStruck),
    ]
    let text: Fields = [
      ("lines", .array(lines.map { .string($0) })), ("x", number(at.x)), ("y", number(at.y)),
      ("size", number(size)),
    ]
    return text + flags.filter(\.1).map { ($0.0, .bool(true)) }
      + (alignment == .left ? [] : [("align", .string(alignment.rawValue))]) + paint.json
      + BoardroomDrawing.place(place)
  }
}

extension ImageMark {
  fileprivate var json: Fields {
    let (low, size) = (area.low, area.size)
    return [
      ("src", .string(source.text)), ("x", number(low.x)), ("y", number(low.y)), ("width", number(size.x)),
      ("height", number(size.y)),
    ] + BoardroomDrawing.opacity(opacity) + BoardroomDrawing.place(place)
  }
}
