import BoardroomCodec
import EventLogModel
import Testing

/// Made with lz4 4.4.5 for Python: `lz4.block.compress(plain, store_size=False)`.
private let blocks: [(packed: String, plain: [UInt8])] = [
  ("00", []),
  ("1061", Array("a".utf8)),
  ("3f616263030009506263616263", Array(String(repeating: "abc", count: 12).utf8)),
  ("1f000100ff14500000000000", Array(repeating: 0, count: 300)),
  ("bf0007030a060209050108040b00a5500108040007", (0..<200).map { UInt8($0 * 7 % 11) }),
  (
    "f0194420823cfde6f1c26b30f90ec7dd01e4887534a20f0b0d04c36ed80e71e0fd77b07670eb940b"
      + "d533",
    unhex("4420823cfde6f1c26b30f90ec7dd01e4887534a20f0b0d04c36ed80e71e0fd77b07670eb940bd533")
  ),
  (
    "b30101000308000005010101080013020800130308001304080013050800130608001307080013080800130908"
      + "00130a0800130b0800130c0800130d0800130e0800130f08001310080013110800131208001313080013140800"
      + "1315080013160800131708001318080013190800131a0800131b0800131c0800131d0800131e0800131f080013"
      + "20080013210800132208001323080013240800132508001326080060270308000005",
    (0..<40).flatMap { [1, 1, UInt8($0), 3, 8, 0, 0, 5] }
  ),
]

@Suite struct LZ4BlockTests {
  @Test(
    "Blocks of the reference program unpack",
    arguments: blocks)
  func vectors(_ packed: String, _ plain: [UInt8]) throws {
    #expect(try LZ4Block.decompress(unhex(packed), count: plain.count) == plain)
  }

  @Test(
    "A block that is cut off, overlong or points outside is refused",
    arguments: [
      ([], 0, .truncated(at: 0)),
      ([0x00], 1, .truncated(at: 1)),
      ([0x10], 1, .truncated(at: 1)),
      ([0x20, 1, 2], 1, .badField("LZ4 literals", at: 1)),
      ([0x10, 7, 0, 0, 0], 8, .badField("LZ4 offset", at: 2)),
      ([0x10, 7, 2, 0, 0], 8, .badField("LZ4 offset", at: 2)),
      ([0x10, 7, 1], 8, .truncated(at: 3)),
      ([0x10, 7, 1, 0, 0], 4, .badField("LZ4 match", at: 2)),
      ([0x1f, 7, 1, 0], 64, .truncated(at: 4)),
      ([0xf0, 255, 255], 8, .badField("LZ4 length", at: 1)),
      ([0x10, 7, 1, 0, 0x00], 6, .truncated(at: 5)),
      ([0x00], 4_000_000, .truncated(at: 1)),
      ([0x00], -1, .badField("raw length", at: 0)),
    ] as [([UInt8], Int, WireError)])
  func refused(_ bytes: [UInt8], _ count: Int, _ error: WireError) {
    #expect(throws: error) { try LZ4Block.decompress(bytes, count: count) }
  }

  @Test("Mutated blocks and random bytes give exactly the bytes asked for, or an error")
  func fuzz() {
    var chance = Chance(99)
    for _ in 0..<20_000 {
      let (packed, plain) = chance.pick(blocks)
      let bytes = chance.coin() ? chance.mutate(unhex(packed)) : chance.blob(60)
      let count = chance.coin() ? plain.count : chance.upTo(600)
      guard let out = try? LZ4Block.decompress(bytes, count: count) else { continue }
      #expect(out.count == count)
    }
  }
}
