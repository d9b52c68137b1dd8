// A run: consecutive records of one log as bytes. The same bytes stand in the journal frame of a commit,
// in a sealed block and in the WebSocket message that every member of a room receives.
//
//   run     = uv first revision | uv count | uv base time (ms since 1970) | uv byte length of records | records
//   record  = uv length of body | u8 kind | uv ms since the record before (the first: since base) | uv actor | body
//
// The revision of a record is implied: first revision + position. Times never fall within a log. The engine
// never looks inside a body; a kind it does not know is skipped by its length and written back unchanged.
// docs/FORMAT.md is the reference, Tests/Golden holds samples that never change.

/// One record with its fields, as the log store sees an event.
public struct Record: Hashable, Sendable {
  public var kind: UInt8
  public var time: Timestamp
  /// Who did it, in the numbering of the log's owner. Zero is the owner itself.
  public var actor: UInt64
  public var body: [UInt8]

  public init(kind: UInt8, time: Timestamp, actor: UInt64, body: [UInt8]) {
    self.kind = kind
    self.time = time
    self.actor = actor
    self.body = body
  }
}

/// One record inside a run, not copied out: `body` is a range of the run's `records`.
public struct RecordView: Sendable {
  public let revision: Revision
  public let kind: UInt8
  public let time: Timestamp
  public let actor: UInt64
  public let body: Range<Int>

  @inlinable public init(revision: Revision, kind: UInt8, time: Timestamp, actor: UInt64, body: Range<Int>) {
    self.revision = revision
    self.kind = kind
    self.time = time
    self.actor = actor
    self.body = body
  }
}

/// Consecutive records of one log, as bytes.
public struct Run: Sendable, Hashable {
  /// Limits of one run, checked when bytes from outside are read. A journal frame holds at most 4 MiB before
  /// compression (docs/FORMAT.md), so no run is larger.
  public static let maximumBytes = 4 << 20

  public let first: Revision
  public let count: Int
  /// The time from which the first record's step counts.
  public let base: Timestamp
  /// The time of the last record.
  public let last: Timestamp
  /// The records, without the header.
  public let records: [UInt8]

  /// Takes bytes without a check: the caller knows that they are well formed.
  @inlinable public init(first: Revision, count: Int, base: Timestamp, last: Timestamp, records: [UInt8]) {
    self.first = first
    self.count = count
    self.base = base
    self.last = last
    self.records = records
  }

  /// The revision of the last record.
  @inlinable public var lastRevision: Revision { first + (count - 1) }

  /// Header and records: what goes into frames and messages.
  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(records.count + 24)
    appendEncoded(to: &bytes)
    return bytes
  }

  public func appendEncoded(to bytes: inout [UInt8]) {
    Run.appendHeader(first: first, count: count, base: base, byteLength: records.count, to: &bytes)
    bytes.append(contentsOf: records)
  }

  public static func appendHeader(
    first: Revision, count: Int, base: Timestamp, byteLength: Int, to bytes: inout [UInt8]
  ) {
    bytes.appendVarint(first.rawValue)
    bytes.appendVarint(UInt64(count))
    bytes.appendVarint(UInt64(bitPattern: base.milliseconds))
    bytes.appendVarint(UInt64(byteLength))
  }

  /// Reads one encoded run and checks all of its record headers.
  public init(reading reader: inout ByteReader) throws(WireError) {
    let start = reader.position
    let first = try reader.varint()
    let count = try reader.count("record count", limit: Run.maximumBytes / 4)
    let base = Timestamp(milliseconds: Int64(bitPattern: try reader.varint()))
    let length = try reader.count("run length", limit: Run.maximumBytes)
    guard first > 0, count > 0, base.milliseconds >= 0 else { throw .badField("run header", at: start) }
    let bytes = try reader.readBytes(length)
    let last = try Run.check(bytes, count: count, base: base)
    self.init(
      first: Revision(first), count: count, base: base, last: last, records: Array(bytes))
  }

  /// Checks that `bytes` are exactly `count` well-formed records and gives the time of the last.
  public static func check(
    _ bytes: UnsafeRawBufferPointer, count: Int, base: Timestamp
  ) throws(WireError) -> Timestamp {
    var reader = ByteReader(bytes)
    var time = base.milliseconds
    for _ in 0..<count {
      let at = reader.position
      let length = try reader.count("body length", limit: maximumBytes)
      _ = try reader.byte()
      let step = try reader.varint()
      guard step <= UInt64(Int64.max - time) else { throw .badField("time step", at: at) }
      time += Int64(step)
      _ = try reader.varint()
      _ = try reader.readBytes(length)
    }
    try reader.expectEnd()
    return Timestamp(milliseconds: time)
  }

  /// Calls `body` for every record, in order. The records must be well formed, as those of any `Run` are.
  @inlinable public func forEach<Failure: Error>(
    _ body: (RecordView, UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var failure: Failure?
    records.withUnsafeBytes { bytes in
      var walker = RecordWalker(bytes: bytes, first: first, base: base)
      while let view = walker.next() {
        do throws(Failure) { try body(view, bytes) } catch {
          failure = error
          return
        }
      }
    }
    if let failure { throw failure }
  }

  /// All records, copied out.
  public var unpacked: [Record] {
    var all: [Record] = []
    all.reserveCapacity(count)
    forEach { view, bytes in
      all.append(
        Record(kind: view.kind, time: view.time, actor: view.actor, body: Array(bytes[view.body])))
    }
    return all
  }

  /// The part of the run after `revision`; `nil` if nothing is left.
  public func suffix(after revision: Revision) -> Run? {
    guard revision >= first else { return self }
    guard revision < lastRevision else { return nil }
    return slice(dropping: revision - first + 1, keeping: lastRevision - revision)
  }

  /// The part of the run up to and with `revision`; `nil` if nothing is left.
  public func prefix(through revision: Revision) -> Run? {
    guard revision < lastRevision else { return self }
    guard revision >= first else { return nil }
    return slice(dropping: 0, keeping: revision - first + 1)
  }

  private func slice(dropping dropped: Int, keeping kept: Int) -> Run {
    records.withUnsafeBytes { bytes in
      var walker = RecordWalker(bytes: bytes, first: first, base: base)
      for _ in 0..<dropped { _ = walker.next() }
      let start = walker.position
      let base = walker.time
      for _ in 0..<kept { _ = walker.next() }
      return Run(
        first: first + dropped, count: kept, base: base, last: walker.time,
        records: Array(bytes[start..<walker.position]))
    }
  }

  /// One run with the records of both; `next` must begin where this one ends.
  public func joined(with next: Run) -> Run {
    precondition(next.first == lastRevision.next, "runs to join must be neighbours")
    var builder = RunBuilder(first: first, base: base)
    builder.appendRun(self)
    builder.appendRun(next)
    return builder.takeRun()!
  }
}

