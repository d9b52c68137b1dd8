import BoardroomModel

/// What a JSON value is.
public enum JSONKind: UInt8, Sendable, Hashable, CaseIterable {
  case null, bool, number, string, array, object
}

/// A scanned text: its bytes, and where its values stand in them.
public struct JSONDocument: Sendable {
  public let bytes: ArraySlice<UInt8>
  let nodes: [JSONScanner.Node]

  public var root: JSONItem { JSONItem(document: self, index: 0) }
}

/// One value of a scanned text. Cheap to pass on; nothing is decoded before it is asked for.
public struct JSONItem: Sendable {
  let document: JSONDocument
  let index: Int

  private var node: JSONScanner.Node { document.nodes[index] }
  private var offset: Int { document.bytes.startIndex }

  public var kind: JSONKind { node.kind }
  /// Indices into the document's `bytes`.
  public var range: Range<Int> { offset + Int(node.start)..<offset + Int(node.end) }
  /// The value's own text.
  public var bytes: ArraySlice<UInt8> { document.bytes[range] }
  /// The value as it came, copied out.
  public var text: JSONText { JSONText(unchecked: Array(bytes)) }
  public var isNull: Bool { kind == .null }

  public var bool: Bool? { kind == .bool ? bytes.first == UInt8(ascii: "t") : nil }

  public var string: String? {
    guard kind == .string else { return nil }
    let inside = document.bytes[range.lowerBound + 1..<range.upperBound - 1]
    guard node.hasEscapes else { return String(decoding: inside, as: UTF8.self) }
    return String(decoding: inside.withUnsafeBufferPointer { unescaped($0) }, as: UTF8.self)
  }

  /// An integer without sign, fraction or exponent, if it fits.
  public var unsigned: UInt64? {
    guard kind == .number else { return nil }
    return Self.magnitude(bytes)
  }

  /// An integer without fraction or exponent, if it fits. `-0` is none: it has no form of its own in binary.
  public var signed: Int64? {
    guard kind == .number else { return nil }
    guard bytes.first == UInt8(ascii: "-") else {
      return Self.magnitude(bytes).flatMap { Int64(exactly: $0) }
    }
    guard let magnitude = Self.magnitude(bytes.dropFirst()), magnitude > 0 else { return nil }
    guard magnitude < 1 << 63 else { return magnitude == 1 << 63 ? .min : nil }
    return -Int64(magnitude)
  }

  /// A finite number.
  public var double: Double? {
    guard kind == .number, let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite
    else { return nil }
    return value
  }

  private static func magnitude(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for digit in digits {
      guard digit &- 0x30 < 10 else { return nil }
      let (product, overflowed) = value.multipliedReportingOverflow(by: 10)
      let (sum, carried) = product.addingReportingOverflow(UInt64(digit - 0x30))
      guard !overflowed, !carried else { return nil }
      value = sum
    }
    return value
  }

  /// The items of an array, in order; empty for anything else.
  public var items: [JSONItem] {
    guard kind == .array else { return [] }
    var items: [JSONItem] = []
    var child = index + 1
    while child < Int(node.next) {
      items.append(JSONItem(document: document, index: child))
      child = Int(document.nodes[child].next)
    }
    return items
  }

  /// The members of an object, in order; empty for anything else.
  public var members: [(key: String, value: JSONItem)] {
    var members: [(key: String, value: JSONItem)] = []
    forEachMember { key, value in
      members.append((key.string ?? "", value))
      return true
    }
    return members
  }

  /// The member of an object with this key.
  public subscript(key: String) -> JSONItem? {
    var found: JSONItem?
    forEachMember { candidate, value in
      guard candidate.isString(key) else { return true }
      found = value
      return false
    }
    return found
  }

  private func forEachMember(_ body: (JSONItem, JSONItem) -> Bool) {
    guard kind == .object else { return }
    var child = index + 1
    while child < Int(node.next) {
      let value = JSONItem(document: document, index: child + 1)
      guard body(JSONItem(document: document, index: child), value) else { return }
      child = Int(document.nodes[child + 1].next)
    }
  }

  private func isString(_ text: String) -> Bool {
    if node.hasEscapes { return string.map { $0.utf8.elementsEqual(text.utf8) } ?? false }
    let range = range
    guard range.count == text.utf8.count + 2 else { return false }
    return document.bytes[range.lowerBound + 1..<range.upperBound - 1].elementsEqual(text.utf8)
  }

  /// How many arrays and objects are open at once inside this value, itself included.
  public var depth: Int {
    var ends: [Int32] = []
    var deepest = 0
    for child in index..<max(index + 1, Int(node.next)) {
      while let end = ends.last, end <= child { ends.removeLast() }
      let inner = document.nodes[child]
      guard inner.kind == .array || inner.kind == .object else { continue }
      ends.append(inner.next)
      deepest = max(deepest, ends.count)
    }
    return deepest
  }
}
