import BoardroomCodec
import BoardroomModel

extension Element {
  /// The marks of this element alone, in its present form.
  public var marks: [Mark] {
    guard let fields = ElementFields(self) else { return [] }
    let plain =
      switch content {
      case .stroke(let stroke): StrokeOutline.marks(stroke, fields)
      case .shape(let type, _): ShapeMarks(fields).marks(type)
      }
    guard let transform = fields.transform else { return plain }
    return plain.map { $0.moved(by: transform) }
  }
}

extension Scene {
  /// The page of a ppt, which is drawn below everything, around the origin (RS-5, CA-3). Sources other than
  /// web addresses and embedded images are not drawn.
  var background: ImageMark? {
    guard let ppt, let fields = ElementFields(object: ppt), let source = fields.source else { return nil }
    let half = fields.size * 0.5
    guard half.x > 0, half.y > 0 else { return nil }
    return ImageMark(source, area: Area(low: Spot(-half.x, -half.y), high: half))
  }
}

/// How elements look if their style does not say it. Widths and sizes are in pixels.
public enum UsualStyle {
  public static let lineWidth = 2.0
  public static let letterHeight = 16.0
  public static let ink = Colour(red: 30, green: 30, blue: 30)
  /// The colour of notes.
  public static let paper = Colour(red: 255, green: 236, blue: 153)
  /// The frame of an image without a source.
  public static let placeholder = Colour(red: 160, green: 160, blue: 160)
  /// Free space around a note's text.
  public static let padding = 12.0
}

/// How shapes look. docs/DRAWING.md lists the fields of `style`; other fields are kept in the log and not
/// drawn.
struct ShapeMarks {
  let fields: ElementFields
  let opacity: Double

  init(_ fields: ElementFields) {
    self.fields = fields
    opacity = fields.share("opacity") ?? 1
  }

  func marks(_ type: ElementType) -> [Mark] {
    switch type {
    case .rectangle, .triangle, .rhombus, .pentagram, .speechBalloon:
      let corners = ShapeOutline.corners(type, fields.area) ?? []
      return outlined(
        ShapeOutline.polygon(corners, rounded: fields.isSet("rounded"), in: fields.area),
        usual: UsualStyle.lineWidth) + shapeLabel(type)
    case .ellipse:
      return outlined(ShapeOutline.ellipse(fields.area), usual: UsualStyle.lineWidth) + shapeLabel(type)
    case .straight: return line + lineLabel
    case .arrow:
      let head = ShapeOutline.arrowHead(fields.points, width: width(UsualStyle.lineWidth))
      let hasHead = width(UsualStyle.lineWidth) > 0 && !head.isEmpty
      return line + (hasHead ? [self.line(head, dash: [])] : []) + lineLabel
    case .text: return text(in: fields.area, fields.colour("textColor") ?? fields.colour("colour"))
    case .note: return note
    case .image: return image
    }
  }

  private func width(_ usual: Double) -> Double { fields.style("width")?.double ?? usual }

  private var dash: [Double] {
    let width = width(UsualStyle.lineWidth)
    switch fields.strokeType {
    // No length and round ends make dots.
    case "dotted": return [0, 2.5 * width]
    case "longDotted": return [3 * width, 3 * width]
    default: return []
    }
  }

  private func line(_ steps: [PathStep], usual: Double = UsualStyle.lineWidth, dash: [Double]) -> Mark {
    .line(
      steps, width: width(usual), dash: dash,
      Paint(fields.colour("colour") ?? UsualStyle.ink, opacity: opacity))
  }

  private func outlined(_ steps: [PathStep], usual: Double, paper: Colour? = nil) -> [Mark] {
    let inside = (fields.colour("fill") ?? paper).map {
      Mark.fill(steps, Paint($0, opacity: fields.share("fillOpacity") ?? opacity))
    }
    return [inside, width(usual) > 0 ? line(steps, usual: usual, dash: dash) : nil].compactMap(\.self)
  }

  private var line: [Mark] {
    outlined(
      ShapeOutline.polyline(fields.points, rounded: fields.isSet("rounded")), usual: UsualStyle.lineWidth)
  }

  private func text(in box: Area, _ colour: Colour?) -> [Mark] {
    let alignment = alignment(in: box)
    return letters(at: anchor(alignment, box), alignment, colour)
  }

  /// The lines of the element's text; none if it has no text.
  var lines: [String] {
    guard let text = fields.text(ElementKey.text), !text.isEmpty else { return [] }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The height of a line's letters in pixels.
  var letterHeight: Double { fields.number("size") ?? UsualStyle.letterHeight }

  /// The element's text from a place on; nothing if it has none.
  func letters(at spot: Spot, _ alignment: TextMark.Alignment, _ colour: Colour?) -> [Mark] {
    guard !lines.isEmpty else { return [] }
    return [
      .text(
        TextMark(
          lines, at: spot, size: letterHeight, style: letterStyle, alignment: alignment,
          Paint(colour ?? UsualStyle.ink, opacity: opacity)))
    ]
  }

  /// A text without a box cannot be centred.
  private func alignment(in box: Area) -> TextMark.Alignment {
    box.size.x > 0 ? askedAlignment ?? .left : .left
  }

  /// On which side the element asks its lines to be; nil: it does not.
  var askedAlignment: TextMark.Alignment? {
    fields.style("align")?.string.flatMap { TextMark.Alignment(rawValue: $0) }
  }

  func anchor(_ alignment: TextMark.Alignment, _ box: Area) -> Spot {
    switch alignment {
    case .left: box.low
    case .center: Spot(box.centre.x, box.low.y)
    case .right: Spot(box.high.x, box.low.y)
    }
  }

  private var letterStyle: TextMark.Style {
    var style = TextMark.Style()
    style.isBold = fields.isSet("bold")
    style.isItalic = fields.isSet("italic")
    style.isUnderlined = fields.isSet("underline")
    style.isStruck = fields.isSet("lineThrough")
    return style
  }

  private var note: [Mark] {
    let box = fields.area
    let steps = ShapeOutline.polygon(box.corners, rounded: fields.isSet("rounded"), in: box)
    let inner = Area(
      low: box.low + Spot(UsualStyle.padding, UsualStyle.padding),
      high: box.high - Spot(UsualStyle.padding, UsualStyle.padding))
    return outlined(steps, usual: 0, paper: UsualStyle.paper) + text(in: inner, fields.colour("textColor"))
  }

  private var image: [Mark] {
    if let source = fields.source { return [.image(ImageMark(source, area: fields.area, opacity: opacity))] }
    let corners = fields.area.corners
    let frame = ShapeOutline.polygon(corners, rounded: false, in: fields.area)
    let cross: [PathStep] = [.move(corners[0]), .line(corners[2]), .move(corners[1]), .line(corners[3])]
    return [.line(frame + cross, width: 1, Paint(UsualStyle.placeholder, opacity: opacity))]
  }
}
