import EventLog
import EventLogFormat
import EventLogModel
import NodeCore
import Synchronization

/// Which segments of an incarnation still have rows in their tables.
final class SegmentRing: Sendable {
  private let turn = Mutex(SegmentTurn(tables: PostgresSchema.frameTables))

  func isFree(_ segment: UInt64) -> Bool { turn.withLock { $0.isFree(segment) } }
  func isRetired(_ segment: UInt64) -> Bool { turn.withLock { $0.isRetired(segment) } }
  func mayBeEmpty(_ segment: UInt64) -> Bool { turn.withLock { $0.mayBeEmpty(segment) } }
  func beginRetiring(_ segment: UInt64) { turn.withLock { $0.beginRetiring(segment) } }
  var oldestInUse: UInt64 { turn.withLock { $0.oldestInUse } }
  func retire(_ segment: UInt64) { turn.withLock { $0.retire(segment) } }
}

/// The journal as frames in a database: a group commit is one statement, which fences. For the commit thread.
final class FrameJournal: Journal, @unchecked Sendable {
  private let fenced: FencedConnection
  private let slot: Int64
  private let ring: SegmentRing
  let segmentBytes: Int
  private let counts: Mutex<FencedConnection.Counts>

  private(set) var segment: UInt64 = 1
  private(set) var nextFrame: UInt64 = 1
  private var previous: UInt32 = 0
  private var written = 0
  private let seed: UInt32
  /// The last frame that was acknowledged.
  private var last: AcknowledgedFrame?
  /// What is next for the frame that is being written.
  private var writing = FrameWriting()
  /// What the database does not have any more; nil if all is well.
  private var loss: String?

  private struct AcknowledgedFrame {
    var number: UInt64
    var segment: UInt64
    /// The frame's header, which has the checksum of the frame and of the one before it.
    var header: [UInt8]
  }

  init(fenced: FencedConnection, slot: Int64, ring: SegmentRing, segmentBytes: Int) {
    self.fenced = fenced
    self.slot = slot
    self.ring = ring
    self.segmentBytes = segmentBytes
    counts = Mutex(FencedConnection.Counts())
    seed = Self.seed(of: fenced.incarnation)
  }

  /// From which a frame's checksum begins, so that no frame is taken for one of another incarnation.
  static func seed(of incarnation: Int64) -> UInt32 { CRC32C.of(incarnation.bigEndianBytes) }

  /// What has happened since the start; asked by any thread.
  var statistics: FencedConnection.Counts { counts.withLock { $0 } }

  var fill: Double { min(1, Double(written) / Double(segmentBytes)) }
  /// A row is there or not: there is no half of one.
  var confirmDelay: UInt64? { nil }

  /// Milliseconds that a start waits for its first connection.
  private static let patience = 10_000

  /// Connects, before the commit thread begins. Throws `stopped` if nobody answers.
  func connect() throws(LogError) {
    let start = PostgresConnection.milliseconds
    _ = try fenced.connected { _ throws(LogError) in
      guard PostgresConnection.milliseconds - start >= Self.patience else { return }
      throw .stopped(reason: "\(fenced.address.place) does not answer")
    }
  }

  func hasRoom(for frame: borrowing JournalFrameWriter) -> Bool {
    written == 0 || written + frame.frameLength <= segmentBytes
  }

  func write(
    _ frame: inout JournalFrameWriter, stall: (LogError) throws(LogError) -> Void
  ) throws(LogError) {
    let (checksum, bytes) = frame.withFrame(number: nextFrame, previous: previous, seed: seed) { Array($0) }
    try store(bytes, stall)
    last = AcknowledgedFrame(
      number: nextFrame, segment: segment, header: Array(bytes.prefix(JournalFrame.headerLength)))
    previous = checksum
    nextFrame += 1
    written += bytes.count
  }

  private func store(_ bytes: [UInt8], _ stall: (LogError) throws(LogError) -> Void) throws(LogError) {
    let start = PostgresConnection.milliseconds
    // A short silence is nobody's business: appends go on into the next group.
    func stallIfLong(_ reason: LogError) throws(LogError) {
      if PostgresConnection.milliseconds - start >= FencedConnection.silence { try stall(reason) }
    }
    writing.begin()
    while true {
      let connection = try fenced.connected(stall: stallIfLong)
      do throws(PostgresFailure) {
        return try store(bytes, connection)
      } catch {
        switch error {
        case .fenced:
          throw loss.map { FencedConnection.setBack($0, in: fenced.address.place) } ?? fenced.fencedError
        case .refused:
          writing.failed(.refused)
          let reason = error.asLogError(in: fenced.address.place)
          guard case .full = reason else { throw reason }
          try stall(reason)
          PostgresConnection.pause()
        case .unknown:
          writing.failed(.unknown)
          tell()
          fenced.drop()
          // Said before anybody is asked anew, which takes as long again where nobody answers.
          try stallIfLong(fenced.address.silent)
        }
      }
    }
  }

