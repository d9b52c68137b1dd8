import EventLogFormat
import EventLogModel
import StorageTestKit
import Testing

/// Segments and frames as bytes: what goes in comes out, and no damage passes for content.
@Suite struct JournalFormatTests {
  @Test("A segment header reads back as written")
  func headerRoundTrip() throws {
    let header = JournalSamples.header
    let bytes = header.encoded
    #expect(bytes.count == JournalSegmentHeader.length)
    #expect(try bytes.withUnsafeBytes { try JournalSegmentHeader(reading: $0) } == header)
  }

  @Test("Every flipped bit of a segment header is found; without a copy, as in version 1, it cannot be read")
  func headerDamage() {
    for bit in 0..<(128 * 8) {
      var bytes = JournalSamples.header.encoded(version: 1)
      bytes[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: JournalFault.self, "bit \(bit)") {
        try bytes.withUnsafeBytes { try JournalSegmentHeader(reading: $0) }
      }
    }
  }

  @Test(
    "LOG-10: a flipped bit, or a whole sector, of a segment header costs nothing: the other copy is read, and that is said"
  )
  func headerCopies() throws {
    let sound = JournalSamples.header.encoded
    #expect(try sound.withUnsafeBytes { try JournalSegmentHeader.page(reading: $0) }.isWhole)
    for bit in 0..<(sound.count * 8) {
      var bytes = sound
      bytes[bit / 8] ^= 1 << (bit % 8)
      let page = try bytes.withUnsafeBytes { try JournalSegmentHeader.page(reading: $0) }
      #expect(page == .init(header: JournalSamples.header, isWhole: false), "bit \(bit)")
    }
    for sector in [0, 512, 2_048, 3_584] {
      for byte: UInt8 in [0, 0xff] {
        var bytes = sound
        for at in sector..<sector + 512 { bytes[at] = byte }
        guard bytes != sound else { continue }
        let page = try bytes.withUnsafeBytes { try JournalSegmentHeader.page(reading: $0) }
        #expect(page == .init(header: JournalSamples.header, isWhole: false), "sector \(sector)")
      }
    }
    var both = sound
    both[20] ^= 1
    both[2_048 + 20] ^= 1
    #expect(throws: JournalFault.self) {
      try both.withUnsafeBytes { try JournalSegmentHeader.page(reading: $0) }
    }
    let newer = JournalSamples.header.encoded(version: 3)
    #expect(throws: JournalFault.version("version 3")) {
      try newer.withUnsafeBytes { try JournalSegmentHeader.page(reading: $0) }
    }
  }

  @Test("Frames read back as written", arguments: JournalSamples.all)
  func frames(_ sample: JournalSamples.Sample) {
    let (frames, end) = JournalSamples.scan(sample.segment)
    #expect(frames.map(\.entries) == sample.readable)
    guard case .end = end else {
      Issue.record("the scan ended with \(end)")
      return
    }
  }

  @Test("Every flipped bit of the frames is found: no changed entry is ever read")
  func frameDamage() {
    let sample = JournalSamples.full
    let segment = sample.segment
    let used = JournalSegmentHeader.length..<JournalSamples.usedLength(of: sample)
    for byte in used {
      var bytes = segment
      bytes[byte] ^= 1 << (byte % 8)
      let (frames, _) = JournalSamples.scan(bytes)
      let known = frames.allSatisfy { frame in sample.readable.contains(frame.entries) }
      #expect(known, "byte \(byte)")
      #expect(frames.count < sample.readable.count, "byte \(byte)")
    }
  }

  @Test("Damage before an intact frame is a gap; damage of the last frame is the end")
  func gapOrEnd() {
    let sample = JournalSamples.full
    var bytes = sample.segment
    bytes[JournalSegmentHeader.length + 50] ^= 1
    guard case .gap(let at, _, _, let found) = JournalSamples.steps(bytes).first else {
      Issue.record("no gap found")
      return
    }
    #expect(at == JournalSegmentHeader.length)
    #expect(found == JournalSamples.header.firstFrame + 1)
    bytes = sample.segment
    bytes[JournalSamples.usedLength(of: sample) - 9] ^= 1
    let (frames, end) = JournalSamples.scan(bytes)
    #expect(frames.count == sample.readable.count - 1)
    guard case .end = end else {
      Issue.record("the scan ended with \(end)")
      return
    }
  }

  @Test("A segment cut anywhere gives the whole frames before the cut, and then ends")
  func anyTruncation() {
    let sample = JournalSamples.full
    let segment = sample.segment
    for cut in JournalSegmentHeader.length...JournalSamples.usedLength(of: sample) {
      for filler in [[], [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xff, count: 64)] {
        let (frames, end) = JournalSamples.scan(Array(segment[..<cut]) + filler)
        #expect(frames.map(\.entries) == Array(sample.readable[..<frames.count]))
        guard case .end = end else {
          Issue.record("cut at \(cut): \(end)")
          return
        }
      }
    }
  }

  @Test("Frames that an earlier use of the file left behind are not read")
  func recycled() {
    let old = JournalSamples.full.segment
    var header = JournalSamples.header
    header.use += 1
    let segment = header.encoded + old[JournalSegmentHeader.length...]
    #expect(JournalSamples.scan(segment).frames.isEmpty)
  }

  @Test("An entry that this version does not know is damage, not silence")
  func unknownEntry() {
    var reader = ByteReader(UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(throws: WireError.self) { try JournalEntry(reading: &reader) }
    let bytes: [UInt8] = [9, 1, 1]
    bytes.withUnsafeBytes { raw in
      var reader = ByteReader(raw)
      #expect(throws: WireError.badField("entry tag", at: 0)) { try JournalEntry(reading: &reader) }
    }
  }

  @Test("Random entries read back as written, in any split into frames")
  func randomEntries() throws {
    var generator = SeededGenerator(seed: 5)
    for round in 0..<40 {
      var entries: [[JournalEntry]] = []
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        entries.append(
          (0..<Int.random(in: 1...9, using: &generator)).map { _ in
            JournalSamples.randomEntry(&generator)
          })
      }
      let segment = JournalSamples.segment(entries, bytes: 256 << 10)
      #expect(JournalSamples.scan(segment).frames.map(\.entries) == entries, "round \(round)")
    }
  }

  @Test("Golden segments of formats 1 and 2 are readable for ever", arguments: JournalSamples.all)
  func golden(_ sample: JournalSamples.Sample) throws {
    for (version, segment) in [(1, JournalSamples.segment(of: sample, version: 1)), (2, sample.segment)] {
      try GoldenFiles.record("journal-\(sample.name).brj", segment, version: version)
      let bytes = try GoldenFiles.read("journal-\(sample.name).brj", version: version)
      let page = try bytes.withUnsafeBytes { try JournalSegmentHeader.page(reading: $0) }
      #expect(page == .init(header: JournalSamples.header, isWhole: true))
      #expect(JournalSamples.scan(bytes).frames.map(\.entries) == sample.readable)
      if sample.isPlain { #expect(bytes == segment, "writing gives the same bytes as ever") }
    }
  }
}
