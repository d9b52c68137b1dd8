// One column: numbers that stand one after the other, each with the actor that it belongs to.
//
//   coding  = u8: bits 0 to 2 how the numbers are written, as below; 8: steps; 16: signed; the others zero
//             0  there are none, and no bytes
//             1  `uv` each
//             2  the same as one LZ4 block: uv length unpacked | block
//             3  one code for all: code | bits
//             4  a code for each width of the number before: u8 widths that occur | their codes, the lowest first | bits
//
// Steps: instead of each number the `zz` of its difference from the one before it, modulo 2^64. Signed: the numbers are `zz`
// themselves, and differences are those of the numbers that they stand for. The number *before* is the last one in this column
// of an actor with the same slot (its index modulo 256), 0 at the beginning. Its width is the count of its bits (as an
// unsigned number, `zz` as it is), 7 where it is more. Codes are those of PrefixCode.swift; a number is the code of its symbol
// and then the bits that this leaves out (`Bucket` there).

import EventLogModel

/// How a column is written.
struct ColumnCoding: Hashable {
  enum ColumnForm: UInt8 { case none = 0, plain, packed, code, codes }

  static let slots = 256
  static let widths = 8

  var form: ColumnForm
  var isSteps = false
  var isSigned = false

  var byte: UInt8 { form.rawValue | (isSteps ? 8 : 0) | (isSigned ? 16 : 0) }

  init(form: ColumnForm, isSteps: Bool = false, isSigned: Bool = false) {
    (self.form, self.isSteps, self.isSigned) = (form, isSteps, isSigned)
  }

  init(byte: UInt8, at place: Int) throws(WireError) {
    guard byte < 32, let form = ColumnForm(rawValue: byte & 7) else {
      throw .badField("coding of a column", at: place)
    }
    self.init(form: form, isSteps: byte & 8 != 0, isSigned: byte & 16 != 0)
  }

  @inline(__always) static func width(_ value: UInt64) -> Int { min(64 - value.leadingZeroBitCount, 7) }

  /// What is written for `value` in place of it, after `before`.
  func step(_ value: UInt64, after before: UInt64) -> UInt64 {
    isSigned
      ? zigzag(unzigzag(value) &- unzigzag(before)) : zigzag(Int64(bitPattern: value &- before))
  }

  /// The value of a step.
  @inline(__always) func value(_ step: UInt64, after before: UInt64) -> UInt64 {
    isSigned
      ? zigzag(unzigzag(before) &+ unzigzag(step)) : before &+ UInt64(bitPattern: unzigzag(step))
  }
}

/// Gathers the numbers of a column and writes them in the shortest of the ways above.
struct ColumnWriter {
  private(set) var values: [UInt64] = []
  private var slots: [UInt8] = []
  /// Whether the numbers are `zz`: a guess that only size depends on, taken from the last one.
  private var isSigned = false

  mutating func append(_ value: UInt64, slot: UInt8, isSigned: Bool = false) {
    values.append(value)
    slots.append(slot)
    self.isSigned = isSigned
  }

  /// One way to write the numbers, and how many bytes it takes.
  private struct CodingPlan {
    var coding: ColumnCoding
    var codes: [PrefixCode?] = []
    var bytes = 0
  }

  func encoded() -> (coding: ColumnCoding, bytes: [UInt8]) {
    guard !values.isEmpty else { return (ColumnCoding(form: .none), []) }
    let (widths, steps) = prepared()
    let plain = ColumnCoding(form: .plain, isSigned: isSigned)
    let stepped = ColumnCoding(form: .plain, isSteps: true, isSigned: isSigned)
    let plans = Self.plans(values, widths, plain) + Self.plans(steps, widths, stepped)
    let best = plans.min { $0.bytes < $1.bytes }!
    let numbers = best.coding.isSteps ? steps : values
    let bytes =
      best.coding.form == .plain ? Self.plain(numbers) : Self.coded(numbers, widths, best)
    if let packed = Self.packed(numbers), packed.count < bytes.count {
      return (ColumnCoding(form: .packed, isSteps: best.coding.isSteps, isSigned: isSigned), packed)
    }
    return (best.coding, bytes)
  }

