import BoardroomCodec
import BoardroomModel
import EventLogModel

/// The elements of an Excalidraw drawing as its file holds them.
///
/// Read are `.excalidraw` files and clipboards (an object with `elements`), libraries (`libraryItems`, `library`), and
/// one element a line. A line may also hold points alone: {`x`: […], `y`: […], optional `p`: pressures from 0 to 1}.
public struct ExcalidrawFile: Sendable {
  struct Item: Sendable {
    var element: JSONValue
    /// Whether it is points only, so that there are no fields for an export to write again.
    var isBare = false
  }

  private(set) var items: [Item] = []
  /// `data:` addresses of images by the ids that elements name.
  private(set) var images: [String: String] = [:]

  /// `place` names the file in errors.
  public init(reading bytes: [UInt8], place: String) throws(ReplayError) {
    if let whole = try? JSONValue.parse(bytes) {
      add(whole)
    } else {
      try addLines(bytes, place)
    }
    guard !items.isEmpty else {
      throw .unreadable(place: place, reason: "It holds no elements of Excalidraw's.")
    }
  }

  public var count: Int { items.count }

  private mutating func add(_ value: JSONValue) {
    let pages = (value["libraryItems"]?.array ?? []).compactMap { $0["elements"]?.array }
    let older = (value["library"]?.array ?? []).compactMap(\.array)
    let groups = [value["elements"]?.array].compactMap(\.self) + pages + older
    if groups.isEmpty {
      add(element: value)
    } else {
      for element in groups.joined() { add(element: element) }
    }
    for (id, file) in value["files"]?.object ?? [] { images[id] = file["dataURL"]?.string }
  }

  private mutating func addLines(_ bytes: [UInt8], _ place: String) throws(ReplayError) {
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      guard line.contains(where: { $0 > 0x20 }) else { continue }
      let value: JSONValue
      do throws(JSONError) { value = try JSONValue.parse(line) } catch {
        throw .unreadable(place: "\(place), line \(number)", reason: "It is not JSON (\(error)).")
      }
      guard value.object != nil else {
        throw .unreadable(place: "\(place), line \(number)", reason: "It is not an object.")
      }
      add(value)
    }
  }

  private mutating func add(element: JSONValue) {
    guard element["type"] == nil, let xs = element["x"]?.array, let ys = element["y"]?.array,
      xs.count == ys.count
    else {
      if element["type"]?.string != nil { items.append(Item(element: element)) }
      return
    }
    let points = zip(xs, ys).map { JSONValue.array([$0, $1]) }
    let fields: [(String, JSONValue)] = [
      ("type", .string("freedraw")), ("x", JSONValue(0)), ("y", JSONValue(0)), ("points", .array(points)),
      ("pressures", .array(element["p"]?.array ?? [])), ("simulatePressure", .bool(false)),
    ]
    items.append(Item(element: .object(fields), isBare: true))
  }
}
