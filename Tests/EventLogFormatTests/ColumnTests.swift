import EventLogModel
import Testing

@testable import EventLogFormat

@Suite(.timeLimit(.minutes(15))) struct ColumnTests {
  private static func decode(_ payload: [UInt8], _ run: Run) throws -> [UInt8] {
    try payload.withUnsafeBytes {
      try ColumnPayload.decode($0, count: run.count, rawLength: run.records.count)
    }
  }

  @Test(
    "LOG-31: records in columns are read back byte for byte, whatever the bodies are",
    arguments: 0..<60 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
    let count = [1, 2, 3, 17, 300, 1_200][Int(seed % 6)]
    let run = ColumnSamples.run(seed: seed, count: count, actors: seed % 5 == 0 ? 900 : 4)
    for shapes in [ColumnSamples.shapes, [:]] {
      let payload = ColumnPayload.encode(run, shapes: shapes)
      #expect(try Self.decode(payload, run) == run.records)
    }
  }

  @Test("LOG-31: numbers of any size, in any order, are read back", arguments: [false, true])
  func numbers(isSigned: Bool) throws {
    var random = BlockRandom(state: 77)
    var edges: [UInt64] = []
    for shift in 0..<64 as Range<UInt64> {
      let power: UInt64 = 1 << shift
      edges += [power, power - 1, power + 1, UInt64.max - power]
    }
    for count in [1, 2, 40, 900] {
      var writer = ColumnWriter()
      let values = (0..<count).map { _ in
        let edge = edges[Int(random.next() % UInt64(edges.count))]
        return (value: edge, slot: UInt8(truncatingIfNeeded: random.next()))
      }
      for item in values { writer.append(item.value, slot: item.slot, isSigned: isSigned) }
      let column = writer.encoded()
      try column.bytes.withUnsafeBytes { bytes in
        let memory = UnpackedMemory(room: 20 * count)
        defer { withExtendedLifetime(memory) {} }
        var reader = try ColumnReader(try ColumnCoding(byte: column.coding.byte, at: 0), bytes, memory)
        for item in values { #expect(try reader.next(item.slot) == item.value) }
        try reader.expectEnd()
      }
    }
  }

  @Test("LOG-31: a column has the form that is shortest: none, plain, packed, one code, codes by width")
  func forms() {
    func form(_ values: [UInt64], slots: UInt8 = 1) -> ColumnCoding.ColumnForm {
      var writer = ColumnWriter()
      for (index, value) in values.enumerated() {
        writer.append(value, slot: UInt8(truncatingIfNeeded: index) % slots)
      }
      return writer.encoded().coding.form
    }
    var random = BlockRandom(state: 4)
    #expect(form([]) == .none)
    #expect(form([7, 900, 3]) == .plain)
    #expect(form((0..<2_000).map { UInt64($0 * $0 % 11) << 33 }) == .packed)
    #expect(form((0..<2_000).map { _ in random.next() % 9 * (random.next() % 3) }) == .code)
    var large = false
    #expect(
      form(
        (0..<4_000).map { _ in
          if random.next() % 40 == 0 { large.toggle() }
          return large ? 4_000 + random.next() % 50 : random.next() % 2
        }) == .codes)
  }

  @Test(
    "LOG-31: every single changed bit of columns, and every cut, is an error or other records, and never more"
  )
  func flips() throws {
    for (seed, count) in [(3, 1), (8, 6), (5, 14)] as [(UInt64, Int)] {
      let run = ColumnSamples.run(seed: seed, count: count)
      let good = ColumnPayload.encode(run, shapes: ColumnSamples.shapes)
      for index in good.indices {
        for bit in 0..<8 {
          var bad = good
          bad[index] ^= 1 << bit
          if let bytes = try? Self.decode(bad, run) { #expect(bytes.count == run.records.count) }
        }
        #expect(throws: WireError.self) { try Self.decode(Array(good[..<index]), run) }
      }
      #expect(throws: WireError.self) { try Self.decode(good + [0], run) }
    }
  }

  @Test(
    "LOG-31: hostile columns never trap, hang or give more than the header says",
    arguments: 0..<40 as Range<UInt64>)
  func hostile(seed: UInt64) throws {
    var random = BlockRandom(state: seed &* 31)
    let run = ColumnSamples.run(seed: seed, count: 200)
    let good = ColumnPayload.encode(run, shapes: ColumnSamples.shapes)
    for round in 0..<200 {
      var bad = good
      for _ in 0...round % 5 {
        let place = Int(random.next() % UInt64(round % 2 == 0 ? bad.count : min(bad.count, 120)))
        bad[place] = UInt8(truncatingIfNeeded: random.next())
      }
      if round % 7 == 0 { bad.removeLast(Int(random.next() % UInt64(bad.count))) }
      if round % 11 == 0 { bad = (0..<round).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
      let count = round % 3 == 0 ? Int(random.next() % 5_000) : run.count
      let length = round % 4 == 0 ? Int(random.next() % 200_000) : run.records.count
      let bytes = try? bad.withUnsafeBytes { try ColumnPayload.decode($0, count: count, rawLength: length) }
      if let bytes { #expect(bytes.count == length) }
    }
  }

  @Test("LOG-31: a count of values without end costs no more than the records' length")
  func endlessCount() throws {
    // One record: form 0, of kind 1: count, many; the column of values is one code with one symbol, which takes no bits.
    let shape = ShapeSteps(BodyShape([.count(0), .many(1, signed: false, lead: 1, mask: 0)]))
    var payload: [UInt8] = [1, 0, 1, 1, UInt8(shape.encoded.count)] + shape.encoded
    var count: [UInt8] = []
    count.appendVarint(.max)
    payload += [6, 1, 1, 1, 1, 1, 1, 0, 0, 1, UInt8(count.count), 3, 2, 0, 0]
    payload += [0, 0, 0] + count + [0, 1]
    for length in [20, 4_096, 1 << 20] {
      #expect(throws: WireError.badField("records length", at: 36)) {
        try payload.withUnsafeBytes { try ColumnPayload.decode($0, count: 1, rawLength: length) }
      }
    }
  }

  @Test("LOG-31: a block whose records are put into columns stays the same block in everything but its bytes")
  func block() throws {
    let run = ColumnSamples.run(seed: 1, count: 900)
    let whole = Block(sealing: run, of: BlockTests.log, after: Chain.origin, isOpen: false)
    let packed = try #require(Block(columnsOf: whole, run, shapes: ColumnSamples.shapes))
    #expect(packed.codec == .columns)
    #expect(packed.encodedLength < whole.encodedLength)
    #expect(packed.chain == whole.chain)
    #expect(packed.encoded.count == packed.encodedLength)
    let again = try BlockTests.read(packed.encoded)
    #expect(again == packed)
    #expect(try again.unpacked(after: Chain.origin) == (run, true))
    let stored = try again.stored()
    #expect(stored.coding == .lz4)
    #expect(stored.bytes == whole.payload)
    // Packed again nothing gets shorter.
    #expect(Block(columnsOf: packed, run, shapes: ColumnSamples.shapes) == nil)
    let open = Block(sealing: run, of: BlockTests.log, after: Chain.origin, isOpen: true)
    #expect(Block(columnsOf: open, run, shapes: ColumnSamples.shapes) == nil)
  }

  @Test(
    "LOG-31: a block some of whose records were erased can be in columns, and stays proved by what they were")
  func erased() throws {
    let was = ColumnSamples.run(seed: 2, count: 700)
    let left = Run(first: was.first, count: was.count, base: was.base, last: was.last, records: was.records)
    let whole = Block(sealing: was, of: BlockTests.log, after: Chain.origin, isOpen: false)
    let erased = Block(erasing: whole, of: was, leaving: left)
    let packed = try #require(Block(columnsOf: erased, left, shapes: [:]))
    let again = try BlockTests.read(packed.encoded)
    #expect(again == packed)
    #expect(again.originalDigest != nil)
    #expect(again.chain == whole.chain)
    #expect(try again.unpacked(after: Chain.origin) == (left, true))
  }

  @Test("LOG-31: every single changed bit of a block in columns is found")
  func flippedBlock() throws {
    let run = ColumnSamples.run(seed: 6, count: 60)
    let whole = Block(sealing: run, of: BlockTests.log, after: Chain.origin, isOpen: false)
    let good = try #require(Block(columnsOf: whole, run, shapes: ColumnSamples.shapes)).encoded
    for index in good.indices {
      for bit in 0..<8 {
        var bad = good
        bad[index] ^= 1 << bit
        #expect(throws: WireError.self) { try BlockTests.read(bad) }
      }
    }
  }

  @Test("LOG-31: a code has at most 11 bits, fills them, and is read back from its table")
  func codes() throws {
    var random = BlockRandom(state: 3)
    var fibonacci: [UInt32] = [1, 1]
    while fibonacci.count < 40 {
      fibonacci.append(fibonacci[fibonacci.count - 1] + fibonacci[fibonacci.count - 2])
    }
    var all: [[UInt32]] = [[5], [0, 5], [1, 1], fibonacci, fibonacci.reversed()]
    all.append([UInt32](repeating: 1, count: 256))
    all.append([UInt32](repeating: 0, count: 255) + [1])
    for size in 2..<256 {
      all.append((0..<size).map { _ in random.next() % 3 == 0 ? 0 : UInt32(random.next() % 5_000) } + [1])
    }
    for counts in all {
      let code = PrefixCode(counts: counts)
      let used = counts.filter { $0 > 0 }.count
      let room = code.lengths.reduce(0) { $0 + ($1 == 0 ? 0 : 2_048 >> Int($1)) }
      #expect(room == (used == 1 ? 1_024 : 2_048), "\(counts)")
      for (symbol, count) in counts.enumerated() { #expect((code.lengths[symbol] > 0) == (count > 0)) }
      var bytes: [UInt8] = []
      code.append(to: &bytes)
      let again = try bytes.withUnsafeBytes { raw -> PrefixCode in
        var reader = ByteReader(raw)
        let code = try PrefixCode(reading: &reader)
        try reader.expectEnd()
        return code
      }
      #expect(again.lengths == code.lengths)
    }
  }

  @Test("LOG-31: shapes are read back from their bytes; what is no shape is refused")
  func shapes() throws {
    func read(_ bytes: [UInt8]) throws -> ShapeSteps {
      try bytes.withUnsafeBytes { try ShapeSteps(reading: $0) }
    }
    for shape in ColumnSamples.shapes.values {
      let steps = ShapeSteps(shape)
      #expect(try read(steps.encoded) == steps)
    }
    let bad: [[UInt8]] = [
      [0], [10], [1], [1, 60], [6, 1, 1], [8, 1, 1, 1], [8, 1, 1, 2, 1, 1], [9, 1, 1], [9, 9],
      Array([[UInt8]](repeating: [1, 1], count: 65).joined()),
    ]
    for bytes in bad { #expect(throws: WireError.self, "\(bytes)") { try read(bytes) } }
  }
}
