import EventLogFormat
import EventLogModel
import Testing

@Suite struct BlockTests {
  static let log = LogID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)

  /// A run of `count` records with bodies of a few repeating words, so that LZ4 finds something.
  static func run(first: Revision = 1, count: Int, seed: UInt64 = 1) -> Run {
    var random = BlockRandom(state: seed)
    var builder = RunBuilder(first: first)
    var time: Int64 = 1_700_000_000_000
    for _ in 0..<count {
      time += Int64(random.next() % 50)
      let word = UInt8(random.next() % 7)
      let body = [UInt8](repeating: word, count: Int(random.next() % 40)) + [UInt8(random.next() % 256)]
      builder.append(
        Record(
          kind: UInt8(random.next() % 9), time: Timestamp(milliseconds: time), actor: random.next() % 300,
          body: body))
    }
    return builder.takeRun()!
  }

  static func block(_ run: Run, isOpen: Bool = false) -> Block {
    Block(sealing: run, of: log, after: Chain.origin, isOpen: isOpen)
  }

  static func read(_ bytes: [UInt8]) throws -> Block { try bytes.withUnsafeBytes { try Block(reading: $0) } }

  @Test(
    "A block read back is the block that was written, and its records are those that were sealed",
    arguments: [1, 2, 17, 900])
  func roundTrip(count: Int) throws {
    for isOpen in [false, true] {
      let run = Self.run(first: 41, count: count, seed: UInt64(count))
      let block = Self.block(run, isOpen: isOpen)
      let again = try Self.read(block.encoded)
      #expect(again == block)
      #expect(try again.unpacked() == run)
      #expect(again.isOpen == isOpen)
      #expect(again.last == run.lastRevision)
    }
  }

  @Test("Records that LZ4 cannot shorten are stored plain")
  func plainWhenLonger() throws {
    var random = BlockRandom(state: 5)
    var builder = RunBuilder(first: 1)
    builder.append(
      Record(
        kind: 1, time: Timestamp(milliseconds: 9), actor: 0,
        body: (0..<300).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }))
    let block = Self.block(builder.takeRun()!)
    #expect(block.codec == .plain)
    #expect(try Self.read(block.encoded).unpacked().count == 1)
    #expect(Self.block(Self.run(count: 400)).codec == .lz4)
  }

  @Test("Every single changed bit of a block is found", arguments: [1, 60])
  func everyFlippedBitIsFound(count: Int) throws {
    let good = Self.block(Self.run(count: count)).encoded
    for index in good.indices {
      for bit in 0..<8 {
        var bad = good
        bad[index] ^= 1 << bit
        #expect(throws: WireError.self, "bit \(bit) of byte \(index)") { try Self.read(bad) }
      }
    }
  }

  @Test("Every byte of a block replaced by every other value is found")
  func everyChangedByteIsFound() throws {
    let good = Self.block(Self.run(count: 3)).encoded
    for index in good.indices {
      for value in UInt8.min...UInt8.max where value != good[index] {
        var bad = good
        bad[index] = value
        #expect(throws: WireError.self, "byte \(index) = \(value)") { try Self.read(bad) }
      }
    }
  }

  @Test("A block cut short or with bytes added is refused, at every length")
  func wrongLengths() {
    let good = Self.block(Self.run(count: 20)).encoded
    for length in 0..<good.count {
      #expect(throws: WireError.self) { try Self.read(Array(good[..<length])) }
    }
    #expect(throws: WireError.self) { try Self.read(good + [0]) }
  }

  @Test(
    "A well-checksummed block with a field that this version does not know is refused",
    arguments: [4, 5, 6, 7, 44, 100, 123])
  func unknownFields(offset: Int) {
    var bytes = Self.block(Self.run(count: 4)).encoded
    bytes[offset] |= 0x40
    bytes.replaceSubrange(124..<128, with: [0, 0, 0, 0])
    let checksum = CRC32C.of(Array(bytes[128...]), seed: CRC32C.of(Array(bytes[..<124])))
    for index in 0..<4 { bytes[124 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index))) }
    #expect(throws: WireError.self) { try Self.read(bytes) }
  }

  @Test("The chain value depends on every field and on the value before")
  func chainDependsOnAll() {
    let run = Self.run(count: 5)
    let base = Chain.value(after: Chain.origin, log: Self.log, run: run)
    #expect(base.count == Chain.byteCount)
    var others: [[UInt8]] = [base]
    others.append(Chain.value(after: base, log: Self.log, run: run))
    others.append(Chain.value(after: Chain.origin, log: LogID(high: 1, low: 2), run: run))
    for change in 0..<5 {
      var records = run.records
      if change == 4 { records[records.count - 1] ^= 1 }
      let changed = Run(
        first: change == 0 ? run.first.next : run.first, count: run.count + (change == 1 ? 1 : 0),
        base: change == 2 ? run.base + .milliseconds(1) : run.base,
        last: change == 3 ? run.last + .milliseconds(1) : run.last, records: records)
      others.append(Chain.value(after: Chain.origin, log: Self.log, run: changed))
    }
    #expect(Set(others).count == others.count)
  }

  @Test(
    "Cut pieces are at most the limit, begin where the last ended, and joined give the run",
    arguments: [40, 100, 1_000, 100_000])
  func cutting(limit: Int) {
    let run = Self.run(first: 7, count: 700, seed: 3)
    let pieces = run.cut(limit: limit)
    for piece in pieces {
      #expect(piece.records.count <= limit || piece.count == 1)
    }
    for (left, right) in zip(pieces, pieces.dropFirst()) {
      #expect(left.lastRevision.next == right.first)
      #expect(left.last == right.base)
      #expect(left.records.count + right.records.count > limit)
    }
    #expect(pieces.flatMap(\.unpacked) == run.unpacked)
    #expect(pieces.flatMap(\.records) == run.records)
    #expect(pieces.last?.last == run.last)
  }

  @Test("A record over the limit is a piece of its own")
  func longRecord() {
    var builder = RunBuilder(first: 1)
    for size in [10, 500, 10, 10] {
      builder.append(Record(kind: 1, time: .zero, actor: 0, body: [UInt8](repeating: 1, count: size)))
    }
    #expect(builder.takeRun()!.cut(limit: 100).map(\.count) == [1, 1, 2])
  }

  @Test("Unpacking hostile LZ4 never gives a wrong length and never traps")
  func hostileLZ4() throws {
    let records = Self.run(count: 200).records
    let packed = try #require(LZ4.compress(records))
    #expect(try packed.withUnsafeBytes { try LZ4.decompress($0, count: records.count) } == records)
    for count in [0, 1, records.count - 1, records.count + 1, records.count * 2] {
      #expect(throws: WireError.self) { try packed.withUnsafeBytes { try LZ4.decompress($0, count: count) } }
    }
    var random = BlockRandom(state: 11)
    for _ in 0..<2_000 {
      var bad = packed
      for _ in 0..<3 { bad[Int(random.next() % UInt64(bad.count))] = UInt8(random.next() % 256) }
      let result = try? bad.withUnsafeBytes { try LZ4.decompress($0, count: records.count) }
      #expect(result == nil || result?.count == records.count)
    }
  }

  @Test("A piece read under another seed, or with any bit changed, is refused")
  func pieces() throws {
    for bytes in [[], [1], [UInt8](repeating: 7, count: 300)] as [[UInt8]] {
      let piece = Piece.encode(bytes, seed: 9)
      #expect(try piece.withUnsafeBytes { try Piece.decode($0, seed: 9) } == bytes)
      #expect(throws: WireError.self) { try piece.withUnsafeBytes { try Piece.decode($0, seed: 8) } }
      for index in piece.indices {
        for bit in 0..<8 {
          var bad = piece
          bad[index] ^= 1 << bit
          #expect(throws: WireError.self) { try bad.withUnsafeBytes { try Piece.decode($0, seed: 9) } }
        }
      }
    }
  }
}

/// SplitMix64.
struct BlockRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
