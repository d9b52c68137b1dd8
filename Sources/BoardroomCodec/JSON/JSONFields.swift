import BoardroomModel
import EventLogModel

/// Reads the named fields of one object. Unknown fields are ignored; `null` in an optional field is the same
/// as leaving it out.
struct JSONFields {
  let object: JSONItem
  /// What the object is, for errors.
  let path: String

  init(_ item: JSONItem, of path: String) throws(CodecError) {
    guard item.kind == .object else { throw .invalid(field: path, reason: "must be an object") }
    object = item
    self.path = path
  }

  /// Scans `text` and takes it as an object.
  init(text: ArraySlice<UInt8>, limits: JSONLimits, of path: String) throws(CodecError) {
    let document: JSONDocument
    do throws(JSONError) { document = try JSONScanner.scan(text, limits: limits) } catch {
      throw .json(error)
    }
    try self.init(document.root, of: path)
  }

  func error(_ key: String, _ reason: String) -> CodecError {
    .invalid(field: path.isEmpty ? key : path + "." + key, reason: reason)
  }

  func badName(_ key: String, _ reason: String) -> CodecError {
    .badName(field: path.isEmpty ? key : path + "." + key, reason: reason)
  }

  func has(_ key: String) -> Bool { optional(key) != nil }

  func optional(_ key: String) -> JSONItem? {
    guard let item = object[key], !item.isNull else { return nil }
    return item
  }

  func item(_ key: String) throws(CodecError) -> JSONItem {
    guard let item = object[key] else { throw error(key, "is missing") }
    return item
  }

  func fields(_ key: String) throws(CodecError) -> JSONFields {
    try JSONFields(try item(key), of: path.isEmpty ? key : path + "." + key)
  }

  func array(_ key: String) throws(CodecError) -> [JSONItem] {
    let item = try item(key)
    guard item.kind == .array else { throw error(key, "must be an array") }
    return item.items
  }

  func string(_ key: String) throws(CodecError) -> String {
    guard let text = try item(key).string else { throw error(key, "must be a string") }
    return text
  }

  func optionalString(_ key: String) throws(CodecError) -> String? {
    try has(key) ? string(key) : nil
  }

  func bool(_ key: String) throws(CodecError) -> Bool {
    guard let value = try item(key).bool else { throw error(key, "must be true or false") }
    return value
  }

  func bool(_ key: String, otherwise value: Bool) throws(CodecError) -> Bool {
    try has(key) ? bool(key) : value
  }

  func number(_ key: String, upTo limit: UInt64 = .max) throws(CodecError) -> UInt64 {
    guard let value = try item(key).unsigned, value <= limit else {
      throw error(key, "must be a whole number from 0 to \(limit)")
    }
    return value
  }

  func signed(_ key: String, in range: ClosedRange<Int64>) throws(CodecError) -> Int64 {
    guard let value = try item(key).signed, range.contains(value) else {
      throw error(key, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  func count(_ key: String) throws(CodecError) -> Int {
    Int(try number(key, upTo: UInt64(Int.max)))
  }

  func finite(_ key: String) throws(CodecError) -> Double {
    guard let value = try item(key).double else { throw error(key, "must be a finite number") }
    return value
  }

  func revision(_ key: String) throws(CodecError) -> Revision { Revision(try number(key)) }

  func time(_ key: String) throws(CodecError) -> Timestamp {
    Timestamp(milliseconds: Int64(try number(key, upTo: UInt64(Int64.max))))
  }

  func milliseconds(_ key: String) throws(CodecError) -> Duration {
    .milliseconds(Int64(try number(key, upTo: 1 << 53)))
  }

  /// Until a heartbeat.
  func interval(_ key: String) throws(CodecError) -> Duration {
    .milliseconds(Int64(try number(key, upTo: FieldRanges.heartbeatInterval)))
  }

  /// 32 lower-case hexadecimal digits.
  func name(_ key: String) throws(CodecError) -> LogID {
    let text = try string(key)
    guard let id = LogID(text), id.description == text else {
      throw error(key, "must be 32 lower-case hexadecimal digits")
    }
    return id
  }

  func epoch(_ key: String) throws(CodecError) -> Epoch {
    let text = try string(key)
    guard let epoch = Epoch(text), epoch.description == text else {
      throw error(key, "must be 16 lower-case hexadecimal digits")
    }
    return epoch
  }

  func generation(_ key: String) throws(CodecError) -> Generation {
    Generation(try number(key, upTo: UInt64(Generation.max)))
  }

  func scene(_ key: String) throws(CodecError) -> SceneID {
    SceneID(try number(key, upTo: UInt64(SceneID.max)))
  }

  /// One of the texts that an enumeration has.
  func choice<Value: RawRepresentable<String>>(
    _ key: String, of type: Value.Type = Value.self
  ) throws(CodecError) -> Value {
    guard let value = Value(rawValue: try string(key)) else {
      throw error(key, "is not one of the values that docs/PROTOCOL.md lists")
    }
    return value
  }

  func element(_ key: String) throws(CodecError) -> ElementID {
    guard let id = ElementID(try string(key)) else {
      throw error(key, "must be an element id, \"member.number\"")
    }
    return id
  }
}