  /// For each number the width of the one before, and its step.
  private func prepared() -> (widths: [UInt8], steps: [UInt64]) {
    let coding = ColumnCoding(form: .plain, isSteps: true, isSigned: isSigned)
    var before = [UInt64](repeating: 0, count: ColumnCoding.slots)
    var (widths, steps) = ([UInt8](), [UInt64]())
    widths.reserveCapacity(values.count)
    steps.reserveCapacity(values.count)
    for (value, slot) in zip(values, slots) {
      widths.append(UInt8(ColumnCoding.width(before[Int(slot)])))
      steps.append(coding.step(value, after: before[Int(slot)]))
      before[Int(slot)] = value
    }
    return (widths, steps)
  }

  private static func plans(_ numbers: [UInt64], _ widths: [UInt8], _ coding: ColumnCoding) -> [CodingPlan] {
    var counts = [UInt32](repeating: 0, count: ColumnCoding.widths * PrefixCode.symbols)
    var (plainBytes, bits) = (0, 0)
    for (number, width) in zip(numbers, widths) {
      let symbol = Bucket.symbol(of: number)
      counts[Int(width) * PrefixCode.symbols + symbol] += 1
      plainBytes += varintLength(number)
      bits += Bucket.bits(after: symbol)
    }
    let groups = (0..<ColumnCoding.widths).map {
      counts[$0 * PrefixCode.symbols..<($0 + 1) * PrefixCode.symbols]
    }
    var all = [UInt32](repeating: 0, count: PrefixCode.symbols)
    for (index, count) in counts.enumerated() { all[index % PrefixCode.symbols] += count }
    return [
      CodingPlan(coding: coding, bytes: plainBytes),
      plan(.code, [all[...]], bits, coding),
      plan(.codes, groups, bits + 8, coding),
    ]
  }

  private static func plan(
    _ form: ColumnCoding.ColumnForm, _ groups: [ArraySlice<UInt32>], _ bits: Int, _ coding: ColumnCoding
  ) -> CodingPlan {
    var plan = CodingPlan(
      coding: ColumnCoding(form: form, isSteps: coding.isSteps, isSigned: coding.isSigned))
    var (bits, table) = (bits, [UInt8]())
    for group in groups {
      guard group.contains(where: { $0 > 0 }) else {
        plan.codes.append(nil)
        continue
      }
      let code = PrefixCode(counts: group)
      code.append(to: &table)
      if !code.isSingle { bits += zip(group, code.lengths).reduce(0) { $0 + Int($1.0) * Int($1.1) } }
      plan.codes.append(code)
    }
    plan.bytes = table.count + (bits + 7) / 8
    return plan
  }

  private static func plain(_ numbers: [UInt64]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(numbers.count * 2)
    for number in numbers { bytes.appendVarint(number) }
    return bytes
  }

  private static func packed(_ numbers: [UInt64]) -> [UInt8]? {
    let bytes = plain(numbers)
    guard let block = LZ4.compress(bytes) else { return nil }
    var packed: [UInt8] = []
    packed.appendVarint(UInt64(bytes.count))
    packed.append(contentsOf: block)
    return packed
  }

  private static func coded(_ numbers: [UInt64], _ widths: [UInt8], _ plan: CodingPlan) -> [UInt8] {
    var bytes: [UInt8] = []
    let isByWidth = plan.coding.form == .codes
    if isByWidth {
      var mask: UInt8 = 0
      for (width, code) in plan.codes.enumerated() where code != nil { mask |= 1 << UInt8(width) }
      bytes.append(mask)
    }
    for code in plan.codes { code?.append(to: &bytes) }
    let codes = plan.codes.map { $0?.codes ?? [] }
    // A single symbol takes no bits.
    let lengths = plan.codes.map { code -> [UInt8] in
      guard let code, !code.isSingle else { return [UInt8](repeating: 0, count: PrefixCode.symbols) }
      return code.lengths
    }
    var writer = BitWriter(after: bytes)
    for (number, width) in zip(numbers, widths) {
      let table = isByWidth ? Int(width) : 0
      let symbol = Bucket.symbol(of: number)
      writer.write(UInt64(codes[table][symbol]), Int(lengths[table][symbol]))
      let more = Bucket.bits(after: symbol)
      let mask: UInt64 = (1 << UInt64(more)) - 1
      writer.write(number & mask, more)
    }
    return writer.finish()
  }
}

