import BoardroomAccess
import BoardroomHTTP
import BoardroomHosting
import EventLogModel
import Logging
import Synchronization

/// Removes images that no event of any kept log names any more (LOG-32): mark and sweep, a bounded part in
/// each round.
///
/// A pass takes the images that were not put within the last day, reads every log, and strikes out those that
/// are named. Images that two passes, a day apart, found named nowhere are removed. An image counts as named
/// wherever the 64 digits of its name stand, so that rather one too many stays than one too few.
///
/// Where several nodes have the images, one of them does this at a time. What the others have committed and not sealed it
/// reads from their frames; its clock may differ from theirs.
final class ImageSweep: Sendable {
  /// Images that were put within this time are left alone, and this is the time between two passes. A day: so
  /// long a client has time to put an uploaded image on a board.
  static let patience = Duration.seconds(86_400)
  /// Bytes of records that a round reads, as they are stored. 256 MiB: some seconds of one core.
  static let roundBytes = 256 << 20
  /// Images that one pass looks for. 20,000: some 3 MiB of memory, and a file of 2 MiB.
  static let most = 20_000
  /// Of shared images: how much older than needed the events are that are read once more. An hour: clocks of nodes differ by
  /// seconds, and a node seals within minutes.
  static let margin = Duration.seconds(3_600)
  /// Of shared images: how long after they were set aside the logs are read once more. 10 s: what a member said before is
  /// committed or refused by then.
  static let settling = Duration.seconds(10)
  private static let page = 500
  /// How long to rest for each second of reading, as in the other parts of retention.
  private static let restful = 4.0

  private let store: any LogStore
  private let images: ImageStore
  private let path: String
  private let clock: @Sendable () -> Timestamp
  private let logger: Logger
  private let rest: @Sendable (Duration) async -> Void
  private let roundBytes: Int
  private let record: Mutex<SweepRecord?>

  init(
    store: any LogStore, images: ImageStore, inFolder data: String,
    clock: @escaping @Sendable () -> Timestamp,
    logger: Logger, roundBytes: Int = ImageSweep.roundBytes,
    rest: @escaping @Sendable (Duration) async -> Void = { _ in }
  ) {
    (self.store, self.images, self.clock, self.logger) = (store, images, clock, logger)
    (self.roundBytes, self.rest) = (roundBytes, rest)
    path = "\(data)/\(SweepRecord.fileName)"
    record = Mutex(nil)
  }

  /// Continues the pass, or begins one when it is due. Returns how many images were removed.
  func round() async throws(LogError) -> Int {
    guard (try? await images.onPlace({ try $0.isOurTurn().get() })) ?? false else { return 0 }
    var sweep = known()
    var removed = 0
    if sweep.pass == nil {
      guard sweep.ended.map({ $0 + Self.patience <= clock() }) ?? true else { return 0 }
      do { try await images.onPlace { try $0.take(back: nil) } } catch { return 0 }
      sweep.pass = await begin(&sweep)
    }
    guard var pass = sweep.pass else { return 0 }
    do {
      var budget = roundBytes
      if try await read(&pass, &budget) {
        removed = try await end(&sweep, pass)
      } else {
        sweep.pass = pass
      }
    } catch let error as LogError {
      if case .stopped = error { throw error }
      give(up: &sweep, "\(error)")
    } catch let failure as ImageFailure {
      give(up: &sweep, "\(failure)")
    } catch {
      give(up: &sweep, "a log cannot be read")
    }
    keep(sweep)
    return removed
  }

  private func give(up sweep: inout SweepRecord, _ why: String) {
    logger.warning("images that nothing names cannot be looked for", metadata: ["what": "\(why)"])
    (sweep.pass, sweep.ended, sweep.unnamed) = (nil, clock(), [])
  }

  // MARK: The file

  private func known() -> SweepRecord {
    if let known = record.withLock({ $0 }) { return known }
    guard let bytes = (try? PlainFile.read(path)) ?? nil,
      let found = SweepRecord(String(decoding: bytes, as: UTF8.self)), found.written <= clock()
    else { return SweepRecord() }
    guard images.isShared else { return found }
    // Events may have been imported meanwhile, which no command can tell the nodes: every log is read in one life.
    var whole = found
    whole.pass = nil
    return whole
  }

  private func keep(_ sweep: SweepRecord) {
    var sweep = sweep
    sweep.written = clock()
    record.withLock { $0 = sweep }
    // If the record cannot be written, the search begins anew after the next start.
    try? PlainFile.write(Array(sweep.text.utf8), to: path)
  }

