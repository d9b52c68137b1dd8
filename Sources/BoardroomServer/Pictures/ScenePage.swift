import BoardroomDrawing
import BoardroomModel

/// A scene as an SVG file of a given size: the whole drawing, as large as it fits, on white.
enum ScenePage {
  static func svg(of state: RoomState, scene: SceneID, width: Int, height: Int) -> String {
    let drawing = SceneSVG.picture(of: state, scene: scene)
    // The drawing's own first line says how large it would be; here its view fills the page instead.
    let first = drawing.prefix { $0 != ">" }
    let view = first.components(of: "viewBox=\"").map { " viewBox=\"\($0)\"" } ?? ""
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)">
      <rect width="100%" height="100%" fill="#ffffff"/>
      <svg width="100%" height="100%"\(view)\(drawing.dropFirst(first.count))</svg>

      """
  }
}

extension Substring {
  /// What stands between `start` and the next quotation mark.
  fileprivate func components(of start: String) -> Substring? {
    guard let range = firstRange(of: start) else { return nil }
    return self[range.upperBound...].prefix { $0 != "\"" }
  }
}
