// Strict JSON (RFC 8259) as byte ranges: one pass, no recursion, no tree. Stricter than most readers:
// UTF-8 without a byte order mark, no lone surrogates in escapes, no key twice in an object (compared after
// unescaping, byte by byte), a bounded depth, nothing after the value.

/// Checks JSON and notes where its values stand.
public struct JSONScanner {
  /// One value: where it stands, and the index of the node after it and all that is in it.
  struct Node: Sendable {
    var kind: JSONKind
    var hasEscapes = false
    var start: Int32
    var end: Int32
    var next: Int32
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private let depth: Int
  private var at = 0
  private(set) var nodes: [Node] = []
  private var open: [Int] = []

  private init(_ bytes: UnsafeBufferPointer<UInt8>, depth: Int) {
    self.bytes = bytes
    self.depth = depth
  }

  /// Scans one value; positions in errors count from the slice's first byte.
  public static func scan(
    _ bytes: ArraySlice<UInt8>, limits: JSONLimits = JSONLimits()
  ) throws(JSONError) -> JSONDocument {
    let limit = min(limits.bytes, Int(Int32.max) - 1)
    guard bytes.count <= limit else { throw JSONError(.tooLong, at: limit) }
    let result = bytes.withUnsafeBufferPointer { buffer -> Result<[Node], JSONError> in
      var scanner = JSONScanner(buffer, depth: limits.depth)
      do throws(JSONError) {
        try scanner.document()
        return .success(scanner.nodes)
      } catch { return .failure(error) }
    }
    return JSONDocument(bytes: bytes, nodes: try result.get())
  }

  public static func scan(
    _ bytes: [UInt8], limits: JSONLimits = JSONLimits()
  ) throws(JSONError) -> JSONDocument {
    try scan(bytes[...], limits: limits)
  }

  // MARK: Structure

  private mutating func document() throws(JSONError) {
    nodes.reserveCapacity(16)
    skipSpace()
    guard at < bytes.count else { throw JSONError(.empty, at: at) }
    try value()
    while let container = open.last {
      if nodes[container].kind == .object { try member(of: container) } else { try item(of: container) }
    }
    skipSpace()
    guard at == bytes.count else { throw JSONError(.trailing, at: at) }
  }

  private mutating func item(of array: Int) throws(JSONError) {
    guard try !closes(array, with: UInt8(ascii: "]")) else { return }
    try value()
  }

  private mutating func member(of object: Int) throws(JSONError) {
    guard try !closes(object, with: UInt8(ascii: "}")) else { return }
    guard try peek() == UInt8(ascii: "\"") else { throw JSONError(.unexpected, at: at) }
    try string()
    skipSpace()
    guard try peek() == UInt8(ascii: ":") else { throw JSONError(.unexpected, at: at) }
    at += 1
    skipSpace()
    try value()
  }

  /// Steps over what comes before the next item; true if there is none and the container is closed.
  private mutating func closes(_ container: Int, with end: UInt8) throws(JSONError) -> Bool {
    skipSpace()
    let byte = try peek()
    if byte == end {
      at += 1
      try close(container)
      return true
    }
    guard nodes.count > container + 1 else { return false }
    guard byte == UInt8(ascii: ",") else { throw JSONError(.unexpected, at: at) }
    at += 1
    skipSpace()
    return false
  }

  private mutating func close(_ container: Int) throws(JSONError) {
    nodes[container].end = Int32(at)
    nodes[container].next = Int32(nodes.count)
    open.removeLast()
    if nodes[container].kind == .object { try refuseDuplicates(in: container) }
  }

  private mutating func value() throws(JSONError) {
    switch try peek() {
    case UInt8(ascii: "{"): try enter(.object)
    case UInt8(ascii: "["): try enter(.array)
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "t"): try word("true", .bool)
    case UInt8(ascii: "f"): try word("false", .bool)
    case UInt8(ascii: "n"): try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
    default: throw JSONError(.unexpected, at: at)
    }
  }

  private mutating func enter(_ kind: JSONKind) throws(JSONError) {
    guard open.count < depth else { throw JSONError(.tooDeep, at: at) }
    open.append(nodes.count)
    nodes.append(Node(kind: kind, start: Int32(at), end: 0, next: 0))
    at += 1
  }

  private mutating func leaf(_ kind: JSONKind, from start: Int, hasEscapes: Bool = false) {
    nodes.append(
      Node(
        kind: kind, hasEscapes: hasEscapes, start: Int32(start), end: Int32(at),
        next: Int32(nodes.count + 1)))
  }

  private func peek() throws(JSONError) -> UInt8 {
    guard at < bytes.count else { throw JSONError(.truncated, at: at) }
    return bytes[at]
  }

  private mutating func skipSpace() {
    while at < bytes.count {
      switch bytes[at] {
      case 0x20, 0x09, 0x0a, 0x0d: at += 1
      default: return
      }
    }
  }

  // MARK: Leaves

  private mutating func word(_ text: StaticString, _ kind: JSONKind) throws(JSONError) {
    let start = at
    for offset in 0..<text.utf8CodeUnitCount {
      guard try peek() == text.utf8Start[offset] else { throw JSONError(.unexpected, at: at) }
      at += 1
    }
    leaf(kind, from: start)
  }

