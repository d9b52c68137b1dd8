import BoardroomModel
import EventLogModel

// The JSON payloads of the family `elements`, both ways. What an element may be is decided here, once.

extension JSONFields {
  func elementEvent(_ kind: EventKind) throws(CodecError) -> ElementEvent {
    switch kind {
    case .elementPut: .put(try elementPut())
    case .erased: .erased(try ids("elements"))
    case .elementsChanged: .changed(ElementsChanged(try elementsChanged()))
    case .elementsCopied: .copied(try elementsCopied())
    default: throw .unknownKind(kind.rawValue)
    }
  }

  func elementCommand(_ kind: EventKind) throws(CodecError) -> ElementCommand {
    switch kind {
    case .elementPut: .put(try elementPut())
    case .erased: .erase(try ids("elements"))
    case .elementsChanged: .change(ElementsChanged(try elementsChanged()))
    case .elementsCopied: .copy(try elementsCopied())
    default: throw .unknownKind(kind.rawValue)
    }
  }

  func elementPut() throws(CodecError) -> ElementPut {
    let put = ElementPut(
      id: try element("id"), scene: try scene("scene"), type: try choice("type"), raw: object.text,
      set: has("set") ? try attributes("set") : nil)
    _ = try finite("x")
    _ = try finite("y")
    try requireParts(of: put.type)
    if has("style") { _ = try fields("style") }
    return put
  }

  private func requireParts(of type: ElementType) throws(CodecError) {
    switch type {
    case .rectangle, .ellipse, .triangle, .rhombus, .pentagram, .speechBalloon: try requireBox()
    case .straight, .arrow: try checkPoints(try item("points"), of: "points")
    case .text:
      _ = try string("text")
      if has("size") { try requireSize("size") }
    case .note:
      _ = try string("text")
      try requireBox()
    case .image:
      try requireBox()
      if has("src") { _ = try string("src") }
      if has("uniformScale") { _ = try bool("uniformScale") }
    }
  }

  private func requireBox() throws(CodecError) {
    try requireSize("width")
    try requireSize("height")
  }

  private func requireSize(_ key: String) throws(CodecError) {
    guard try finite(key) >= 0 else { throw error(key, "must not be negative") }
  }

  private func checkPoints(_ points: JSONItem, of key: String) throws(CodecError) {
    let items = points.items
    guard FieldRanges.linePoints.contains(items.count),
      items.allSatisfy({ $0.numbers(2) })
    else {
      throw error(
        key, "must be \(FieldRanges.linePoints.lowerBound) to \(FieldRanges.linePoints.upperBound) pairs")
    }
  }

  // MARK: Attributes

  /// A patch of attributes, each checked.
  func attributes(_ key: String) throws(CodecError) -> JSONPatch {
    let inner = try fields(key)
    for (name, value) in inner.object.members where !value.isNull { try inner.checkAttribute(name, value) }
    return try inner.patch()
  }

  private func checkAttribute(_ name: String, _ value: JSONItem) throws(CodecError) {
    switch name {
    case "x", "y": try require(value.double != nil, name, "must be a finite number")
    case "width", "height", "size":
      try require(value.double.map { $0 >= 0 } ?? false, name, "must be a number that is not negative")
    case ElementKey.text, ElementKey.source: try require(value.kind == .string, name, "must be a string")
    case "points": try checkPoints(value, of: name)
    case ElementKey.transform: try require(value.numbers(6), name, "must be six finite numbers")
    case ElementKey.order:
      // Without escapes, so that its bytes are the key's own.
      try require(
        value.string.map { OrderKey.isValid($0) && $0.utf8.count + 2 == value.bytes.count } ?? false, name,
        "must be an order key")
    case ElementKey.locked, "uniformScale": try require(value.kind == .bool, name, "must be true or false")
    case "meta": return
    default:
      try require(name.utf8.count > 6 && name.hasPrefix("style."), name, "is not an attribute")
    }
  }

  private func require(_ holds: Bool, _ key: String, _ reason: String) throws(CodecError) {
    guard holds else { throw error(key, reason) }
  }

  // MARK: Changes and copies

  func elementsChanged() throws(CodecError) -> [ElementChange] {
    var changes: [ElementChange] = []
    for item in try array("changes") {
      let fields = try JSONFields(item, of: "changes")
      changes.append(ElementChange(id: try fields.element("id"), set: try fields.attributes("set")))
    }
    return changes
  }

  func elementsCopied() throws(CodecError) -> [ElementCopy] {
    var copies: [ElementCopy] = []
    for item in try array("copies") {
      let fields = try JSONFields(item, of: "copies")
      copies.append(
        ElementCopy(
          from: try fields.element("from"), id: try fields.element("id"), scene: try fields.scene("scene"),
          set: fields.has("set") ? try fields.attributes("set") : nil))
    }
    return copies
  }
}

extension JSONItem {
  /// Whether it is an array of so many finite numbers.
  fileprivate func numbers(_ count: Int) -> Bool {
    let items = items
    return items.count == count && items.allSatisfy { $0.double != nil }
  }
}

extension JSONWriter {
  mutating func elementEvent(_ event: ElementEvent) {
    switch event {
    case .put(let put): raw(put.raw.bytes)
    case .erased(let ids): erased(ids)
    case .changed(let changed): elementsChanged(changed.changes)
    case .copied(let copies): elementsCopied(copies)
    }
  }

  mutating func elementCommand(_ command: ElementCommand) {
    switch command {
    case .put(let put): raw(put.raw.bytes)
    case .erase(let ids): erased(ids)
    case .change(let changed): elementsChanged(changed.changes)
    case .copy(let copies): elementsCopied(copies)
    }
  }

  private mutating func erased(_ ids: [ElementID]) {
    object { $0.list("elements", ids) { $0.value($1.description) } }
  }

  private mutating func elementsChanged(_ changes: [ElementChange]) {
    object { $0.changes(changes) }
  }

  mutating func changes(_ changes: [ElementChange]) {
    list("changes", changes) { writer, change in
      writer.object { writer in
        writer.field("id", change.id.description)
        writer.field("set", change.set.raw)
      }
    }
  }

  private mutating func elementsCopied(_ copies: [ElementCopy]) {
    object { writer in
      writer.list("copies", copies) { writer, copy in
        writer.object { writer in
          writer.field("from", copy.from.description)
          writer.field("id", copy.id.description)
          writer.field("scene", copy.scene)
          writer.field("set", copy.set?.raw)
        }
      }
    }
  }
}
