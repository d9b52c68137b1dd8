import BoardroomCodec
import BoardroomModel

/// Elements for the tests of pictures.
enum Drawn {
  static func stroke(
    _ points: [(Int64, Int64)], pressure: [Int64]? = nil, tool: StrokeTool = .pencil, opacity: UInt8 = 255,
    ended: Bool = true, attributes: [String: String] = [:]
  ) -> Element {
    var last: (Int64, Int64) = (0, 0)
    var (x, y): ([Int64], [Int64]) = ([], [])
    for point in points {
      x.append(point.0 - last.0)
      y.append(point.1 - last.1)
      last = point
    }
    var press: Int64 = 0
    let steps = pressure?.map { value in
      defer { press = value }
      return value - press
    }
    let encoded = EncodedPoints(PointSteps(x: x, y: y, time: points.map { _ in 16 }, pressure: steps))
    let style = StrokeStyle(
      scene: 1, unit: -1, tool: tool, colour: Colour(red: 200, green: 10, blue: 0), opacity: opacity,
      width: 16)
    return Element(
      id: ElementID(member: 0, number: 1), scene: 1,
      content: .stroke(
        StrokeContent(style: style, ended: ended, pointCount: points.count, segments: Array(encoded.bytes))),
      attributes: attributes.mapValues { JSONText(unchecked: $0) })
  }

  static func shape(
    _ type: ElementType, _ json: String, number: UInt64 = 2, attributes: [String: String] = [:]
  ) -> Element {
    Element(
      id: ElementID(member: 0, number: number), scene: 1,
      content: .shape(type: type, raw: JSONText(unchecked: json)),
      attributes: attributes.mapValues { JSONText(unchecked: $0) })
  }

  /// A room with one scene of number 1 and these elements on it.
  static func board(_ elements: [Element], ppt: String? = nil) -> RoomState {
    var state = RoomState()
    state.scenes = [
      Scene(id: 1, directory: "/", name: "init", ppt: ppt.map { JSONText(unchecked: $0) })
    ]
    state.currentScene = 1
    for element in elements { state.elements.put(element) }
    return state
  }
}
