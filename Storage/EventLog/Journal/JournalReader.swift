import EventLogFormat
import EventLogModel

/// What the journal of a folder holds.
package struct JournalContents: Sendable {
  package struct ReadFrame: Sendable {
    package var segment: UInt64
    package var frame: UInt64
    package var entry: JournalEntry

    package init(segment: UInt64, frame: UInt64, entry: JournalEntry) {
      (self.segment, self.frame, self.entry) = (segment, frame, entry)
    }
  }

  /// Missing or damaged frames.
  struct Hole: Sendable {
    var frames: Range<UInt64>
    var path: String
    var offset: Int
    var bytes: Int
  }

  package var entries: [ReadFrame] = []
  /// All segment numbers seen; the next segment gets a higher one.
  var highestSegment: UInt64 = 0
  /// Segments that nothing needs: sealed, or of a recovery that did not finish.
  var obsolete: [UInt64] = []
  var nextFrame: UInt64 = 1
  /// The checksum of the last frame; 0 if there is none.
  var lastChecksum: UInt32 = 0
  /// Where frames are missing between others, in order.
  var holes: [Hole] = []
  /// Acknowledged facts that are gone. Empty unless loss was accepted.
  var damages: [Damage] = []
  /// Damaged or missing frames whose events are all sealed: nothing is lost.
  var harmless: [Damage] = []
  /// The last frame is not whole: an unacknowledged one whose writing was cut short, or a damaged one.
  var remains: Damage?
  /// Where the last segment's frames end.
  var end: (path: String, offset: Int)?
  var names: [String] = []

  package init() {}
}

/// Reads a journal from its oldest needed segment on, and refuses it if anything acknowledged is missing.
struct JournalReader {
  let disk: any Disk
  let folder: JournalFolder
  let store: [UInt8]
  /// The first segment still needed, as the sealed database says; 0 before the first one.
  let oldest: UInt64
  /// The first frame that held something not sealed, as the sealed database says; 0 if it does not.
  var oldestFrame: UInt64 = 0
  /// Bytes of each segment, as the database says; a shorter file was cut. Nil in folders of older versions.
  var segmentBytes: Int?
  /// Whether damage is collected and reading goes on; else damage is thrown.
  let acceptLoss: Bool

  private struct Segment {
    var number: UInt64
    var bytes: [UInt8]
    /// `nil` when damaged and loss is accepted.
    var header: JournalSegmentHeader?
  }

  /// How an intact segment ended, for the next one to continue.
  private struct Link {
    var nextFrame: UInt64
    /// `nil` when the segment holds no frame.
    var checksum: UInt32?
  }

  func read() throws(LogError) -> JournalContents {
    var contents = JournalContents()
    contents.names = try names()
    let numbers = contents.names.compactMap(JournalFolder.segmentNumber).sorted()
    contents.highestSegment = numbers.last ?? 0
    contents.obsolete = numbers.filter { $0 < oldest }
    // The database also has the highest number, for the case that all files are missing.
    contents.highestSegment = max(contents.highestSegment, oldest)
    var expected = oldest
    var link: Link?
    for number in numbers where number >= oldest {
      let segment = try load(number, &contents)
      if let header = segment.header, header.rewriteBase > oldest {
        try checkFirstStart(segment, header, &contents)
        contents.obsolete.append(number)
        continue
      }
      if number != expected {
        try report(missing: expected, before: number, &contents)
        link = nil
      }
      expected = number + 1
      link = try scan(segment, after: link, &contents)
    }
    if oldest > 0, expected == oldest { try report(missing: oldest, before: oldest + 1, &contents) }
    checkEnd(&contents)
    return contents
  }

  /// A start that was cut short leaves a segment that the database does not know. In a folder's first start
  /// that segment is empty; if it has frames, the database has lost what it held.
  private func checkFirstStart(
    _ segment: Segment, _ header: JournalSegmentHeader, _ contents: inout JournalContents
  ) throws(LogError) {
    guard oldest == 0 else { return }
    let hasFrames = segment.bytes.withUnsafeBytes { raw in
      var scan = JournalScan(segment: raw, header: header, previous: nil)
      if case .end = scan.next() { return false }
      return true
    }
    guard hasFrames else { return }
    let what = JournalFault.damaged("the database knows nothing of the journal beside it, which has events")
    try report(what, "journal", path: folder.segment(segment.number), at: nil, &contents)
  }

  /// Names in the journal's folder; none where there is no such folder.
  private func names() throws(LogError) -> [String] {
    do throws(LogError) {
      return try disk.list(folder.path)
    } catch {
      guard case .io(_, _, let code) = error, code == ErrorNumber.noEntry else { throw error }
      return []
    }
  }

  private func load(_ number: UInt64, _ contents: inout JournalContents) throws(LogError) -> Segment {
    let path = folder.segment(number)
    let file = try disk.open(path, create: false, readOnly: true)
    defer { file.close() }
    let bytes = try file.readAll()
    var fault: JournalFault?
    let page = bytes.withUnsafeBytes { raw -> JournalSegmentHeader.HeaderPage? in
      do throws(JournalFault) { return try JournalSegmentHeader.page(reading: raw) } catch {
        fault = error
        return nil
      }
    }
    if page?.isWhole == false {
      contents.harmless.append(
        .harmless("journal: one of the two copies of a segment's header is damaged", place: path, offset: 0))
    }
    let header = page?.header
    if let fault { try report(fault, "segment header", path: path, at: 0, &contents) }
    if let header, header.segment != number || header.store != store {
      try report(.damaged("of another segment or store"), "segment header", path: path, at: 0, &contents)
      return Segment(number: number, bytes: bytes, header: nil)
    }
    return Segment(number: number, bytes: bytes, header: header)
  }

