import BoardroomCodec
import BoardroomModel

/// An element's present fields: those with which it was put, and the attributes that were set since.
public struct ElementFields: Sendable {
  private let body: JSONItem?
  private let attributes: [String: JSONText]

  /// Nil for a shape whose body is not JSON; the codec lets no such element pass.
  public init?(_ element: Element) {
    attributes = element.attributes
    switch element.content {
    case .stroke: body = nil
    case .shape(_, let raw):
      guard let document = try? JSONScanner.scan(raw.bytes) else { return nil }
      body = document.root
    }
  }

  /// For objects that are no elements, such as a scene's ppt.
  init?(object: JSONText) {
    guard let document = try? JSONScanner.scan(object.bytes) else { return nil }
    body = document.root
    attributes = [:]
  }

  /// The present value of a field; nil if there is none.
  public func value(_ key: String) -> JSONItem? { attribute(key) ?? body?[key] }

  /// A field of the style. The attribute `style.NAME` covers the field of `style` in the body.
  public func style(_ name: String) -> JSONItem? { attribute("style." + name) ?? body?["style"]?[name] }

  private func attribute(_ key: String) -> JSONItem? {
    attributes[key].flatMap { try? JSONScanner.scan($0.bytes).root }
  }

  // MARK: Values

  /// The present value of a field as a number; nil if it is none.
  public func number(_ key: String) -> Double? { value(key)?.double }
  /// The present value of a field as a text; nil if it is none.
  public func text(_ key: String) -> String? { value(key)?.string }
  public var corner: Spot { Spot(number("x") ?? 0, number("y") ?? 0) }
  public var size: Spot { Spot(max(number("width") ?? 0, 0), max(number("height") ?? 0, 0)) }
  public var area: Area { Area(low: corner, high: corner + size) }

  /// The points on the scene. In the body they count from the element's corner.
  public var points: [Spot] {
    value("points")?.items.compactMap { pair in
      let numbers = pair.items.compactMap(\.double)
      return numbers.count >= 2 ? corner + Spot(numbers[0], numbers[1]) : nil
    } ?? []
  }

  public var transform: Transform? {
    guard let items = value(ElementKey.transform)?.items else { return nil }
    return Transform(items.compactMap(\.double))
  }

  public var source: ImageSource? { text(ElementKey.source).flatMap { ImageSource($0) } }

  // MARK: Style

  /// A field of the style as a colour; nil if it is none.
  public func colour(_ name: String) -> Colour? {
    guard let items = style(name)?.items, items.count == 3 else { return nil }
    let levels = items.compactMap { $0.unsigned.flatMap { UInt8(exactly: $0) } }
    return levels.count == 3 ? Colour(red: levels[0], green: levels[1], blue: levels[2]) : nil
  }

  /// Whether a field of the style is `true`.
  public func isSet(_ name: String) -> Bool { style(name)?.bool ?? false }

  /// The value, brought into 0 to 1.
  public func share(_ name: String) -> Double? { style(name)?.double.map { min(max($0, 0), 1) } }

  /// `normal` and `stroke` are solid lines (PARITY rows MS).
  public var strokeType: String { style("strokeType")?.string ?? "normal" }
}
