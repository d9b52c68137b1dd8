import EventLogModel

/// Records of all sorts, by a seed.
struct ColumnSamples {
  /// Every sort of field; kind 1. Kind 2 is a number and text, kind 3 two bytes, kind 4 nothing.
  static let shapes: [UInt8: BodyShape] = [
    1: BodyShape([
      .unsigned(0), .flags(1), .when(mask: 1, is: 1, [.byte(2), .signed(3)]), .count(4),
      .many(5, signed: true, lead: 6, mask: 1), .many(7, signed: false, lead: 7, mask: 0),
      .when(mask: 4, is: 0, [.many(8, signed: true, lead: 6, mask: 2), .when(mask: 2, is: 2, [.rest])]),
    ]),
    2: BodyShape([.unsigned(0), .rest]),
    3: BodyShape([.byte(2), .byte(59)]),
    4: BodyShape([]),
  ]

  private var random: BlockRandom
  private var counters: [UInt64: UInt64] = [:]

  init(seed: UInt64) { random = BlockRandom(state: seed) }

  private mutating func below(_ limit: UInt64) -> UInt64 { random.next() % limit }

  /// `count` records with up to `actors` actors.
  static func run(seed: UInt64, count: Int, actors: UInt64 = 5) -> Run {
    var samples = ColumnSamples(seed: seed)
    var builder = RunBuilder(first: 900, base: Timestamp(milliseconds: 1_700_000_000_000))
    var time: Int64 = 1_700_000_000_000
    for _ in 0..<count {
      time += samples.below(30) == 0 ? Int64(samples.below(1 << 40)) : Int64(samples.below(40))
      let kind = UInt8(samples.below(7))
      let actor = samples.below(actors) << (samples.below(50) == 0 ? 40 : 0)
      builder.append(
        Record(
          kind: kind, time: Timestamp(milliseconds: time), actor: actor, body: samples.body(kind, actor)))
    }
    return builder.takeRun()!
  }

  private mutating func body(_ kind: UInt8, _ actor: UInt64) -> [UInt8] {
    var body: [UInt8]
    switch kind {
    case 1: body = shaped(actor)
    case 2: body = counted(actor) + text()
    case 3: body = [UInt8(below(256)), UInt8(below(3))]
    case 4, 5: body = []
    default: body = text()
    }
    switch below(12) {
    // Not of the shape: cut short, longer, a number that is longer than it must be, or anything at all.
    case 0: body = Array(body.prefix(Int(below(UInt64(body.count + 1)))))
    case 1: body.append(UInt8(below(256)))
    case 2: body = [0x80, 0x00] + body
    case 3: body = (0..<below(20)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    default: break
    }
    return body
  }

  private mutating func counted(_ actor: UInt64) -> [UInt8] {
    counters[actor, default: 0] += 1
    var body: [UInt8] = []
    body.appendVarint(below(40) == 0 ? random.next() : counters[actor]!)
    return body
  }

  private mutating func text() -> [UInt8] {
    let words = ["{\"type\":\"rectangle\"", "\"x\":\(below(900))", "\"y\":\(below(900))}", "", "ünï"]
    return (0..<below(30)).flatMap { _ in Array(words[Int(below(5))].utf8) }
  }

  private mutating func shaped(_ actor: UInt64) -> [UInt8] {
    var body = counted(actor)
    let flags = UInt8(below(8))
    body.append(flags)
    if flags & 1 != 0 {
      body.append(UInt8(below(4)))
      body.appendZigzag(Int64(bitPattern: random.next()) >> Int64(below(64)))
    }
    let count = below(6)
    body.appendVarint(count)
    for _ in 0..<count { body.appendZigzag(Int64(below(60)) - 30) }
    for _ in 0..<count { body.appendVarint(below(20) == 0 ? .max : 14 + below(5)) }
    if flags & 4 == 0 {
      for _ in 0..<count { body.appendZigzag(Int64(below(9)) - 4) }
      if flags & 2 != 0 { body += text() }
    }
    return body
  }
}