  /// The steps of the present frame on one connection. Throws `fenced` as well where the database was set back; `loss`
  /// says then what it lacks.
  private func store(_ bytes: [UInt8], _ connection: PostgresConnection) throws(PostgresFailure) {
    while true {
      switch writing.next(link: fenced.link) {
      case .askForLast:
        let (missing, isOpen) = try missing(connection)
        loss = isOpen ? missing : nil
        writing.askedForLast(isThere: missing == nil, isOpen: isOpen, link: fenced.link)
      case .look:
        writing.looked(isThere: try isThere(bytes, connection))
        tell()
      case .insert:
        let rows = try connection.run([insertion(of: bytes)], waiting: Self.limit)[0]
        writing.inserted(hasRow: !rows.isEmpty)
      case .done: return
      case .fenced, .setBack: throw .fenced
      }
    }
  }

  private func tell() {
    counts.withLock { $0 = .init(unknown: writing.unknown, resent: writing.resent) }
  }

  private static func limit(_ milliseconds: Int) throws(PostgresFailure) {
    if milliseconds >= FencedConnection.silence {
      throw .unknown(reason: "no answer in \(FencedConnection.silence) ms")
    }
  }

  private func insertion(of bytes: [UInt8]) -> Query {
    var query = Query(
      """
      with open as materialized (\(FencedConnection.check(.commit)))
      insert into \(PostgresSchema.frameTable(slot: slot, segment: segment))(incarnation, number, segment, bytes)
      select $1, $3, $4, $5 from open returning number
      """)
    query.parameters = fenced.parameters + [.bits(nextFrame), .bits(segment), .bytes(bytes)]
    return query
  }

  /// Whether the next frame was written by an earlier connection. Only asked after a new link.
  private func isThere(_ bytes: [UInt8], _ connection: PostgresConnection) throws(PostgresFailure) -> Bool {
    let rows = try connection.run(
      [
        Query(
          "select bytes from \(PostgresSchema.frameTable(slot: slot, segment: segment)) "
            + "where incarnation = $1 and number = $2", .integer(fenced.incarnation), .bits(nextFrame))
      ], waiting: Self.limit)[0]
    guard !rows.isEmpty else { return false }
    guard rows.bytes(0, 0) == bytes else {
      throw .refused(state: "XX001", message: "frame \(nextFrame) is another one than was sent")
    }
    return true
  }

  /// What the database does not have any more of what it had acknowledged, or has again; nil if all is well. Asked
  /// after each new link: a standby may have been promoted that lacks it. And whether this node's fence is open after that.
  private func missing(
    _ connection: PostgresConnection
  ) throws(PostgresFailure) -> (what: String?, isOpen: Bool) {
    guard let last else { return (nil, true) }
    let oldest = (0..<PostgresSchema.frameTables).map { index in
      """
      (select segment from \(PostgresSchema.frameTable(slot: slot, segment: index))
      where incarnation = $1 order by number limit 1)
      """
    }
    let returned = Query(
      "select segment from (\(oldest.joined(separator: " union all "))) as oldest where segment < $2",
      .integer(fenced.incarnation), .bits(ring.oldestInUse))
    let frame = Query(
      """
      select substring(bytes from 1 for \(JournalFrame.headerLength))
      from \(PostgresSchema.frameTable(slot: slot, segment: last.segment)) where incarnation = $1 and number = $2
      """, .integer(fenced.incarnation), .bits(last.number))
    var open = Query(FencedConnection.check(.commit))
    open.parameters = fenced.parameters
    let found = try connection.run([frame, returned, open], waiting: Self.limit)
    let isOpen = !found[2].isEmpty
    // The sealer may have emptied the table, and perhaps does not know yet that it has.
    let mayBeGone = ring.mayBeEmpty(last.segment)
    if found[0].isEmpty ? !mayBeGone : found[0].bytes(0, 0) != last.header {
      return ("frame \(last.number)", isOpen)
    }
    guard !found[1].isEmpty else { return (nil, isOpen) }
    return ("the removal of frames that were sealed (segment \(found[1].integer(0, 0)))", isOpen)
  }

  func flushEvidence() {}

  func beginSegment() throws(LogError) -> Bool {
    guard ring.isFree(segment + 1) else { return false }
    segment += 1
    written = 0
    return true
  }

  func close() { fenced.drop() }
}

/// The frame tables, for the sealer's thread.
final class FrameSegments: JournalSegments, @unchecked Sendable {
  private let writer: SealWriter
  private let slot: Int64
  private let ring: SegmentRing

  init(writer: SealWriter, slot: Int64, ring: SegmentRing) {
    self.writer = writer
    self.slot = slot
    self.ring = ring
  }

  /// Tables are there from the start.
  var spares: Int { 0 }
  var isShortOfSpares: Bool { false }
  func misplaced() -> LogError? { nil }
  func makeSpare() throws(LogError) {}
  func removeSpares() throws(LogError) {}
  func noteSettled(logs: UInt64, oldest: UInt64, frame: UInt64) throws(LogError) {}

  /// Empties the segment's table. A segment that comes again is left alone: its table may be another's.
  func retire(_ segment: UInt64, reusing: Bool) throws(LogError) {
    guard !ring.isRetired(segment) else { return }
    let table = PostgresSchema.frameTable(slot: slot, segment: segment)
    ring.beginRetiring(segment)
    try writer.writing { transaction throws(LogError) in
      try transaction.run([Query("truncate \(table)")])
    }
    ring.retire(segment)
  }
}