  // MARK: One pass

  /// Images that are old enough, of rooms whose log is there; nil if there is none.
  private func begin(_ sweep: inout SweepRecord) async -> SweepRecord.Pass? {
    let now = clock()
    // Images that the last pass found named nowhere come first.
    var (left, after): (Set<String>, String?) = (sweep.unnamed, sweep.reached)
    var known: (room: LogID, isThere: Bool)?
    while left.count < Self.most {
      guard let page = try? await images.page(after: after, limit: Self.page) else { return nil }
      for image in page {
        after = "\(image.room)/\(image.name)"
        guard image.put + Self.patience <= now else { continue }
        if known?.room != image.room {
          known = (image.room, (try? await store.info(of: image.room)) != nil)
        }
        if known?.isThere == true { left.insert(after ?? "") }
      }
      guard page.count == Self.page else {
        after = nil
        break
      }
    }
    guard let unsealed = try? await strikingUnsealed(left) else { return nil }
    sweep.reached = after
    return unsealed.isEmpty ? nil : SweepRecord.Pass(begun: now, left: unsealed)
  }

  /// What of these is not named in records that only other nodes see yet.
  private func strikingUnsealed(_ left: Set<String>) async throws -> Set<String> {
    guard images.isShared, !left.isEmpty else { return left }
    return try await images.onPlace { place in
      var marks = NamedMarks(left)
      if let failure = place.readUnsealed({ marks.strike($0) }) { throw failure }
      return marks.left
    }
  }

  /// Reads on. Returns whether all logs were read, or no image is left to look for.
  private func read(_ pass: inout SweepRecord.Pass, _ budget: inout Int) async throws -> Bool {
    var marks = NamedMarks(pass.left)
    defer { pass.left = marks.left }
    var after = pass.at?.log
    if let at = pass.at, let info = try await info(of: at.log) {
      // Images of events that were removed since may be in the state that is left.
      if info.low.previous > at.revision { try await states(of: info, &marks) }
      try await read(info, after: max(at.revision, info.low.previous), &pass, &marks, &budget)
    }
    while !marks.left.isEmpty {
      guard budget > 0 else { return false }
      let page = try await store.logs(after: after, limit: Self.page)
      for info in page {
        guard budget > 0, !Task.isCancelled else { return false }
        try await states(of: info, &marks)
        try await read(info, after: info.low.previous, &pass, &marks, &budget)
        after = info.log
      }
      if page.count < Self.page { return true }
    }
    return true
  }

  /// Nil if the log was removed since.
  private func info(of log: LogID) async throws(LogError) -> LogInfo? {
    do throws(LogError) { return try await store.info(of: log) } catch {
      if case .deleted = error { return nil }
      throw error
    }
  }

  private func read(
    _ info: LogInfo, after revision: Revision, _ pass: inout SweepRecord.Pass, _ marks: inout NamedMarks,
    _ budget: inout Int
  ) async throws {
    var at = revision
    pass.at = .init(log: info.log, revision: at)
    while at < info.last, budget > 0, !marks.left.isEmpty, !Task.isCancelled {
      at = try await piece(of: info, after: at, &marks, &budget)
      pass.at = .init(log: info.log, revision: at)
    }
  }

  /// Reads some of a log's events. Returns how far.
  private func piece(
    of info: LogInfo, after revision: Revision, _ marks: inout NamedMarks, _ budget: inout Int
  ) async throws -> Revision {
    let begun = ContinuousClock.now
    var at = revision
    let runs: [Run]
    do throws(LogError) {
      let before = at
      runs = try await store.runs(of: info.log, passing: &at, limit: RoomHistory.page)
      // Images of events that are lost in a gap may be in a state after it.
      if at != before { try await allStates(of: info, &marks) }
    } catch {
      if case .deleted = error { return info.last }
      throw error
    }
    guard let last = runs.last?.lastRevision else { return info.last }
    for run in runs {
      marks.strike(run.records)
      budget -= run.records.count
    }
    await rest((ContinuousClock.now - begun) * Self.restful)
    return last
  }

  /// The state with which a trimmed log begins, and its newest state.
  private func states(of info: LogInfo, _ marks: inout NamedMarks) async throws {
    guard info.low > 1 else { return }
    let snapshots = try await store.snapshots(of: info.log)
    for snapshot in Set([snapshots.first, snapshots.last].compactMap { $0?.revision }) {
      try await state(of: info.log, at: snapshot, &marks)
    }
  }

