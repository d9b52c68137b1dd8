import BoardroomCodec
import BoardroomModel
import EventLogModel

/// What a client says on a fresh WebSocket, and how the server must answer. Behind it comes a good close frame, so that
/// every case ends with one of the server's.
struct FrameCase: Sendable {
  var name: String
  var bytes: [UInt8]
  /// 1000: nothing was wrong; 1002: the frames; 1007: the text; 1008: the frames are good, their message is none.
  var closes: UInt16
  /// What the server's pongs say, in order.
  var pongs: [[UInt8]] = []
  var subprotocol = Subprotocol.json

  // MARK: Frames

  enum Form: CaseIterable { case short, word, long }

  /// A frame of any kind, also of one that may not be.
  static func frame(
    _ opcode: UInt8, _ payload: [UInt8] = [], fin: Bool = true, rsv: UInt8 = 0, form: Form? = nil,
    length: UInt64? = nil, isMasked: Bool = true
  ) -> [UInt8] {
    let count = length ?? UInt64(payload.count)
    var bytes = [(fin ? 0x80 : 0) | rsv << 4 | opcode]
    let mark: UInt8 = isMasked ? 0x80 : 0
    switch form ?? (count < 126 ? .short : count < 65_536 ? .word : .long) {
    case .short: bytes.append(mark | UInt8(count))
    case .word: bytes += [mark | 126, UInt8(count >> 8 & 255), UInt8(count & 255)]
    case .long:
      bytes += [mark | 127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> UInt64(56 - 8 * $0)) }
    }
    guard isMasked else { return bytes + payload }
    let mask: [UInt8] = [7, 77, 177, 200]
    return bytes + mask + payload.enumerated().map { $0.element ^ mask[$0.offset % 4] }
  }

  static func closing(_ code: UInt16?, _ reason: [UInt8] = []) -> [UInt8] {
    frame(8, (code.map { [UInt8($0 >> 8), UInt8($0 & 255)] } ?? []) + reason)
  }

  // MARK: Families

  static let all: [(family: String, cases: [FrameCase])] = [
    ("first bytes", firstBytes), ("masks", masks), ("lengths", lengths), ("closes", closes),
    ("text", texts), ("fragments", fragments), ("messages", messages),
  ]

  /// Every opcode with every reserved bit, as a whole frame and as a piece of one.
  static let firstBytes: [FrameCase] = (0..<16 as Range<UInt8>).flatMap { opcode in
    (0..<8 as Range<UInt8>).flatMap { rsv in
      [true, false].map { fin in
        FrameCase(
          name: "opcode \(opcode), reserved bits \(rsv), \(fin ? "final" : "not final")",
          bytes: frame(opcode, fin: fin, rsv: rsv), closes: closes(opcode, rsv: rsv, fin: fin),
          pongs: opcode == 9 && rsv == 0 && fin ? [[]] : [])
      }
    }
  }

  /// Of an empty frame in the JSON subprotocol.
  private static func closes(_ opcode: UInt8, rsv: UInt8, fin: Bool) -> UInt16 {
    guard rsv == 0 else { return 1_002 }
    switch (opcode, fin) {
    case (1, true), (2, _): return 1_008
    case (1, false), (8, true), (9, true), (10, true): return 1_000
    default: return 1_002
    }
  }

  static let masks: [FrameCase] = (0..<16 as Range<UInt8>).flatMap { opcode in
    [0, 5, 200].map { size in
      FrameCase(
        name: "opcode \(opcode) of \(size) bytes without a mask",
        bytes: frame(opcode, [UInt8](repeating: 32, count: size), isMasked: false), closes: 1_002)
    }
  }

  static let lengths: [FrameCase] =
    sizes.flatMap { size in
      Form.allCases.flatMap { form in ofLength(size, form) }
    } + tooLong

  private static let sizes = [0, 1, 2, 124, 125, 126, 127, 128, 255, 256, 65_535, 65_536, 70_000]

  private static func ofLength(_ size: Int, _ form: Form) -> [FrameCase] {
    guard form != .short || size < 126, form != .word || size < 65_536 else { return [] }
    let shortest: Form = size < 126 ? .short : size < 65_536 ? .word : .long
    let payload = [UInt8](repeating: 32, count: size)
    let isControl = form == shortest && size < 126
    return [
      FrameCase(
        name: "a text of \(size) bytes, length as \(form)", bytes: frame(1, payload, form: form),
        closes: form == shortest ? 1_008 : 1_002),
      FrameCase(
        name: "a ping of \(size) bytes, length as \(form)", bytes: frame(9, payload, form: form),
        closes: isControl ? 1_000 : 1_002, pongs: isControl ? [payload] : []),
      FrameCase(
        name: "a pong of \(size) bytes, length as \(form)", bytes: frame(10, payload, form: form),
        closes: isControl ? 1_000 : 1_002),
    ]
  }

  private static let tooLong: [FrameCase] = [
    FrameCase(
      name: "one byte more than the limit", bytes: frame(1, length: UInt64(256 << 10) + 1), closes: 1_008),
    FrameCase(name: "a length of 2^32", bytes: frame(1, length: 1 << 32), closes: 1_008),
    FrameCase(name: "a length of 2^63 - 1", bytes: frame(1, length: UInt64(Int64.max)), closes: 1_008),
    FrameCase(name: "a length of 2^63", bytes: frame(1, length: 1 << 63), closes: 1_002),
    FrameCase(name: "a length of 2^64 - 1", bytes: frame(1, length: .max), closes: 1_002),
  ]

  static let closes: [FrameCase] =
    codes.flatMap { code in ["", "bye"].map { closing(code, saying: $0) } } + odd

  private static let codes: [UInt16] = [
    0, 1, 2, 500, 999, 1_000, 1_001, 1_002, 1_003, 1_004, 1_005, 1_006, 1_007, 1_008, 1_009, 1_010, 1_011,
    1_012,
    1_013, 1_014, 1_015, 1_016, 1_017, 1_100, 1_500, 1_999, 2_000, 2_500, 2_998, 2_999, 3_000, 3_001, 3_500,
    3_999,
    4_000, 4_001, 4_500, 4_998, 4_999, 5_000, 5_001, 6_000, 10_000, 32_767, 32_768, 65_534, 65_535,
  ]

  private static func closing(_ code: UInt16, saying reason: String) -> FrameCase {
    let isGood =
      (1_000...1_003).contains(code) || (1_007...1_014).contains(code) || (3_000...4_999).contains(code)
    return FrameCase(
      name: "close \(code) \(reason)", bytes: closing(code, Array(reason.utf8)),
      closes: isGood ? 1_000 : 1_002)
  }

  private static let odd: [FrameCase] = [
    FrameCase(name: "a close without a code", bytes: closing(nil), closes: 1_000),
    FrameCase(name: "a close of one byte", bytes: frame(8, [3]), closes: 1_002),
    FrameCase(
      name: "a close of 125 bytes", bytes: closing(1_000, [UInt8](repeating: 97, count: 123)), closes: 1_000),
    FrameCase(
      name: "a close of 126 bytes", bytes: closing(1_000, [UInt8](repeating: 97, count: 124)), closes: 1_002),
    FrameCase(name: "a ping behind a close", bytes: closing(1_000) + frame(9, [1]), closes: 1_000),
    FrameCase(name: "a text behind a close", bytes: closing(1_000) + frame(1, [123]), closes: 1_000),
    FrameCase(name: "a bad frame behind a close", bytes: closing(1_000) + frame(3), closes: 1_000),
  ]

  // MARK: Text

  static let good: [(String, [UInt8])] = [
    ("ASCII", Array("Hello".utf8)), ("two bytes", Array("µß°".utf8)), ("three bytes", Array("κόσμε€".utf8)),
    ("four bytes", Array("🖌𝄞".utf8)), ("U+0000", [0]), ("U+007F", [0x7F]), ("U+0080", [0xC2, 0x80]),
    ("U+07FF", [0xDF, 0xBF]), ("U+0800", [0xE0, 0xA0, 0x80]), ("U+D7FF", [0xED, 0x9F, 0xBF]),
    ("U+E000", [0xEE, 0x80, 0x80]), ("U+FFFD", [0xEF, 0xBF, 0xBD]), ("U+FFFE", [0xEF, 0xBF, 0xBE]),
    ("U+FFFF", [0xEF, 0xBF, 0xBF]), ("U+10000", [0xF0, 0x90, 0x80, 0x80]),
    ("U+1FFFE", [0xF0, 0x9F, 0xBF, 0xBE]),
    ("U+40000", [0xF1, 0x80, 0x80, 0x80]), ("U+10FFFF", [0xF4, 0x8F, 0xBF, 0xBF]),
    ("a byte order mark", [0xEF, 0xBB, 0xBF]), ("a combining character", [0x65, 0xCC, 0x81]),
  ]

  static let bad: [(String, [UInt8])] = [
    ("a lone 0x80", [0x80]), ("a lone 0xBF", [0xBF]), ("0xC0", [0xC0, 0x80]), ("0xC1", [0xC1, 0xBF]),
    ("overlong, three bytes", [0xE0, 0x80, 0x80]), ("overlong, three bytes, most", [0xE0, 0x9F, 0xBF]),
    ("overlong, four bytes", [0xF0, 0x80, 0x80, 0x80]),
    ("overlong, four bytes, most", [0xF0, 0x8F, 0xBF, 0xBF]),
    ("U+D800", [0xED, 0xA0, 0x80]), ("U+DBFF", [0xED, 0xAF, 0xBF]), ("U+DC00", [0xED, 0xB0, 0x80]),
    ("U+DFFF", [0xED, 0xBF, 0xBF]), ("a pair of surrogates", [0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80]),
    ("U+110000", [0xF4, 0x90, 0x80, 0x80]), ("U+13FFFF", [0xF4, 0xBF, 0xBF, 0xBF]),
    ("0xF5", [0xF5, 0x80, 0x80, 0x80]), ("0xF8", [0xF8, 0x88, 0x80, 0x80, 0x80]),
    ("0xFC", [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80]), ("0xFE", [0xFE]), ("0xFF", [0xFF]),
    ("two bytes cut off", [0xC2]), ("three bytes cut off", [0xE2, 0x82]),
    ("four bytes cut off", [0xF0, 0x9F, 0x96]),
    ("ASCII within a character", [0xE2, 0x41, 0xAC]), ("a beginning within a character", [0xE2, 0xC2, 0x80]),
    ("one continuation too many", [0xC2, 0x80, 0x80]),
  ]

  /// Whole, in a close frame, between other text, and cut at every byte.
  static let texts: [FrameCase] =
    good.flatMap { text($0.0, $0.1, 1_008, closes: 1_000) }
    + bad.flatMap { text($0.0, $0.1, 1_007, closes: 1_007) }
    + early

  private static let early: [FrameCase] =
    bad.filter { !$0.0.hasSuffix("cut off") }.map { name, bytes in
      FrameCase(
        name: "\(name): told before the message is whole", bytes: frame(1, bytes, fin: false), closes: 1_007)
    }

  private static func text(_ name: String, _ bytes: [UInt8], _ code: UInt16, closes: UInt16) -> [FrameCase] {
    [
      FrameCase(name: name, bytes: frame(1, bytes), closes: code),
      FrameCase(name: "\(name), in words", bytes: frame(1, [97, 98] + bytes), closes: code),
      FrameCase(name: "\(name), in a close frame", bytes: closing(1_000, bytes), closes: closes),
      FrameCase(
        name: "\(name), in a binary message", bytes: frame(2, bytes), closes: 1_008, subprotocol: .binary),
    ]
      + (1..<max(2, bytes.count)).map { cut in
        FrameCase(
          name: "\(name), cut at \(cut)",
          bytes: frame(1, Array(bytes.prefix(cut)), fin: false) + frame(9, [1])
            + frame(0, Array(bytes.dropFirst(cut))),
          closes: code, pongs: isSoundSoFar(Array(bytes.prefix(cut))) ? [[1]] : [])
      }
  }

  /// Whether these bytes may be the beginning of a text: decided without what is under test.
  private static func isSoundSoFar(_ bytes: [UInt8]) -> Bool {
    (0...3).contains { more in
      let ends: [[UInt8]] =
        more == 0 ? [[]] : [0x80, 0x90, 0xA0, 0xBF].map { [$0] + Array(repeating: 0x80, count: more - 1) }
      return ends.contains { String(validating: bytes + $0, as: UTF8.self) != nil }
    }
  }

  // MARK: Fragments

  static let fragments: [FrameCase] = [
    FrameCase(name: "a continuation alone", bytes: frame(0, [32]), closes: 1_002),
    FrameCase(name: "a continuation that is not final", bytes: frame(0, [32], fin: false), closes: 1_002),
    FrameCase(name: "two fragments", bytes: frame(1, [32], fin: false) + frame(0, [32]), closes: 1_008),
    FrameCase(
      name: "empty fragments", bytes: frame(1, fin: false) + frame(0, fin: false) + frame(0), closes: 1_008),
    FrameCase(
      name: "a thousand empty fragments",
      bytes: frame(1, [32], fin: false) + (0..<1_000).flatMap { _ in frame(0, fin: false) } + frame(0),
      closes: 1_008),
    FrameCase(name: "text within a text", bytes: frame(1, [32], fin: false) + frame(1, [32]), closes: 1_002),
    FrameCase(
      name: "binary within a text", bytes: frame(1, [32], fin: false) + frame(2, [32]), closes: 1_002),
    FrameCase(
      name: "a text that begins twice", bytes: frame(1, [32], fin: false) + frame(1, [32], fin: false),
      closes: 1_002),
    FrameCase(
      name: "a ping between fragments",
      bytes: frame(1, [32], fin: false) + frame(9, [1, 2]) + frame(0, [32]),
      closes: 1_008, pongs: [[1, 2]]),
    FrameCase(
      name: "three pings between fragments",
      bytes: frame(1, [32], fin: false) + frame(9, [1]) + frame(9, [2]) + frame(9, [3]) + frame(0, [32]),
      closes: 1_008, pongs: [[1], [2], [3]]),
    FrameCase(
      name: "a pong between fragments", bytes: frame(1, [32], fin: false) + frame(10, [1]) + frame(0, [32]),
      closes: 1_008),
    FrameCase(
      name: "a ping in fragments", bytes: frame(9, [1], fin: false) + frame(0, [2]), closes: 1_002),
    FrameCase(
      name: "a ping in fragments between fragments",
      bytes: frame(1, [32], fin: false) + frame(9, [1], fin: false) + frame(0, [2]), closes: 1_002),
    FrameCase(
      name: "a close between fragments", bytes: frame(1, [32], fin: false) + closing(1_001), closes: 1_000),
    FrameCase(
      name: "a reserved opcode between fragments", bytes: frame(1, [32], fin: false) + frame(5) + frame(0),
      closes: 1_002),
    FrameCase(
      name: "a continuation with a reserved bit", bytes: frame(1, [32], fin: false) + frame(0, [32], rsv: 4),
      closes: 1_002),
    FrameCase(
      name: "fragments over the limit together",
      bytes: frame(1, [UInt8](repeating: 32, count: 200_000), fin: false)
        + frame(0, [UInt8](repeating: 32, count: 100_000)), closes: 1_008),
    FrameCase(
      name: "ten pings", bytes: (1...10).flatMap { frame(9, [$0]) }, closes: 1_000,
      pongs: (1...10).map { [$0] }),
    FrameCase(name: "a pong that nobody asked for", bytes: frame(10, [1, 2, 3]), closes: 1_000),
    FrameCase(
      name: "a good frame and a bad one", bytes: frame(9, [1]) + frame(11), closes: 1_002, pongs: [[1]]),
    FrameCase(
      name: "text where bytes are spoken", bytes: frame(1, [32]), closes: 1_008, subprotocol: .binary),
    FrameCase(name: "bytes where text is spoken", bytes: frame(2, [32]), closes: 1_008),
  ]

  // MARK: Messages

  static let room = RoomID(high: 1, low: 2)

  /// A hello, whole and in pieces of any size: what comes of it is as if it came at once.
  static let messages: [FrameCase] = Subprotocol.allCases.flatMap { subprotocol in
    let hello = WireCodec(subprotocol).encode(client: .hello(Hello(room: room, token: "", uid: "Zoë 🖌")))
    let opcode: UInt8 = subprotocol == .json ? 1 : 2
    return [1, 2, 3, 4, 5, 7, 8, 16, 31, 64, 100, 1_000].map { size in
      let pieces = stride(from: 0, to: hello.count, by: size).map {
        Array(hello[$0..<min($0 + size, hello.count)])
      }
      let bytes = pieces.enumerated().flatMap { place, piece in
        frame(place == 0 ? opcode : 0, piece, fin: place == pieces.count - 1)
      }
      return FrameCase(
        name: "a hello of \(subprotocol) in pieces of \(size)", bytes: bytes, closes: 1_000,
        subprotocol: subprotocol)
    }
  }
}
