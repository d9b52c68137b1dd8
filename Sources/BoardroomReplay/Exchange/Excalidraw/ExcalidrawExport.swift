import BoardroomCodec
import BoardroomDrawing
import BoardroomModel
import EventLogModel

/// A scene as an `.excalidraw` file (version 2 of its format), in the order in which it is drawn.
public struct ExcalidrawExport: Sendable {
  /// The program that wrote the file, as its field `source` names it.
  static let origin = "boardroom"

  public private(set) var report = ExchangeReport()
  /// The file, UTF-8.
  public private(set) var bytes: [UInt8] = []
  private var elements: [FieldList] = []
  private var images: [(id: String, address: ImageSource)] = []
  private var ids: Set<String> = []

  public init(of state: RoomState, scene: SceneID) {
    if state.scene(scene)?.ppt != nil {
      report.note("scene", field: "ppt", .lost, "Excalidraw has no pages under a drawing")
    }
    for element in state.elements.drawn(in: scene) { add(element, state.time.milliseconds) }
    number()
    bytes = file(state.time.milliseconds).compact + [UInt8(ascii: "\n")]
  }

  private mutating func add(_ element: Element, _ time: Int64) {
    guard var lent = ExcalidrawExportElement(element, time: time, report: report) else { return }
    // A copy has the kept fields of its source, and so the source's id.
    if ids.contains(lent.id) { lent.id = "boardroom-\(element.id)" }
    let objects = lent.objects()
    for object in objects { if let id = object["id"]?.string { ids.insert(id) } }
    elements += objects
    report = lent.report
    images += lent.images
    noteStyle(lent)
  }

  private mutating func noteStyle(_ lent: ExcalidrawExportElement) {
    guard case .shape(let type, _) = lent.element.content else { return }
    for name in ["bold", "italic", "underline", "lineThrough"] where lent.fields.isSet(name) {
      report.note(type.rawValue, field: "style.\(name)", .lost, "Excalidraw's letters have no such style")
    }
  }

  // MARK: Order

  /// Keeps the order keys if they rise from element to element. Otherwise all get new ones.
  private mutating func number() {
    let kept = elements.compactMap { $0["index"]?.string }
    let rises = zip(kept, kept.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    guard kept.count != elements.count || !rises else { return }
    for place in elements.indices { elements[place]["index"] = .string(Self.key(place)) }
  }

  /// Excalidraw's order key for a place: a letter for the number of digits, then the digits, to the base 62.
  static func key(_ place: Int) -> String {
    let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    var (rest, length, room) = (place, 1, digits.count)
    while rest >= room {
      rest -= room
      length += 1
      room *= digits.count
    }
    var key: [Character] = []
    for _ in 0..<length {
      key.append(digits[rest % digits.count])
      rest /= digits.count
    }
    return "\(Array("abcdefghijklmnopqrstuvwxyz")[length - 1])" + String(key.reversed())
  }

  // MARK: The file

  private func file(_ time: Int64) -> JSONValue {
    var files = FieldList()
    for (id, address) in images {
      files[id] = .object([
        ("mimeType", .string(address.embeddedType ?? "")), ("id", .string(id)),
        ("dataURL", .string(address.text)), ("created", .number(String(time))),
        ("lastRetrieved", .number(String(time))),
      ])
    }
    return .object([
      ("type", .string("excalidraw")), ("version", JSONValue(2)), ("source", .string(Self.origin)),
      ("elements", .array(elements.map(\.object))),
      (
        "appState",
        .object([("gridSize", JSONValue(20)), ("viewBackgroundColor", .string("#ffffff"))])
      ), ("files", files.object),
    ])
  }
}
