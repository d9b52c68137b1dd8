import BoardroomModel

// Making the values that hold a client's JSON as it came, from values in memory.

extension JSONPatch {
  /// A patch from keys and values; nil removes a key.
  public init(_ fields: [(key: String, value: JSONText?)]) {
    let raw = JSONWriter.object { writer in
      for (key, value) in fields { writer.field(key, value ?? .null) }
    }
    self.init(raw: JSONText(unchecked: raw), fields: fields)
  }

  /// A patch from the text of one JSON object.
  public init(parsing text: [UInt8]) throws(CodecError) {
    self = try JSONFields(text: text[...], limits: JSONLimits(), of: "patch").patch()
  }
}

extension MagixEvent {
  public init(name: String, payload: JSONText) {
    let raw = JSONWriter.object { writer in
      writer.field("event", name)
      writer.field("payload", payload)
    }
    self.init(name: name, payload: payload, raw: JSONText(unchecked: raw))
  }
}

extension ElementPut {
  /// From the text of one JSON object, checked as a command's.
  public init(parsing text: [UInt8]) throws(CodecError) {
    self = try JSONFields(text: text[...], limits: JSONLimits(), of: "elementPut").elementPut()
  }
}

extension JSONText {
  /// Checks that `bytes` are one strict JSON value.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    self = try JSONScanner.scan(bytes, limits: limits).root.text
  }
}
