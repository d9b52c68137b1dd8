// A body's shape (`BodyShape`) as steps, one after the other, and as bytes:
//
//   step = 1 column                    unsigned
//          2 column                    signed
//          3 column                    byte
//          4 column                    flags
//          5 column                    count
//          6 column | lead | mask      many unsigned
//          7 column | lead | mask      many signed
//          8 mask | bits | u8 n        when: else the next n steps are left out
//          9                           rest; nothing follows it
//
// Each number is one byte. No step is left out beyond the end.

import EventLogModel

/// One step of reading or writing a body.
enum ShapeStep: Hashable {
  case unsigned(Int)
  case signed(Int)
  case byte(Int)
  case flags(Int)
  case count(Int)
  case many(Int, isSigned: Bool, lead: Int, mask: UInt8)
  case when(mask: UInt8, bits: UInt8, steps: Int)
  case rest
}

/// A shape's steps.
struct ShapeSteps: Hashable {
  let steps: [ShapeStep]

  init(_ shape: BodyShape) { steps = Self.steps(of: shape.fields) }

  private static func steps(of fields: [BodyShape.ShapeField]) -> [ShapeStep] {
    fields.flatMap { field -> [ShapeStep] in
      switch field {
      case .unsigned(let column): [.unsigned(Int(column))]
      case .signed(let column): [.signed(Int(column))]
      case .byte(let column): [.byte(Int(column))]
      case .flags(let column): [.flags(Int(column))]
      case .count(let column): [.count(Int(column))]
      case .many(let column, let isSigned, let lead, let mask):
        [.many(Int(column), isSigned: isSigned, lead: Int(lead), mask: mask)]
      case .when(let mask, let bits, let inner):
        [.when(mask: mask, bits: bits, steps: steps(of: inner).count)] + steps(of: inner)
      case .rest: [.rest]
      }
    }
  }

  var encoded: [UInt8] {
    steps.flatMap { step -> [UInt8] in
      switch step {
      case .unsigned(let column): [1, UInt8(column)]
      case .signed(let column): [2, UInt8(column)]
      case .byte(let column): [3, UInt8(column)]
      case .flags(let column): [4, UInt8(column)]
      case .count(let column): [5, UInt8(column)]
      case .many(let column, let isSigned, let lead, let mask):
        [isSigned ? 7 : 6, UInt8(column), UInt8(lead), mask]
      case .when(let mask, let bits, let steps): [8, mask, bits, UInt8(steps)]
      case .rest: [9]
      }
    }
  }

  init(reading bytes: UnsafeRawBufferPointer) throws(WireError) {
    var reader = ByteReader(bytes)
    var steps: [ShapeStep] = []
    /// The steps that a `when` may leave out up to.
    var furthest = 0
    while !reader.isAtEnd {
      let at = reader.position
      guard steps.count < BodyShape.mostFields, steps.last != .rest else { throw .badField("shape", at: at) }
      switch try reader.byte() {
      case 1: steps.append(.unsigned(try Self.column(&reader)))
      case 2: steps.append(.signed(try Self.column(&reader)))
      case 3: steps.append(.byte(try Self.column(&reader)))
      case 4: steps.append(.flags(try Self.column(&reader)))
      case 5: steps.append(.count(try Self.column(&reader)))
      case let tag where tag == 6 || tag == 7:
        let (column, lead) = (try Self.column(&reader), try Self.column(&reader))
        steps.append(.many(column, isSigned: tag == 7, lead: lead, mask: try reader.byte()))
      case 8:
        let (mask, bits) = (try reader.byte(), try reader.byte())
        let count = Int(try reader.byte())
        steps.append(.when(mask: mask, bits: bits, steps: count))
        furthest = max(furthest, steps.count + count)
      case 9: steps.append(.rest)
      default: throw .badField("shape", at: at)
      }
    }
    guard furthest <= steps.count else { throw .badField("shape", at: reader.position) }
    self.steps = steps
  }

  private static func column(_ reader: inout ByteReader) throws(WireError) -> Int {
    let at = reader.position
    let column = try reader.byte()
    guard column < BodyShape.columns else { throw .badField("column of a shape", at: at) }
    return Int(column)
  }
}

extension ShapeSteps {
  /// A number of a body, and the column that it goes into.
  typealias ColumnNumber = (column: Int, value: UInt64, isSigned: Bool)

  /// Takes a body apart: its numbers into `parts`, in order; the answer is where its rest begins, nil where the shape has
  /// none. False if the body is not of the shape; then `parts` means nothing.
  func split(_ body: UnsafeRawBufferPointer, into parts: inout [ColumnNumber]) -> (rest: Int?, fits: Bool) {
    parts.removeAll(keepingCapacity: true)
    var reader = ByteReader(body)
    do throws(WireError) {
      guard try read(&reader, &parts) else { return (nil, reader.isAtEnd) }
      return (reader.position, true)
    } catch {
      return (nil, false)
    }
  }

  private func read(_ reader: inout ByteReader, _ parts: inout [ColumnNumber]) throws(WireError) -> Bool {
    var (flags, count, index) = (UInt8(0), UInt64(0), 0)
    while index < steps.count {
      switch steps[index] {
      case .unsigned(let column): parts.append((column, try reader.varint(), false))
      case .signed(let column): parts.append((column, try reader.varint(), true))
      case .byte(let column): parts.append((column, UInt64(try reader.byte()), false))
      case .flags(let column):
        flags = try reader.byte()
        parts.append((column, UInt64(flags), false))
      case .count(let column):
        count = try reader.varint()
        parts.append((column, count, false))
      case .many(let column, let isSigned, let lead, let mask):
        guard count <= UInt64(reader.remaining) else { throw .truncated(at: reader.position) }
        for place in 0..<count {
          let isLead = place == 0 && flags & mask != 0
          parts.append((isLead ? lead : column, try reader.varint(), isSigned))
        }
      case .when(let mask, let bits, let steps): if flags & mask != bits { index += steps }
      case .rest: return true
      }
      index += 1
    }
    return false
  }
}
