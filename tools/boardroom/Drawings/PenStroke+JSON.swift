import BoardroomCodec
import BoardroomModel

// A stroke in a drawing of ours: {"tool":"pencil","colour":[r,g,b],"width":pixels,"x":[…],"y":[…],"t":[…],"p":[…]}.
// x and y in pixels, t in ms since the pen went down, p from 0 to 1 or absent.

extension PenStroke {
  init?(json value: JSONValue) {
    guard let x = Self.numbers(value["x"]), let y = Self.numbers(value["y"]),
      let t = Self.numbers(value["t"]),
      x.count == y.count, x.count == t.count, !x.isEmpty, t[0] >= 0, zip(t, t.dropFirst()).allSatisfy(<=)
    else { return nil }
    let pressure = value["p"].flatMap(Self.numbers)
    guard value["p"] == nil || pressure?.count == x.count else { return nil }
    tool = StrokeTool.allCases.first { String(describing: $0) == value["tool"]?.string } ?? .pencil
    width = min(max(value["width"]?.double ?? 3, 0.25), 1_000)
    let levels = value["colour"]?.array?.compactMap { $0.int.flatMap(UInt8.init(exactly:)) } ?? []
    if levels.count == 3 { colour = Colour(red: levels[0], green: levels[1], blue: levels[2]) }
    points = x.indices.map {
      Point(x: x[$0], y: y[$0], time: Int64(t[$0]), pressure: pressure?[$0])
    }
  }

  private static func numbers(_ value: JSONValue?) -> [Double]? {
    guard let items = value?.array else { return nil }
    let numbers = items.compactMap(\.double).filter { $0.isFinite && abs($0) < 1e9 }
    return numbers.count == items.count ? numbers : nil
  }

  var json: JSONValue {
    var fields: [(String, JSONValue)] = [
      ("tool", .string(String(describing: tool))),
      ("colour", .array([colour.red, colour.green, colour.blue].map { JSONValue(Int($0)) })),
      ("width", Self.decimal(width)),
      ("x", .array(points.map { Self.decimal($0.x) })), ("y", .array(points.map { Self.decimal($0.y) })),
      ("t", .array(points.map { JSONValue(Int($0.time)) })),
    ]
    if points.allSatisfy({ $0.pressure != nil }) {
      fields.append(("p", .array(points.map { Self.decimal($0.pressure ?? 0, digits: 3) })))
    }
    return .object(fields)
  }

  private static func decimal(_ value: Double, digits: Int = 1) -> JSONValue {
    let scale = digits == 3 ? 1_000 : 10
    let whole = Int((value * Double(scale)).rounded())
    let (units, rest) = (abs(whole) / scale, abs(whole) % scale)
    let sign = whole < 0 ? "-" : ""
    guard rest != 0 else { return .number("\(sign)\(units)") }
    var part = String(rest + scale).dropFirst()
    while part.last == "0" { part.removeLast() }
    return .number("\(sign)\(units).\(part)")
  }
}
