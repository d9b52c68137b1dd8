import EventLogFormat
import EventLogModel
import StorageTestKit

/// The same few segments, for the format tests and the golden files.
enum JournalSamples {
  struct Sample: Sendable, CustomStringConvertible {
    let name: String
    /// The entries that a reader finds, frame by frame.
    let readable: [[JournalEntry]]
    let segment: [UInt8]
    /// Nothing is compressed, so that the bytes do not depend on the LZ4 library.
    let isPlain: Bool
    var description: String { name }
  }

  static let header = JournalSegmentHeader(
    segment: 7, firstFrame: 41, use: 0x1234_5678_9abc_def0, store: (0..<16).map { UInt8($0 * 3) },
    created: Timestamp(milliseconds: 1_700_000_000_123), rewriteBase: 0)

  static let log = LogID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)
  static let epoch = Epoch(0xe90c_0000_0000_0001)
  static let time = Timestamp(milliseconds: 1_700_000_000_000)

  static let all = [minimal, full, unknownKinds, tornTail]

  static let minimal = plain(
    "minimal",
    [
      [
        .created(number: 1, log: log, epoch: epoch, at: time),
        .run(number: 1, run(first: 1, kinds: [4], body: 6)),
      ]
    ])

  static let full: Sample = {
    let entries: [[JournalEntry]] = [
      [
        .created(number: 1, log: log, epoch: epoch, at: time),
        .created(number: 2, log: LogID(high: 0, low: 2), epoch: Epoch(1), at: time),
      ],
      [
        .run(number: 1, run(first: 1, kinds: [1, 2, 3, 4, 5], body: 90)),
        .run(number: 2, run(first: 1, kinds: [5], body: 0)),
      ],
      [.run(number: 2, run(first: 2, kinds: [UInt8](repeating: 4, count: 30), body: 20))],
      [.low(number: 1, 3), .deleted(number: 2, at: time + .seconds(9))],
    ]
    return Sample(name: "full", readable: entries, segment: segment(entries), isPlain: false)
  }()

  static let unknownKinds = plain(
    "unknown-kinds",
    [[.run(number: 8_388_607, run(first: 1 << 39, kinds: [0, 99, 127, 128, 200, 255], body: 3))]])

  static let tornTail: Sample = {
    let whole: [[JournalEntry]] = [
      [.run(number: 1, run(first: 5, kinds: [1], body: 9))],
      [.run(number: 1, run(first: 6, kinds: [2], body: 99))],
    ]
    var bytes = segment(whole)
    let end = usedLength(whole)
    for at in (end - 48)..<end { bytes[at] = 0 }
    return Sample(name: "torn-tail", readable: [whole[0]], segment: bytes, isPlain: true)
  }()

  private static func plain(_ name: String, _ entries: [[JournalEntry]]) -> Sample {
    Sample(name: name, readable: entries, segment: segment(entries), isPlain: true)
  }

  static func run(first: UInt64, kinds: [UInt8], body: Int) -> Run {
    var builder = RunBuilder(first: Revision(first))
    for (index, kind) in kinds.enumerated() {
      builder.append(
        Record(
          kind: kind, time: time + .milliseconds(Int64(index) * 40), actor: UInt64(index) * 100,
          body: (0..<body).map { UInt8(($0 + index) % 16) }))
    }
    return builder.takeRun()!
  }

  static func randomEntry(_ generator: inout SeededGenerator) -> JournalEntry {
    let number = UInt64.random(in: 1...UInt64(JournalEntry.maximumNumber), using: &generator)
    let moment = Timestamp(milliseconds: Int64.random(in: 0...(1 << 42), using: &generator))
    switch UInt8.random(in: 0..<6, using: &generator) {
    case 0:
      return .created(
        number: number, log: .random(using: &generator), epoch: Epoch(generator.next()), at: moment)
    case 1: return .deleted(number: number, at: moment)
    case 2: return .low(number: number, Revision(generator.next() >> 24))
    default:
      var builder = RunBuilder(first: Revision(generator.next() >> 24 | 1))
      for _ in 0..<Int.random(in: 1...20, using: &generator) {
        let length = Int.random(in: 0...300, using: &generator)
        builder.append(
          Record(
            kind: UInt8.random(in: 0...255, using: &generator), time: moment, actor: generator.next() >> 40,
            body: generator.bytes(length)))
      }
      return .run(number: number, builder.takeRun()!)
    }
  }

  // MARK: Bytes

  private static func frames(_ entries: [[JournalEntry]]) -> [UInt8] {
    var writer = JournalFrameWriter()
    var previous: UInt32 = 0
    var bytes: [UInt8] = []
    for (index, frame) in entries.enumerated() {
      writer.reset()
      for entry in frame { writer.add(entry) }
      writer.pack()
      let written = writer.withFrame(
        number: header.firstFrame + UInt64(index), previous: previous, seed: header.seed
      ) { Array($0) }
      previous = written.checksum
      bytes += written.result
    }
    return bytes
  }

  static func segment(_ entries: [[JournalEntry]], bytes length: Int = 8_192) -> [UInt8] {
    segment(entries, bytes: length, header: header.encoded)
  }

  private static func segment(_ entries: [[JournalEntry]], bytes length: Int, header: [UInt8]) -> [UInt8] {
    let bytes = header + frames(entries)
    return bytes + [UInt8](repeating: 0, count: length - bytes.count)
  }

  /// The segment with the header page of an earlier version of the format.
  static func segment(of sample: Sample, version: UInt32) -> [UInt8] {
    header.encoded(version: version) + sample.segment[JournalSegmentHeader.length...]
  }

  static func usedLength(_ entries: [[JournalEntry]]) -> Int {
    JournalSegmentHeader.length + frames(entries).count
  }

  static func usedLength(of sample: Sample) -> Int { usedLength(sample.readable) }

  static func steps(_ segment: [UInt8]) -> [JournalScan.Step] {
    segment.withUnsafeBytes { raw in
      guard let header = try? JournalSegmentHeader(reading: raw) else { return [] }
      var scan = JournalScan(segment: raw, header: header, previous: nil)
      var steps: [JournalScan.Step] = []
      while true {
        let step = scan.next()
        steps.append(step)
        switch step {
        case .frame, .gap: continue
        case .end, .unreadable: return steps
        }
      }
    }
  }

  static func scan(_ segment: [UInt8]) -> (frames: [JournalFrame], end: JournalScan.Step) {
    let steps = steps(segment)
    let frames = steps.compactMap { step -> JournalFrame? in
      if case .frame(let frame, at: _) = step { frame } else { nil }
    }
    return (frames, steps.last ?? .end(at: 0))
  }
}