  private mutating func number() throws(JSONError) {
    let start = at
    if bytes[at] == UInt8(ascii: "-") { at += 1 }
    if at < bytes.count, bytes[at] == UInt8(ascii: "0") { at += 1 } else { try digits(of: start) }
    if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
      at += 1
      try digits(of: start)
    }
    if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") {
      at += 1
      if at < bytes.count, bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "-") { at += 1 }
      try digits(of: start)
    }
    if at < bytes.count, isDigit(bytes[at]) { throw JSONError(.badNumber, at: start) }
    leaf(.number, from: start)
  }

  private mutating func digits(of start: Int) throws(JSONError) {
    let first = at
    while at < bytes.count, isDigit(bytes[at]) { at += 1 }
    guard at > first else { throw JSONError(.badNumber, at: start) }
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  private mutating func string() throws(JSONError) {
    let start = at
    var hasEscapes = false
    at += 1
    while true {
      let byte = try peek()
      switch byte {
      case UInt8(ascii: "\""):
        at += 1
        leaf(.string, from: start, hasEscapes: hasEscapes)
        return
      case UInt8(ascii: "\\"):
        hasEscapes = true
        try escape()
      case 0..<0x20: throw JSONError(.controlCharacter, at: at)
      case 0x80...: try multibyte(byte)
      default: at += 1
      }
    }
  }

  private mutating func escape() throws(JSONError) {
    let start = at
    at += 1
    switch try peek() {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      at += 1
    case UInt8(ascii: "u"):
      at += 1
      let unit = try fourDigits(of: start)
      if unit & 0xfc00 == 0xdc00 { throw JSONError(.loneSurrogate, at: start) }
      if unit & 0xfc00 == 0xd800 { try lowSurrogate(after: start) }
    default: throw JSONError(.badEscape, at: start)
    }
  }

  private mutating func lowSurrogate(after start: Int) throws(JSONError) {
    guard try peek() == UInt8(ascii: "\\") else { throw JSONError(.loneSurrogate, at: start) }
    at += 1
    guard try peek() == UInt8(ascii: "u") else { throw JSONError(.loneSurrogate, at: start) }
    at += 1
    guard try fourDigits(of: start) & 0xfc00 == 0xdc00 else { throw JSONError(.loneSurrogate, at: start) }
  }

  private mutating func fourDigits(of start: Int) throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = hexadecimalValue(try peek()) else { throw JSONError(.badEscape, at: start) }
      unit = unit << 4 | UInt16(digit)
      at += 1
    }
    return unit
  }

  /// The forms of Unicode's table 3-7.
  private mutating func multibyte(_ lead: UInt8) throws(JSONError) {
    switch lead {
    case 0xc2...0xdf: try following(0x80...0xbf, count: 1)
    case 0xe0: try following(0xa0...0xbf, count: 2)
    case 0xed: try following(0x80...0x9f, count: 2)
    case 0xe1...0xef: try following(0x80...0xbf, count: 2)
    case 0xf0: try following(0x90...0xbf, count: 3)
    case 0xf1...0xf3: try following(0x80...0xbf, count: 3)
    case 0xf4: try following(0x80...0x8f, count: 3)
    default: throw JSONError(.badUTF8, at: at)
    }
  }

  private mutating func following(_ first: ClosedRange<UInt8>, count: Int) throws(JSONError) {
    let start = at
    for place in 1...count {
      at += 1
      guard at < bytes.count else { throw JSONError(.truncated, at: at) }
      let range = place == 1 ? first : 0x80...0xbf
      guard range.contains(bytes[at]) else { throw JSONError(.badUTF8, at: start) }
    }
    at += 1
  }

  // MARK: Keys

  /// Up to this many keys are compared each with each; more go through a set.
  private static let pairwise = 8

  private func refuseDuplicates(in object: Int) throws(JSONError) {
    var keys: [Int] = []
    var index = object + 1
    let end = Int(nodes[object].next)
    // One key cannot be there twice.
    guard index < end, Int(nodes[index + 1].next) < end else { return }
    while index < end {
      keys.append(index)
      index = Int(nodes[index + 1].next)
    }
    if keys.count <= Self.pairwise { try comparePairs(keys) } else { try compareThroughSet(keys) }
  }

  private func comparePairs(_ keys: [Int]) throws(JSONError) {
    for (place, key) in keys.enumerated() {
      for other in keys[..<place] where same(key, other) {
        throw JSONError(.duplicateKey, at: Int(nodes[key].start))
      }
    }
  }

  private func compareThroughSet(_ keys: [Int]) throws(JSONError) {
    var seen: Set<[UInt8]> = []
    seen.reserveCapacity(keys.count)
    for key in keys where !seen.insert(content(of: key)).inserted {
      throw JSONError(.duplicateKey, at: Int(nodes[key].start))
    }
  }

  private func same(_ left: Int, _ right: Int) -> Bool {
    if nodes[left].hasEscapes || nodes[right].hasEscapes { return content(of: left) == content(of: right) }
    return inside(left).elementsEqual(inside(right))
  }

  private func inside(_ string: Int) -> UnsafeBufferPointer<UInt8> {
    let node = nodes[string]
    return UnsafeBufferPointer(rebasing: bytes[Int(node.start) + 1..<Int(node.end) - 1])
  }

  private func content(of string: Int) -> [UInt8] {
    nodes[string].hasEscapes ? unescaped(inside(string)) : Array(inside(string))
  }
}