  private func allStates(of info: LogInfo, _ marks: inout NamedMarks) async throws(LogError) {
    for snapshot in try await store.snapshots(of: info.log) {
      try await state(of: info.log, at: snapshot.revision, &marks)
    }
  }

  private func state(
    of log: LogID, at revision: Revision, _ marks: inout NamedMarks
  ) async throws(LogError) {
    guard let snapshot = try await store.latestSnapshot(of: log, notAfter: revision) else { return }
    marks.strike(snapshot.root)
    for part in snapshot.parts { marks.strike(part.bytes) }
  }

  // MARK: Its end

  /// Strikes out what was named since the pass began, and removes the images that the pass before did not
  /// find either.
  private func end(_ sweep: inout SweepRecord, _ pass: SweepRecord.Pass) async throws -> Int {
    var marks = NamedMarks(pass.left)
    let since = clock()
    try await tails(since: pass.begun, &marks)
    let doomed = marks.left.intersection(sweep.unnamed)
    (sweep.pass, sweep.ended, sweep.unnamed) = (nil, since, marks.left.subtracting(doomed))
    guard !doomed.isEmpty else { return 0 }
    // Images are set aside first. From here on a client can name one only after putting it again, and events
    // that named one before are found now.
    let latest = since + (Duration.zero - Self.patience)
    let aside = try await images.onPlace { try $0.setAside(doomed, unlessPutAfter: latest).get() }
    var named = NamedMarks(aside)
    do {
      if images.isShared { await rest(Self.settling) }
      try await tails(since: since, &named)
    } catch {
      try? await images.onPlace { try $0.take(back: nil) }
      throw error
    }
    let left = named.left
    let removed = try await images.onPlace { place in
      try place.take(back: aside.subtracting(left))
      return try place.removeAside(left).get()
    }
    if !removed.isEmpty {
      logger.notice("images that nothing names were removed", metadata: ["images": "\(removed.count)"])
    }
    return removed.count
  }

  /// Events of all logs from a time on, also those that only other nodes see yet.
  private func tails(since begin: Timestamp, _ marks: inout NamedMarks) async throws {
    // These first: what is sealed in between is in the logs.
    marks = NamedMarks(try await strikingUnsealed(marks.left))
    let time = images.isShared ? begin + (Duration.zero - Self.margin) : begin
    var after: LogID?
    while !marks.left.isEmpty {
      let page = try await store.logs(after: after, limit: Self.page)
      for info in page where info.lastTime >= time {
        var at = try await store.revision(in: info.log, at: Timestamp(milliseconds: time.milliseconds - 1))
        at = max(at, info.low.previous)
        var budget = Int.max
        while at < info.last { at = try await piece(of: info, after: at, &marks, &budget) }
      }
      guard page.count == Self.page, let last = page.last else { return }
      after = last.log
    }
  }
}

extension ImagePlace {
  /// Brings images back that were set aside; nil: all.
  fileprivate func take(back images: Set<String>?) throws {
    if let failure = bringBack(images) { throw failure }
  }
}

/// Images that are looked for, by the digits of their names.
struct NamedMarks {
  /// `room/name` of those that were not found yet.
  private(set) var left: Set<String>
  /// The same by the 64 digits.
  private var byDigest: [String: [String]]

  init(_ images: Set<String>) {
    left = images
    byDigest = Dictionary(grouping: images) { String($0.dropFirst(33).prefix(Self.digits)) }
  }

  private static let digits = 64
  private static let isDigit: [Bool] = (0...UInt8.max).map {
    (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
  }

  /// Strikes out what is named in these bytes: 64 hexadecimal digits after one another, with whatever around them.
  mutating func strike(_ bytes: [UInt8]) {
    guard !byDigest.isEmpty else { return }
    var found: Set<String> = []
    bytes.withUnsafeBytes { raw in
      // Looks at the last place first: if there is no digit there, no name can cover it.
      var end = Self.digits - 1
      while end < raw.count {
        var start = end
        while start > end - Self.digits, Self.isDigit[Int(raw[start])] { start -= 1 }
        guard start == end - Self.digits else {
          end = start + Self.digits
          continue
        }
        let name = String(decoding: raw[(start + 1)...end], as: UTF8.self)
        if byDigest[name] != nil { found.insert(name) }
        end += 1
      }
    }
    for name in found { for image in byDigest.removeValue(forKey: name) ?? [] { left.remove(image) } }
  }
}