  /// Collects the frames of a segment. Returns how it ended, or `nil` after damage.
  private func scan(
    _ segment: Segment, after link: Link?, _ contents: inout JournalContents
  ) throws(LogError) -> Link? {
    guard let header = segment.header else { return nil }
    let path = folder.segment(segment.number)
    try checkLength(of: segment, path, &contents)
    var link = link
    if let expected = link?.nextFrame, header.firstFrame != expected {
      let lost = "frames \(expected) to \(header.firstFrame &- 1) are missing before this segment"
      if isSealed(before: header.firstFrame) {
        contents.harmless.append(.harmless("journal: " + lost, place: path, offset: 0))
      } else {
        try report(.damaged(lost), "journal", path: path, at: 0, &contents)
      }
      link = nil
    }
    var last: Link?
    var failure: LogError?
    segment.bytes.withUnsafeBytes { raw in
      do throws(LogError) { last = try collect(raw, header, link, path, &contents) } catch { failure = error }
    }
    if let failure { throw failure }
    return last
  }

  /// If a file was cut, the rest of the file does not show that frames at its end are missing. The length
  /// does.
  private func checkLength(
    of segment: Segment, _ path: String, _ contents: inout JournalContents
  ) throws(LogError) {
    guard let whole = segmentBytes, segment.bytes.count < whole else { return }
    let cut = "cut off after \(segment.bytes.count) of \(whole) bytes; the frames that stood there are gone"
    try report(.damaged(cut), "journal segment", path: path, at: segment.bytes.count, &contents)
  }

  private func collect(
    _ raw: UnsafeRawBufferPointer, _ header: JournalSegmentHeader, _ link: Link?, _ path: String,
    _ contents: inout JournalContents
  ) throws(LogError) -> Link? {
    var scan = JournalScan(segment: raw, header: header, previous: link?.checksum)
    defer { contents.nextFrame = max(contents.nextFrame, scan.nextNumber) }
    while true {
      let first = scan.nextNumber
      switch scan.next() {
      case .frame(let frame, at: _):
        contents.entries += frame.entries.map {
          .init(segment: header.segment, frame: frame.number, entry: $0)
        }
        contents.lastChecksum = frame.checksum
      case .end(let at):
        contents.end = (path, at)
        contents.remains = scan.endsInRemains ? remains(of: scan.nextNumber, path, at) : nil
        return Link(nextFrame: scan.nextNumber, checksum: scan.previous)
      case .gap(let at, let fault, let next, let found) where isSealed(before: found):
        let what = "journal frames \(first) to \(found - 1): \(next - at) bytes are damaged (\(fault))"
        contents.harmless.append(.harmless(what, place: path, offset: at))
      case .gap(let at, let fault, let next, let found):
        let hole = JournalContents.Hole(frames: first..<found, path: path, offset: at, bytes: next - at)
        contents.holes.append(hole)
        let what = "a frame before frame \(found) (\(fault)), \(next - at) bytes"
        try report(.damaged(what), "journal frame", path: path, at: at, &contents)
      case .unreadable(let at, let fault):
        try report(fault, "journal frame", path: path, at: at, &contents)
        return nil
      }
    }
  }

  /// Whether the database has all that the frames before this one held, or knows that it was deleted.
  private func isSealed(before frame: UInt64) -> Bool { frame <= oldestFrame }

  /// The database knows how many frames it has sealed: frames up to that one that are missing at the
  /// journal's end are not lost.
  private func checkEnd(_ contents: inout JournalContents) {
    let first = contents.nextFrame
    guard first < oldestFrame else { return }
    defer { contents.nextFrame = oldestFrame }
    guard let end = contents.end, contents.damages.isEmpty else { return }
    let what = "journal frames \(first) to \(oldestFrame - 1) at the journal's end are damaged or missing"
    contents.harmless.append(.harmless(what, place: end.path, offset: end.offset))
    contents.remains = nil
  }

  private func remains(of number: UInt64, _ path: String, _ offset: Int) -> Damage {
    Damage(
      what:
        "the last journal frame, \(number), is not whole: its writing was cut short and nobody was told that it was "
        + "stored, or it was damaged since; which, its bytes do not say",
      place: path, offset: offset)
  }

  private func report(
    missing first: UInt64, before number: UInt64, _ contents: inout JournalContents
  ) throws(LogError) {
    let what = JournalFault.damaged("segments \(first) to \(number - 1) are missing")
    try report(what, "journal", path: folder.segment(first), at: nil, &contents)
  }

  private func report(
    _ fault: JournalFault, _ what: String, path: String, at offset: Int?, _ contents: inout JournalContents
  ) throws(LogError) {
    if case .version(let found) = fault {
      throw .incompatible(path: path, found: found, supported: "journal format 2")
    }
    let text: String
    switch fault {
    case .damaged(let reason): text = "\(what): \(reason)"
    case .noFrame, .checksum, .outOfOrder, .version: text = "\(what): \(fault)"
    }
    let damage = Damage(what: text, place: path, offset: offset)
    guard acceptLoss else { throw .damaged(damage) }
    contents.damages.append(damage)
  }
}
