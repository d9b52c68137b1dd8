import BoardroomCodec
import BoardroomModel

/// Reads drawings from lines of JSON. The keys of a line show its form; docs/OPERATIONS.md describes the
/// forms.
struct DrawingReader {
  /// Milliseconds between two strokes of a source without times: a short lift of the hand.
  private static let lift: Int64 = 150
  /// Milliseconds between two points of such a source: 60 Hz, the rate of a pen in a browser.
  private static let pointStep = 1_000.0 / 60

  private(set) var drawing = Drawing()
  private var now: Int64 = 0

  static func read(_ path: String) throws -> Drawing {
    var reader = DrawingReader()
    try InputFile(path).lines { line, number in
      guard line.contains(where: { $0 > 0x20 }) else { return }
      guard let value = try? JSONValue.parse(line) else {
        throw Failure(.badInput, "\(path), line \(number): not a JSON object.", at: path)
      }
      guard reader.add(value, line) else {
        throw Failure(
          .badInput,
          "\(path), line \(number): neither a drawing of ours nor of a form that is known.",
          "`boardroom sample --help` shows ours.", at: path)
      }
    }
    guard !reader.drawing.acts.isEmpty else {
      throw Failure(.badInput, "\(path) holds nothing to draw.", at: path)
    }
    return reader.drawing
  }

  private mutating func add(_ value: JSONValue, _ line: ArraySlice<UInt8>) -> Bool {
    if let at = value["at"]?.int { return takeOwn(value, at: Int64(at)) }
    if let channels = value["ch"] { return takeChannels(channels) }
    if let strokes = value["s"]?.array { return takeStrokes(strokes) }
    if value["type"]?.string != nil { return takeElement(value, line) }
    if value["x"] != nil { return takeFreehand(value) }
    return false
  }

  // MARK: Ours

  private mutating func takeOwn(_ value: JSONValue, at: Int64) -> Bool {
    guard at >= 0 else { return false }
    now = max(now, at)
    if let stroke = value["stroke"] {
      guard let read = PenStroke(json: stroke) else { return false }
      drawing.acts.append(Drawing.DrawingStep(at: at, what: .stroke(read)))
      return true
    }
    for type in ElementType.allCases {
      guard let body = value[type.rawValue], body.object != nil else { continue }
      drawing.acts.append(Drawing.DrawingStep(at: at, what: .shape(type, body.text)))
      return true
    }
    if let magix = value["magix"], let name = magix["event"]?.string {
      let payload = magix["payload"] ?? .null
      drawing.acts.append(
        Drawing.DrawingStep(at: at, what: .magix(MagixEvent(name: name, payload: payload.text))))
      return true
    }
    guard let state = value["globalState"]?.object else { return false }
    let fields = state.map { (key: $0.0, value: $0.1.isNull ? nil : $0.1.text) }
    drawing.acts.append(Drawing.DrawingStep(at: at, what: .patch(JSONPatch(fields))))
    return true
  }

  // MARK: Pen channels, each as differences (hundredths of a pixel, ms, percent)

  private mutating func takeChannels(_ channels: JSONValue) -> Bool {
    guard let x = sums(channels["X"]), let y = sums(channels["Y"]), let time = sums(channels["Timestamp"]),
      x.count == y.count, x.count == time.count, let first = time.first
    else { return false }
    let pressure = sums(channels["Pressure"])
    var stroke = PenStroke()
    for index in x.indices {
      let press = pressure.flatMap { $0.indices.contains(index) ? $0[index] / 100 : nil }
      stroke.points.append(
        PenStroke.Point(
          x: x[index] / 100, y: y[index] / 100, time: Int64(time[index] - first), pressure: press))
    }
    add(stroke)
    return true
  }

  private func sums(_ value: JSONValue?) -> [Double]? {
    guard let steps = numbers(value) else { return nil }
    var sum = 0.0
    return steps.map { step in
      sum += step
      return sum
    }
  }

  // MARK: Strokes of a mouse: [x[], y[], t[]]

  private mutating func takeStrokes(_ strokes: [JSONValue]) -> Bool {
    for value in strokes {
      guard let x = numbers(value[0]), let y = numbers(value[1]), let time = numbers(value[2]),
        x.count == y.count, x.count == time.count, let first = time.first
      else { return false }
      var stroke = PenStroke()
      stroke.points = x.indices.map {
        PenStroke.Point(x: x[$0], y: y[$0], time: Int64(time[$0] - first), pressure: nil)
      }
      add(stroke)
    }
    return true
  }

  // MARK: Free-hand elements without times

  private mutating func takeFreehand(_ value: JSONValue) -> Bool {
    guard let x = numbers(value["x"]), let y = numbers(value["y"]), x.count == y.count, !x.isEmpty else {
      return false
    }
    let pressure = numbers(value["p"])
    var stroke = PenStroke()
    stroke.points = x.indices.map { index in
      PenStroke.Point(
        x: x[index], y: y[index], time: Int64(Double(index) * Self.pointStep),
        pressure: pressure.flatMap { $0.indices.contains(index) ? $0[index] : nil })
    }
    add(stroke)
    return true
  }

  // MARK: Other elements: rectangles and texts as ours, the rest as custom events

  private mutating func takeElement(_ value: JSONValue, _ line: ArraySlice<UInt8>) -> Bool {
    let type = value["type"]?.string.flatMap(ElementType.init).flatMap { Self.drawn.contains($0) ? $0 : nil }
    let what: Drawing.DrawingAction =
      if let type {
        .shape(type, Self.shape(type, value).text)
      } else {
        .magix(MagixEvent(name: "element", payload: value.text))
      }
    drawing.acts.append(Drawing.DrawingStep(at: now, what: what))
    now += Self.lift
    return true
  }

  /// Shapes that a performer puts as elements; it sends the others as magix events.
  private static let drawn: Set<ElementType> = [.rectangle, .text]

  private static func shape(_ type: ElementType, _ value: JSONValue) -> JSONValue {
    var fields: [(String, JSONValue)] = []
    let names: [String] =
      switch type {
      case .rectangle: ["x", "y", "width", "height"]
      case .text: ["x", "y", "text"]
      case .ellipse, .triangle, .rhombus, .pentagram, .speechBalloon, .straight, .arrow, .image, .note: []
      }
    for name in names { if let field = value[name] { fields.append((name, field)) } }
    if let size = value["fontSize"], type == .text { fields.append(("size", size)) }
    return .object(fields)
  }

  private func numbers(_ value: JSONValue?) -> [Double]? {
    guard let items = value?.array else { return nil }
    let numbers = items.compactMap(\.double).filter(\.isFinite)
    return numbers.count == items.count ? numbers : nil
  }

  /// Sources give no times between strokes, so these are drawn one after the other.
  private mutating func add(_ stroke: PenStroke) {
    let act = Drawing.DrawingStep(at: now, what: .stroke(stroke))
    drawing.acts.append(act)
    now = act.end + Self.lift
  }
}