/// Walks the records of a well-formed run.
public struct RecordWalker {
  @usableFromInline var reader: ByteReader
  @usableFromInline var revision: Revision
  /// The time of the record last returned; before the first, the base time.
  public var time: Timestamp

  @inlinable public init(bytes: UnsafeRawBufferPointer, first: Revision, base: Timestamp) {
    self.init(reader: ByteReader(bytes), revision: first, time: base)
  }

  @inlinable init(reader: ByteReader, revision: Revision, time: Timestamp) {
    self.reader = reader
    self.revision = revision
    self.time = time
  }

  @inlinable public var position: Int { reader.position }

  /// The next record, or `nil` at the end or where the bytes are not a record.
  @inlinable public mutating func next() -> RecordView? {
    guard !reader.isAtEnd else { return nil }
    do throws(WireError) {
      let length = Int(truncatingIfNeeded: try reader.varint())
      let kind = try reader.byte()
      let step = try reader.varint()
      let actor = try reader.varint()
      let start = reader.position
      _ = try reader.readBytes(length)
      time = Timestamp(milliseconds: time.milliseconds &+ Int64(bitPattern: step))
      defer { revision = revision.next }
      return RecordView(
        revision: revision, kind: kind, time: time, actor: actor, body: start..<start + length)
    } catch {
      return nil
    }
  }
}

/// Builds one run, record by record.
public struct RunBuilder: Sendable {
  public private(set) var first: Revision
  public private(set) var count = 0
  public private(set) var base: Timestamp
  public private(set) var last: Timestamp
  public private(set) var records: [UInt8] = []

  /// The next record appended gets the revision `first`. The base time becomes that of the first record.
  public init(first: Revision) {
    self.init(first: first, base: .zero)
    hasBase = false
  }

  public init(first: Revision, base: Timestamp) {
    self.first = first
    self.base = base
    self.last = base
    hasBase = true
  }

  private var hasBase: Bool

  /// Makes room for `bytes` of records, so that appending does not allocate.
  public mutating func reserveCapacity(_ bytes: Int) { records.reserveCapacity(bytes) }

  public var isEmpty: Bool { count == 0 }
  public var byteCount: Int { records.count }
  /// The revision that the next record gets.
  public var next: Revision { first + count }

  /// Appends a record. A time before the last record's is taken as equal to it: times never fall.
  public mutating func append(kind: UInt8, actor: UInt64, time: Timestamp, body: UnsafeRawBufferPointer) {
    if !hasBase {
      base = max(time, .zero)
      last = base
      hasBase = true
    }
    let time = max(time, last)
    records.appendVarint(UInt64(body.count))
    records.append(kind)
    records.appendVarint(UInt64(time.milliseconds - last.milliseconds))
    records.appendVarint(actor)
    records.append(contentsOf: body)
    last = time
    count += 1
  }

  public mutating func append(_ record: Record) {
    record.body.withUnsafeBytes {
      append(kind: record.kind, actor: record.actor, time: record.time, body: $0)
    }
  }

  /// Appends all records of `run`, as bytes where the first record's step allows it.
  public mutating func appendRun(_ run: Run) {
    if isEmpty, !hasBase || base == run.base {
      base = run.base
      hasBase = true
      records.append(contentsOf: run.records)
      count = run.count
      last = run.last
      return
    }
    run.records.withUnsafeBytes { bytes in
      var walker = RecordWalker(bytes: bytes, first: run.first, base: run.base)
      guard let view = walker.next() else { return }
      append(
        kind: view.kind, actor: view.actor, time: view.time,
        body: UnsafeRawBufferPointer(rebasing: bytes[view.body]))
      records.append(contentsOf: bytes[walker.position...])
      count += run.count - 1
      last = max(run.last, last)
    }
  }

  /// The run built so far, and an empty builder that goes on after it; `nil` if it is empty.
  public mutating func takeRun() -> Run? {
    guard count > 0 else { return nil }
    let run = Run(first: first, count: count, base: base, last: last, records: records)
    first = run.lastRevision.next
    count = 0
    records = []
    hasBase = false
    return run
  }
}
