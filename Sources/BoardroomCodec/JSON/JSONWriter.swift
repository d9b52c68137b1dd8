import BoardroomModel
import EventLogModel

/// Writes JSON without spaces, in the order of the calls.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  init() {}
  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  /// Writes behind what `bytes` holds, without a copy of it.
  static func append(to bytes: inout [UInt8], _ body: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    swap(&writer.bytes, &bytes)
    body(&writer)
    swap(&writer.bytes, &bytes)
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  private mutating func open(_ byte: UInt8) {
    separate()
    bytes.append(byte)
    needsComma = false
  }

  private mutating func close(_ byte: UInt8) {
    bytes.append(byte)
    needsComma = true
  }

  mutating func object(_ body: (inout JSONWriter) -> Void) {
    open(UInt8(ascii: "{"))
    body(&self)
    close(UInt8(ascii: "}"))
  }

  mutating func array(_ body: (inout JSONWriter) -> Void) {
    open(UInt8(ascii: "["))
    body(&self)
    close(UInt8(ascii: "]"))
  }

  mutating func key(_ name: String) {
    separate()
    bytes.appendJSONString(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  mutating func null() { raw("null".utf8) }
  mutating func value(_ text: String) {
    separate()
    bytes.appendJSONString(text)
  }
  mutating func value(_ number: UInt64) {
    separate()
    bytes.appendDecimal(number)
  }
  mutating func value(_ number: Int64) {
    separate()
    bytes.appendDecimal(number)
  }
  mutating func value(_ flag: Bool) { raw(flag ? "true".utf8 : "false".utf8) }

  /// Checked JSON text, as it is.
  mutating func raw(_ text: some Sequence<UInt8>) {
    separate()
    bytes.append(contentsOf: text)
  }

  // MARK: Fields

  mutating func field(_ name: String, _ text: String) {
    key(name)
    value(text)
  }
  mutating func field(_ name: String, _ text: String?) {
    if let text { field(name, text) }
  }
  mutating func field(_ name: String, _ number: UInt64) {
    key(name)
    value(number)
  }
  mutating func field(_ name: String, _ number: Int64) {
    key(name)
    value(number)
  }
  mutating func field(_ name: String, _ number: some FixedWidthInteger) { field(name, Int64(number)) }
  mutating func field(_ name: String, _ number: Int?) {
    if let number { field(name, Int64(number)) }
  }
  mutating func field(_ name: String, _ flag: Bool) {
    key(name)
    value(flag)
  }
  mutating func field(_ name: String, _ text: JSONText?) {
    guard let text else { return }
    key(name)
    raw(text.bytes)
  }
  mutating func field(_ name: String, _ revision: Revision) { field(name, revision.rawValue) }
  mutating func field(_ name: String, _ time: Timestamp) { field(name, time.milliseconds) }
  mutating func field(_ name: String, _ duration: Duration) { field(name, duration.wholeMilliseconds) }
  mutating func field(_ name: String, _ body: (inout JSONWriter) -> Void) {
    key(name)
    object(body)
  }
  mutating func list<Items: Sequence>(
    _ name: String, _ items: Items, _ body: (inout JSONWriter, Items.Element) -> Void
  ) {
    key(name)
    array { writer in
      for item in items { body(&writer, item) }
    }
  }

  /// One object and nothing else.
  static func object(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.object(body)
    return writer.bytes
  }
}
