import BoardroomModel

/// A scene as an SVG picture. The same state gives the same bytes on every machine.
public enum SceneSVG {
  /// Free space around the drawing, in pixels.
  static let margin = 16.0
  /// The picture of an empty scene, in pixels.
  static let emptySize = Spot(320, 240)

  /// The whole scene, as large as it is.
  public static func picture(of state: RoomState, scene: SceneID) -> String {
    write(DisplayList(of: state, scene: scene), title: state.scene(scene)?.path ?? "")
  }

  /// A picture of a given size: a preview, or what somebody sees (SC-15).
  public static func picture(
    of state: RoomState, scene: SceneID, size: PictureSize, view: PictureView = .everything
  ) -> String {
    let list = DisplayList(of: state, scene: scene)
    let area = view.shown(of: content(of: list), in: size)
    let seen = list.marks.filter { $0.extent?.touches(area) ?? false }
    return write(seen, title: state.scene(scene)?.path ?? "", area, pixels: size.spot)
  }

  /// `title` is the picture's name for screen readers and browsers.
  public static func write(_ list: DisplayList, title: String) -> String {
    let area = content(of: list)
    return write(list.marks, title: title, area, pixels: area.size)
  }

  private static func content(of list: DisplayList) -> Area {
    list.area?.grown(by: margin) ?? Area(low: Spot(0, 0), high: emptySize)
  }

  private static func write(_ marks: [Mark], title: String, _ area: Area, pixels: Spot) -> String {
    let (low, size) = (area.low, area.size)
    let frame = "width=\"\(decimal(pixels.x))\" height=\"\(decimal(pixels.y))\""
    let ground = "width=\"\(decimal(size.x))\" height=\"\(decimal(size.y))\""
    let view = [low.x, low.y, size.x, size.y].map { decimal($0) }.joined(separator: " ")
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" \(frame) viewBox=\"\(view)\">",
      "<title>\(escaped(title))</title>",
      "<rect x=\"\(decimal(low.x))\" y=\"\(decimal(low.y))\" \(ground) fill=\"#ffffff\"/>",
    ]
    lines += marks.map(element)
    return (lines + ["</svg>", ""]).joined(separator: "\n")
  }

  // MARK: Marks

  private static func element(_ mark: Mark) -> String {
    switch mark {
    case .fill(let steps, let paint): "<path d=\"\(steps.pathText)\"\(colours(paint, "fill"))/>"
    case .line(let steps, let width, let dash, let paint):
      "<path d=\"\(steps.pathText)\" fill=\"none\"\(colours(paint, "stroke"))"
        + " stroke-width=\"\(decimal(width))\"\(dashes(dash))"
        + " stroke-linecap=\"round\" stroke-linejoin=\"round\"/>"
    case .text(let mark): text(mark)
    case .image(let mark): image(mark)
    }
  }

  private static func dashes(_ dash: [Double]) -> String {
    dash.isEmpty ? "" : " stroke-dasharray=\"\(dash.map { decimal($0) }.joined(separator: " "))\""
  }

  private static func text(_ mark: TextMark) -> String {
    let rows = mark.lines.enumerated().map { index, line in
      let y = mark.at.y + mark.size + Double(index) * mark.size * Mark.lineHeight
      return "<tspan x=\"\(decimal(mark.at.x))\" y=\"\(decimal(y))\">\(escaped(line))</tspan>"
    }
    return "<text font-family=\"sans-serif\" font-size=\"\(decimal(mark.size))\" xml:space=\"preserve\""
      + "\(letters(mark))\(placed(mark.place))\(colours(mark.paint, "fill"))>\(rows.joined())</text>"
  }

  private static func letters(_ mark: TextMark) -> String {
    let lines = [mark.style.isUnderlined ? "underline" : nil, mark.style.isStruck ? "line-through" : nil]
      .compactMap(\.self)
    let anchor =
      switch mark.alignment {
      case .left: ""
      case .center: " text-anchor=\"middle\""
      case .right: " text-anchor=\"end\""
      }
    return (mark.style.isBold ? " font-weight=\"bold\"" : "")
      + (mark.style.isItalic ? " font-style=\"italic\"" : "")
      + (lines.isEmpty ? "" : " text-decoration=\"\(lines.joined(separator: " "))\"") + anchor
  }

  private static func image(_ mark: ImageMark) -> String {
    let (low, size) = (mark.area.low, mark.area.size)
    return "<image x=\"\(decimal(low.x))\" y=\"\(decimal(low.y))\" width=\"\(decimal(size.x))\""
      + " height=\"\(decimal(size.y))\" preserveAspectRatio=\"none\"\(placed(mark.place))"
      + (mark.opacity >= 1 ? "" : " opacity=\"\(decimal(mark.opacity))\"")
      + " href=\"\(escaped(mark.source.text))\"/>"
  }

  /// Six decimals for rotation and scale: at 10,000 pixels from the origin that is a hundredth of a pixel.
  private static func placed(_ place: Transform) -> String {
    place == .identity ? "" : " transform=\"matrix(\(matrix(place).joined(separator: " ")))\""
  }

  static func matrix(_ place: Transform) -> [String] {
    place.numbers.prefix(4).map { decimal($0, places: 6) } + place.numbers.suffix(2).map { decimal($0) }
  }

  private static func colours(_ paint: Paint, _ attribute: String) -> String {
    let colour = " \(attribute)=\"\(hex(paint.colour))\""
    return paint.opacity >= 1 ? colour : colour + " \(attribute)-opacity=\"\(decimal(paint.opacity))\""
  }

  // MARK: Values

  static func hex(_ colour: Colour) -> String {
    "#"
      + [colour.red, colour.green, colour.blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// At most `places` decimals, without trailing zeros: the same text on every machine.
  static func decimal(_ value: Double, places: Int = 2) -> String {
    let one = (0..<places).reduce(Int64(1)) { product, _ in product * 10 }
    guard value.isFinite, abs(value) < 1e17 / Double(one) else { return "0" }
    let parts = Int64((value * Double(one)).rounded())
    let digits = String(abs(parts) % one)
    let fraction = String(repeating: "0", count: places - digits.count) + digits
    let kept = fraction.prefix(places - fraction.reversed().prefix { $0 == "0" }.count)
    return "\(parts < 0 ? "-" : "")\(abs(parts) / one)" + (kept.isEmpty ? "" : ".\(kept)")
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