/// Reads a column's numbers one by one. Its owner keeps the bytes and the memory alive while it reads.
struct ColumnReader {
  private let coding: ColumnCoding
  private var plain: ByteReader
  private var bits: BitReader
  private let table: PrefixTable
  private let before: UnsafeMutableBufferPointer<UInt64>

  /// - Parameter memory: keeps what has to be unpacked, and the tables.
  init(
    _ coding: ColumnCoding, _ bytes: UnsafeRawBufferPointer, _ memory: UnpackedMemory
  ) throws(WireError) {
    self.coding = coding
    var reader = ByteReader(bytes)
    plain = ByteReader(bytes)
    bits = BitReader(UnsafeRawBufferPointer(start: nil, count: 0))
    let tables = coding.form == .codes ? ColumnCoding.widths : coding.form == .code ? 1 : 0
    table = PrefixTable(codes: tables, in: memory)
    let hasMemory = coding.isSteps || coding.form == .codes
    before = memory.numbers(hasMemory ? ColumnCoding.slots : 0, of: 0)
    switch coding.form {
    case .none: try reader.expectEnd()
    case .plain: break
    case .packed: plain = ByteReader(try memory.unpack(&reader))
    case .code, .codes:
      let widths: UInt8 = coding.form == .codes ? try reader.byte() : 1
      for width in 0..<ColumnCoding.widths where widths & 1 << UInt8(width) != 0 {
        let code = try PrefixCode(reading: &reader)
        table.set(code, at: width)
      }
      bits = BitReader(try reader.readBytes(reader.remaining))
    }
  }

  /// The next number, which belongs to an actor with this slot.
  @inline(__always) mutating func next(_ slot: UInt8) throws(WireError) -> UInt64 {
    let number: UInt64
    switch coding.form {
    case .none: throw .truncated(at: 0)
    case .plain, .packed: number = try plain.varint()
    case .code: number = try coded(0)
    case .codes: number = try coded(ColumnCoding.width(before[Int(slot)]))
    }
    guard !before.isEmpty else { return number }
    let value = coding.isSteps ? coding.value(number, after: before[Int(slot)]) : number
    before[Int(slot)] = value
    return value
  }

  @inline(__always) private mutating func coded(_ width: Int) throws(WireError) -> UInt64 {
    bits.fill()
    let symbol = Int(try table.symbol(width, &bits))
    let more = Bucket.bits(after: symbol)
    guard more > 0 else { return UInt64(symbol) }
    let low = more <= 32 ? try bits.readBits(more) : try bits.read(more)
    return Bucket.base(symbol) | low
  }

  /// Throws unless all numbers were read.
  func expectEnd() throws(WireError) {
    switch coding.form {
    case .none: break
    case .plain, .packed: try plain.expectEnd()
    case .code, .codes: try bits.expectEnd()
    }
  }
}

/// What was unpacked of one payload and the tables to read it with, and how much more may be unpacked.
final class UnpackedMemory {
  private var room: Int
  private var parts: [UnsafeMutableRawBufferPointer] = []

  /// - Parameter room: bytes at most.
  init(room: Int) { self.room = room }

  deinit { for part in parts { part.deallocate() } }

  /// `count` numbers, each of them `value`.
  func numbers<Number: FixedWidthInteger>(
    _ count: Int, of value: Number
  ) -> UnsafeMutableBufferPointer<Number> {
    let stride = MemoryLayout<Number>.stride
    let part = UnsafeMutableRawBufferPointer.allocate(byteCount: count * stride, alignment: stride)
    parts.append(part)
    let numbers = part.bindMemory(to: Number.self)
    numbers.initialize(repeating: value)
    return numbers
  }

  /// uv length unpacked | LZ4 block up to the end.
  func unpack(_ reader: inout ByteReader) throws(WireError) -> UnsafeRawBufferPointer {
    let count = try reader.count("unpacked length", limit: room)
    let block = try reader.readBytes(reader.remaining)
    room -= count
    let part = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    parts.append(part)
    try LZ4.decompress(block, into: part)
    return UnsafeRawBufferPointer(part)
  }
}
