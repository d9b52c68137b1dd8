import EventLogFormat
import EventLogModel
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Blocks of format version 1, written by a program that shares no code with this one. They never change.
@Suite struct BlockGoldenTests {
  private static let log = LogID(high: 0x1011_1213_1415_1617, low: 0x1819_1A1B_1C1D_1E1F)
  private static let base = Timestamp(milliseconds: 1_700_000_000_000)

  private static func golden(_ name: String, version: Int = 1) throws -> [UInt8] {
    let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let path = "/\(folder)/Golden/v\(version)/block-\(name).bin"
    let file = try #require(fopen(path, "rb"), "\(path)")
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
  }

  private static func record(_ kind: UInt8, _ offset: Int64, _ actor: UInt64, _ body: [UInt8]) -> Record {
    Record(kind: kind, time: Timestamp(milliseconds: base.milliseconds + offset), actor: actor, body: body)
  }

  private static func run(_ first: Revision, base: Timestamp, _ records: [Record]) -> Run {
    var builder = RunBuilder(first: first, base: base)
    for record in records { builder.append(record) }
    return builder.takeRun()!
  }

  private static let minimal = run(1, base: base, [record(5, 3, 0, Array("hi".utf8))])
  private static let full = run(
    2, base: base + .milliseconds(3),
    (0..<200).map { index in
      let words = String(repeating: "stroke segment \(index % 5) ", count: index % 4)
      return record(UInt8(index % 9), 10 + Int64(index) * 7, UInt64(index), Array(words.utf8))
    })
  private static let unknownKinds = run(
    202, base: base + .milliseconds(10 + 199 * 7),
    [record(255, 5_000, 1 << 40, [0, 255, 0, 255, 0, 255]), record(200, 5_000, 1, [])])

  private static func read(_ name: String) throws -> Block {
    try golden(name).withUnsafeBytes { try Block(reading: $0) }
  }

  @Test("Blocks of version 1 give the records that were put into them, and chain")
  func read() throws {
    var chain = Chain.origin
    for (name, run) in [
      ("minimal", Self.minimal), ("full", Self.full), ("unknown-kinds-open", Self.unknownKinds),
    ] {
      let block = try Self.read(name)
      #expect(block.log == Self.log, "\(name)")
      #expect(try block.unpacked() == run, "\(name)")
      chain = Chain.value(after: chain, log: Self.log, run: run)
      #expect(block.chain == chain, "\(name)")
      #expect(block.isOpen == (name == "unknown-kinds-open"))
      #expect(block.codec == (name == "full" ? .lz4 : .plain))
    }
  }

  @Test("Plain blocks are written byte for byte as those of version 1")
  func write() throws {
    let minimal = Block(sealing: Self.minimal, of: Self.log, after: Chain.origin, isOpen: false)
    #expect(minimal.encoded == (try Self.golden("minimal")))
    let full = try Self.read("full")
    #expect(full.encoded == (try Self.golden("full")))
    let open = Block(sealing: Self.unknownKinds, of: Self.log, after: full.chain, isOpen: true)
    #expect(open.encoded == (try Self.golden("unknown-kinds-open")))
  }

  @Test(
    "LOG-29: a block of version 2 is chained by what its records were, and is written byte for byte as the sample"
  )
  func erased() throws {
    let bytes = try Self.golden("erased", version: 2)
    let block = try bytes.withUnsafeBytes { try Block(reading: $0) }
    func run(_ second: Record) -> Run {
      Self.run(1, base: Self.base, [Self.record(5, 3, 0, Array("hi".utf8)), second])
    }
    let was = run(Self.record(5, 7, 7, Array("what is to be erased".utf8)))
    let left = run(Self.record(67, 7, 7, Array("\0{}".utf8)))
    #expect(try block.unpacked() == left)
    let whole = Block(sealing: was, of: Self.log, after: Chain.origin, isOpen: false)
    #expect(block.chain == whole.chain)
    #expect(block.chainValue(after: Chain.origin, run: left) == whole.chain)
    #expect(Block(erasing: whole, of: was, leaving: left).encoded == bytes)
  }

  /// Record `index` of the sample in columns: numbers in a shape, a number and text, or text.
  private static func columnBody(_ index: Int) -> (kind: UInt8, body: [UInt8]) {
    var body: [UInt8] = []
    switch index % 4 {
    case 1:
      body.appendVarint(UInt64(index + 1))
      return (2, body + Array("{\"x\":\(index),\"y\":\(index * index)}".utf8))
    case 2: return (7, Array("seven \(index)".utf8))
    default: break
    }
    let (flags, count) = (index * 5 % 8, index % 4)
    body.appendVarint(UInt64(index + 1))
    body.append(UInt8(flags))
    if flags & 1 != 0 {
      body.append(UInt8(index % 3))
      body.appendZigzag(Int64(index * 1_000 - 9_000))
    }
    body.appendVarint(UInt64(count))
    for place in 0..<count { body.appendZigzag(Int64(index * place % 9 - 4)) }
    for place in 0..<count { body.appendVarint(UInt64(16 + (index + place) % 3)) }
    if flags & 4 == 0 { body += [UInt8](repeating: UInt8(ascii: "r"), count: index % 5) }
    return (1, body)
  }

  @Test("LOG-31: a block in columns, of every form, gives the records that were put into it, and chains")
  func columns() throws {
    let bytes = try Self.golden("columns", version: 2)
    let block = try bytes.withUnsafeBytes { try Block(reading: $0) }
    var offset: Int64 = 3
    let run = Self.run(
      2, base: Self.base + .milliseconds(3),
      (0..<60).map { index in
        let (kind, body) = Self.columnBody(index)
        offset += Int64(index * 37 % 50)
        return Self.record(kind, offset, [0, 5, 300][index % 3], body)
      })
    #expect(block.codec == .columns)
    #expect(block.encoded == bytes)
    #expect(try block.unpacked() == run)
    let before = try Self.read("minimal").chain
    #expect(try block.unpacked(after: before) == (run, true))
    #expect(try block.stored().unpacked() == run)
  }

  @Test("A torn block of version 1 is refused")
  func torn() { #expect(throws: WireError.self) { try Self.read("torn") } }
}
