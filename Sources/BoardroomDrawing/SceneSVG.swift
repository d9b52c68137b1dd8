import BoardroomModel

/// A scene as an SVG picture. The same state gives the same bytes on every machine.
public enum SceneSVG {
  /// Free space around the drawing, in pixels.
  static let margin = 16.0
  /// The picture of an empty scene, in pixels.
  static let emptySize = Spot(320, 240)

  public static func picture(of state: RoomState, scene: SceneID) -> String {
    write(DisplayList(of: state, scene: scene), title: state.scene(scene)?.path ?? "")
  }

  /// `title` is what screen readers say and browsers show as the picture's name.
  public static func write(_ list: DisplayList, title: String) -> String {
    let bounds = list.bounds ?? (Spot(margin, margin), emptySize - Spot(margin, margin))
    let low = bounds.low - Spot(margin, margin)
    let size = bounds.high + Spot(margin, margin) - low
    let frame = "\(decimal(size.x))\" height=\"\(decimal(size.y))\""
    let view = [low.x, low.y, size.x, size.y].map(decimal).joined(separator: " ")
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(frame) viewBox=\"\(view)\">",
      "<title>\(escaped(title))</title>",
      "<rect x=\"\(decimal(low.x))\" y=\"\(decimal(low.y))\" width=\"\(frame) fill=\"#ffffff\"/>",
    ]
    lines += list.marks.map(element)
    return (lines + ["</svg>", ""]).joined(separator: "\n")
  }

  private static func element(_ mark: Mark) -> String {
    switch mark {
    case .fill(let steps, let paint): "<path d=\"\(path(steps))\"\(colours(paint, "fill"))/>"
    case .line(let steps, let width, let paint):
      "<path d=\"\(path(steps))\" fill=\"none\"\(colours(paint, "stroke")) stroke-width=\"\(decimal(width))\""
        + " stroke-linecap=\"round\" stroke-linejoin=\"round\"/>"
    case .text(let lines, let at, let size, let paint): text(lines, at, size, paint)
    }
  }

  private static func text(_ lines: [String], _ at: Spot, _ size: Double, _ paint: Paint) -> String {
    let rows = lines.enumerated().map { index, line in
      let y = at.y + size + Double(index) * size * Mark.lineHeight
      return "<tspan x=\"\(decimal(at.x))\" y=\"\(decimal(y))\">\(escaped(line))</tspan>"
    }
    return "<text font-family=\"sans-serif\" font-size=\"\(decimal(size))\" xml:space=\"preserve\""
      + "\(colours(paint, "fill"))>\(rows.joined())</text>"
  }

  private static func colours(_ paint: Paint, _ attribute: String) -> String {
    let (red, green, blue) = (paint.colour.red, paint.colour.green, paint.colour.blue)
    let digits = [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let colour = " \(attribute)=\"#\(digits)\""
    return paint.opacity >= 1 ? colour : colour + " \(attribute)-opacity=\"\(decimal(paint.opacity))\""
  }

  private static func path(_ steps: [PathStep]) -> String {
    steps.map { step in
      switch step {
      case .move(let spot): "M\(pair(spot))"
      case .line(let spot): "L\(pair(spot))"
      case .curve(let control, let spot): "Q\(pair(control)) \(pair(spot))"
      case .close: "Z"
      }
    }.joined()
  }

  private static func pair(_ spot: Spot) -> String { "\(decimal(spot.x)),\(decimal(spot.y))" }

  /// Two decimals at most, without trailing zeros: the same text wherever it is written.
  static func decimal(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "0" }
    let hundredths = Int64((value * 100).rounded())
    let (whole, part) = (abs(hundredths) / 100, abs(hundredths) % 100)
    let sign = hundredths < 0 ? "-" : ""
    if part == 0 { return "\(sign)\(whole)" }
    return part % 10 == 0 ? "\(sign)\(whole).\(part / 10)" : "\(sign)\(whole).\(part < 10 ? "0" : "")\(part)"
  }

  /// For text and attributes; control characters that XML forbids become spaces.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\u{0}"..."\u{8}", "\u{b}", "\u{c}", "\u{e}"..."\u{1f}", "\u{fffe}", "\u{ffff}": result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
