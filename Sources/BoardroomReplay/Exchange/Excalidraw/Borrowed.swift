import BoardroomCodec
import BoardroomDrawing
import BoardroomModel

/// An element of Excalidraw, converted to an element of the board, before it has an id.
struct ExcalidrawImportElement: Sendable {
  enum Body: Sendable {
    case box(ElementType, Area)
    /// On the scene, in 256ths of a pixel.
    case line(ElementType, [Spot])
    case text(Area, String, size: Double)
    case stroke(PenPoints)
  }

  /// Why an element is not kept.
  struct Unfit: Error {
    var reason: String
    init(_ reason: String) { self.reason = reason }
  }

  var body: Body
  var style: ShapeStyle
  var transform: Transform?
  var isLocked: Bool

  /// How many points a line may have (docs/PROTOCOL.md, section 6).
  private static let linePoints = 2...1_000

  init(_ source: JSONValue) throws(Unfit) {
    guard source["isDeleted"]?.bool != true else { throw Unfit("it is marked as deleted") }
    isLocked = source["locked"]?.bool ?? false
    let kind = source["type"]?.string ?? ""
    switch kind {
    case "rectangle", "ellipse", "diamond", "image":
      let type = ["rectangle": ElementType.rectangle, "ellipse": .ellipse, "image": .image][kind] ?? .rhombus
      body = .box(type, try Self.area(source))
      style = ShapeStyle(source, of: .box(type))
    case "text":
      let text = source["text"]?.string ?? source["originalText"]?.string ?? ""
      body = .text(try Self.area(source), text, size: max(source.number("fontSize") ?? 20, 0))
      style = ShapeStyle(source, of: .text)
    case "line", "arrow":
      let points = try Self.points(source).map(Self.grid)
      guard Self.linePoints.contains(points.count) else { throw Unfit("it has not 2 to 1,000 points") }
      body = .line(Self.lineType(source), points)
      style = ShapeStyle(source, of: .line(isClosed: Self.isClosed(points)))
    case "freedraw", "draw":
      body = .stroke(try PenPoints(try Self.points(source), pressures: Self.pressures(source)))
      style = ShapeStyle(source, of: .pen)
    case "frame", "magicframe", "embeddable", "iframe", "selection":
      throw Unfit("there is nothing like it here")
    default: throw Unfit("its kind is not known")
    }
    transform = Self.turn(source, about: centre)
  }

  /// The centre of its rotation: the middle of its box, or for lines the middle of their points.
  var centre: Spot? {
    switch body {
    case .box(_, let area), .text(let area, _, _): area.centre
    case .line(_, let points): Area(around: points)?.centre
    case .stroke(let points): Area(around: points.spots)?.centre
    }
  }

  static func turn(_ source: JSONValue, about centre: Spot?) -> Transform? {
    guard let angle = source.number("angle"), angle != 0, let centre else { return nil }
    return .turn(angle, about: centre)
  }

  /// A line with a head at its end is an arrow, whatever its type is.
  static func lineType(_ source: JSONValue) -> ElementType {
    source.says("endArrowhead") ? .arrow : .straight
  }

  /// Excalidraw fills a line whose ends are this near to one another, in pixels.
  private static let nearEnough = 8.0

  static func isClosed(_ points: [Spot]) -> Bool {
    guard points.count > 2, let first = points.first, let last = points.last else { return false }
    return (last - first).length <= nearEnough
  }

  // MARK: Reading

  private static func corner(_ source: JSONValue) throws(Unfit) -> Spot {
    guard let x = source.number("x"), let y = source.number("y") else { throw Unfit("it has no place") }
    return Spot(x, y)
  }

  /// Older files have boxes that were drawn from right to left.
  private static func area(_ source: JSONValue) throws(Unfit) -> Area {
    let corner = try corner(source)
    let (width, height) = (source.number("width") ?? 0, source.number("height") ?? 0)
    let low = Spot(width < 0 ? corner.x + width : corner.x, height < 0 ? corner.y + height : corner.y)
    return Area(low: low, high: low + Spot(abs(width), abs(height)))
  }

  private static func points(_ source: JSONValue) throws(Unfit) -> [Spot] {
    let corner = try corner(source)
    return (source["points"]?.array ?? []).compactMap { pair in
      guard let x = pair[0]?.double, let y = pair[1]?.double, x.isFinite, y.isFinite else { return nil }
      return corner + Spot(x, y)
    }
  }

  /// Nil if the pen reported none and Excalidraw derived them from the speed.
  private static func pressures(_ source: JSONValue) -> [Double]? {
    guard source["simulatePressure"]?.bool != true, let items = source["pressures"]?.array else { return nil }
    let pressures = items.compactMap(\.double)
    return pressures.isEmpty ? nil : pressures
  }

  /// 256ths of a pixel: sums and differences of them are exact, so that an export gives back what was imported.
  private static func grid(_ spot: Spot) -> Spot {
    Spot((spot.x * 256).rounded() / 256, (spot.y * 256).rounded() / 256)
  }
}

/// A pen's points in the units of a stroke.
struct PenPoints: Sendable, Hashable {
  /// 16ths of a pixel: off by a 32nd at most, each way.
  static let unit: Int8 = -4
  private static let perPixel = 16.0
  /// Excalidraw keeps no times; 8 ms is a pen at 125 Hz.
  static let step: UInt64 = 8

  var x: [Int64]
  var y: [Int64]
  var pressure: [Int64]?

  init(_ spots: [Spot], pressures: [Double]?) throws(ExcalidrawImportElement.Unfit) {
    guard !spots.isEmpty else { throw ExcalidrawImportElement.Unfit("it has no points") }
    let far = Double(FieldRanges.coordinate) / 2 / Self.perPixel
    guard spots.allSatisfy({ abs($0.x) < far && abs($0.y) < far }) else {
      throw ExcalidrawImportElement.Unfit("it lies too far away")
    }
    x = spots.map { Int64(($0.x * Self.perPixel).rounded()) }
    y = spots.map { Int64(($0.y * Self.perPixel).rounded()) }
    let levels = pressures.map { $0.map { Int64((min(max($0, 0), 1) * 1_023).rounded()) } }
    pressure = levels?.count == spots.count ? levels : nil
  }

  var count: Int { x.count }
  var spots: [Spot] { zip(x, y).map { Spot(Double($0) / Self.perPixel, Double($1) / Self.perPixel) } }

  /// The differences of some points to those before them.
  func steps(_ range: Range<Int>) -> PointSteps {
    func differences(_ values: [Int64]) -> [Int64] {
      range.map { $0 == 0 ? values[0] : values[$0] - values[$0 - 1] }
    }
    return PointSteps(
      x: differences(x), y: differences(y), time: range.map { $0 == 0 ? 0 : Self.step },
      pressure: pressure.map(differences))
  }
}
