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

  private static func golden(_ name: String) throws -> [UInt8] {
    let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let path = "/\(folder)/Golden/v1/block-\(name).bin"
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
    return builder.take()!
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
      #expect(block.stored.coding == (name == "full" ? .lz4 : .plain))
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

  @Test("A torn block of version 1 is refused")
  func torn() { #expect(throws: WireError.self) { try Self.read("torn") } }
}
