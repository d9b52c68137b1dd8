import BoardroomCodec
import BoardroomDrawing
import BoardroomModel

/// The fields of an element's style that both programs have.
struct ShapeStyle: Hashable, Sendable {
  /// Excalidraw draws free-hand lines wider by this factor than their field says: the size that it gives to
  /// perfect-freehand.
  static let penFactor = 4.25

  var colour: Colour
  /// In pixels; 0: no line.
  var width: Double
  /// The opacity of lines and letters.
  var opacity: Double
  var fill: Colour?
  var fillOpacity: Double
  var strokeType: String
  var isRounded: Bool
  var alignment: String

}

/// Kinds of elements, by the fields that their style depends on.
enum StyledKind {
  case box(ElementType)
  case line(isClosed: Bool)
  case text
  case pen
}

extension ShapeStyle {
  // MARK: From Excalidraw

  init(_ source: JSONValue, of kind: StyledKind) {
    let share = min(max((source.number("opacity") ?? 100) / 100, 0), 1)
    let line = source["strokeColor"]?.string.flatMap { CSSColour($0) } ?? CSSColour(UsualStyle.ink)
    let paper = source["backgroundColor"]?.string.flatMap { CSSColour($0) }.flatMap {
      $0.alpha > 0 ? $0 : nil
    }
    colour = line.colour
    width = max(source.number("strokeWidth") ?? 2, 0)
    opacity = Self.rounded(share * line.alpha)
    (fill, fillOpacity, isRounded, alignment, strokeType) = (nil, 0, false, "left", Self.strokeType(source))
    switch kind {
    case .box(let type):
      hideLine(line.alpha, share)
      if type != .image { fill(paper, share) }
      isRounded = type != .ellipse && type != .image && Self.isRounded(source)
    case .line(let isClosed):
      hideLine(line.alpha, share)
      if isClosed { fill(paper, share) }
      isRounded = Self.isRounded(source)
    case .text:
      (width, strokeType) = (2, "normal")
      alignment =
        Self.alignments.contains(source["textAlign"]?.string ?? "") ? source["textAlign"]!.string! : "left"
    case .pen:
      (width, strokeType) = (Double(Self.quarters(width * Self.penFactor)) / 4, "normal")
      opacity = Double(Self.level(opacity)) / 255
    }
    if fill == nil { fillOpacity = opacity }
  }

  /// A transparent line becomes no line.
  private mutating func hideLine(_ alpha: Double, _ share: Double) {
    guard alpha == 0 else { return }
    (width, opacity, colour) = (0, Self.rounded(share), UsualStyle.ink)
  }

  private mutating func fill(_ paper: CSSColour?, _ share: Double) {
    fill = paper?.colour
    fillOpacity = Self.rounded(share * (paper?.alpha ?? 1))
  }

  private static let alignments = ["left", "center", "right"]

  private static func strokeType(_ source: JSONValue) -> String {
    switch source["strokeStyle"]?.string {
    case "dotted": "dotted"
    case "dashed": "longDotted"
    default: "normal"
    }
  }

  /// Older files have `strokeSharpness`.
  private static func isRounded(_ source: JSONValue) -> Bool {
    if source["elbowed"]?.bool == true { return false }
    guard let roundness = source["roundness"] else { return source["strokeSharpness"]?.string == "round" }
    return !roundness.isNull
  }

  /// Four decimals: finer than the eye, and a round trip gives the same number.
  private static func rounded(_ share: Double) -> Double { (share * 10_000).rounded() / 10_000 }
  static func quarters(_ width: Double) -> UInt16 { UInt16(min(max((width * 4).rounded(), 1), 65_535)) }
  static func level(_ share: Double) -> UInt8 { UInt8((min(max(share, 0), 1) * 255).rounded()) }

  // MARK: From the board

  init(_ fields: ElementFields, of type: ElementType) {
    let usualWidth = type == .note ? 0 : UsualStyle.lineWidth
    let letters = type == .text ? fields.colour("textColor") : nil
    colour = letters ?? fields.colour("colour") ?? UsualStyle.ink
    width = max(fields.style("width")?.double ?? usualWidth, 0)
    opacity = fields.share("opacity") ?? 1
    fill = fields.colour("fill")
    fillOpacity = fill == nil ? opacity : fields.share("fillOpacity") ?? opacity
    strokeType = ["dotted", "longDotted"].contains(fields.strokeType) ? fields.strokeType : "normal"
    isRounded = fields.isSet("rounded")
    alignment = fields.style("align")?.string.flatMap { Self.alignments.contains($0) ? $0 : nil } ?? "left"
    if type == .text {
      (width, strokeType, isRounded, fill, fillOpacity) = (2, "normal", false, nil, opacity)
    }
  }

  init(_ stroke: StrokeStyle, _ fields: ElementFields) {
    colour = fields.colour("colour") ?? stroke.colour
    width = max(fields.style("width")?.double ?? Double(stroke.width) / 4, 0)
    opacity = fields.share("opacity") ?? Double(stroke.opacity) / 255
    (fill, fillOpacity, strokeType, isRounded, alignment) = (nil, opacity, "normal", false, "left")
  }

  // MARK: To the board

  /// The `style` of an elementPut.
  func body(text: Bool) -> JSONValue {
    var fields = FieldList([("colour", Self.list(colour))])
    if !text, width != 2 { fields["width"] = .real(width) }
    if opacity != 1 { fields["opacity"] = .real(opacity) }
    if let fill { fields["fill"] = Self.list(fill) }
    if fill != nil, fillOpacity != opacity { fields["fillOpacity"] = .real(fillOpacity) }
    if strokeType != "normal" { fields["strokeType"] = .string(strokeType) }
    if isRounded { fields["rounded"] = .bool(true) }
    if alignment != "left" { fields["align"] = .string(alignment) }
    return fields.object
  }

  private static func list(_ colour: Colour) -> JSONValue {
    .array([colour.red, colour.green, colour.blue].map { JSONValue(Int($0)) })
  }

  // MARK: To Excalidraw

  /// Excalidraw has one opacity for an element. If line and filling differ, the opacity is put into their
  /// colours.
  func fields(of kind: StyledKind) -> [(String, JSONValue)] {
    let isEven = fill == nil || fillOpacity == opacity
    let line = CSSColour.text(colour, alpha: isEven ? 1 : opacity)
    let paper = fill.map { CSSColour.text($0, alpha: isEven ? 1 : fillOpacity) }
    var fields: [(String, JSONValue)] = [
      ("strokeColor", .string(width > 0 ? line : "transparent")),
      ("backgroundColor", .string(paper ?? "transparent")),
      ("opacity", .real(isEven ? (opacity * 10_000).rounded() / 100 : 100)),
      ("strokeStyle", .string(["dotted": "dotted", "longDotted": "dashed"][strokeType] ?? "solid")),
      ("strokeWidth", .real(width > 0 ? width : 1)),
    ]
    switch kind {
    case .box: fields.append(("roundness", roundness(3)))
    case .line: fields.append(("roundness", roundness(2)))
    case .text: fields.append(("textAlign", .string(alignment)))
    case .pen: fields.append(("strokeWidth", .real(width / Self.penFactor)))
    }
    return fields
  }

  private func roundness(_ type: Int) -> JSONValue {
    isRounded ? .object([("type", JSONValue(type))]) : .null
  }
}

extension CSSColour {
  init(_ colour: Colour) { (self.colour, alpha) = (colour, 1) }
}
