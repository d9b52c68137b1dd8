import CPostgres
import EventLogModel

/// One statement with its parameters, all of them binary.
struct Query: Sendable {
  var text: String
  var parameters: [QueryParameter]

  init(_ text: String, _ parameters: QueryParameter...) {
    self.text = text
    self.parameters = parameters
  }
}

/// A value as PostgreSQL's binary format has it.
struct QueryParameter: Sendable {
  /// The type's number in PostgreSQL's catalog.
  let type: UInt32
  let bytes: [UInt8]

  private enum Number {
    static let bytes: UInt32 = 17
    static let integer: UInt32 = 20
    static let text: UInt32 = 25
    static let byteList: UInt32 = 1001
    static let integerList: UInt32 = 1016
  }

  static func integer(_ value: Int64) -> QueryParameter {
    QueryParameter(type: Number.integer, bytes: value.bigEndianBytes)
  }

  static func integer(_ value: Int) -> QueryParameter { integer(Int64(value)) }
  static func bits(_ value: UInt64) -> QueryParameter { integer(Int64(bitPattern: value)) }
  static func revision(_ value: Revision) -> QueryParameter { bits(value.rawValue) }
  static func bytes(_ value: [UInt8]) -> QueryParameter { QueryParameter(type: Number.bytes, bytes: value) }
  static func text(_ value: String) -> QueryParameter {
    QueryParameter(type: Number.text, bytes: Array(value.utf8))
  }

  static func integers(_ values: [Int64]) -> QueryParameter {
    list(values, of: Number.integer, as: Number.integerList) { $0.bigEndianBytes }
  }

  static func byteLists(_ values: [[UInt8]]) -> QueryParameter {
    list(values, of: Number.bytes, as: Number.byteList) { $0 }
  }

  /// An array of one dimension: dimensions, flags, element type, length, lower bound, then each element after
  /// its length.
  private static func list<Element>(
    _ values: [Element], of element: UInt32, as type: UInt32, _ encode: (Element) -> [UInt8]
  ) -> QueryParameter {
    var bytes: [UInt8] = []
    let head = values.isEmpty ? [0, 0, Int32(element)] : [1, 0, Int32(element), Int32(values.count), 1]
    for word in head { bytes += word.bigEndianBytes }
    for value in values {
      let encoded = encode(value)
      bytes += Int32(encoded.count).bigEndianBytes
      bytes += encoded
    }
    return QueryParameter(type: type, bytes: bytes)
  }
}

extension FixedWidthInteger {
  var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

/// The rows that a statement answered with. Columns are read by their place, as integers of 8 bytes, bytes or
/// text.
final class Rows {
  private let result: OpaquePointer

  /// Takes over `result`.
  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  var count: Int { Int(PQntuples(result)) }
  var isEmpty: Bool { count == 0 }

  func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) != 0 }

  /// Zero for a null.
  func integer(_ row: Int, _ column: Int) -> Int64 {
    borrowed(row, column).reduce(0) { $0 << 8 | Int64($1) }
  }

  func unsigned(_ row: Int, _ column: Int) -> UInt64 { UInt64(bitPattern: integer(row, column)) }
  func revision(_ row: Int, _ column: Int) -> Revision { Revision(unsigned(row, column)) }
  func time(_ row: Int, _ column: Int) -> Timestamp { Timestamp(milliseconds: integer(row, column)) }
  func bytes(_ row: Int, _ column: Int) -> [UInt8] { Array(borrowed(row, column)) }
  func text(_ row: Int, _ column: Int) -> String { String(decoding: borrowed(row, column), as: UTF8.self) }

  /// The bytes of a value, good as long as these rows.
  func borrowed(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    guard !isNull(row, column), let value = PQgetvalue(result, Int32(row), Int32(column)) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(result, Int32(row), Int32(column))))
  }
}
