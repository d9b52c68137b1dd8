import EventLogModel
import Foundation
import StorageTestKit
import Testing

@testable import EventLog

/// What the journal does when its disk or the sealed half fails (LOG-5, LOG-6, LOG-30).
@Suite struct FaultTests {
  let disk = SimulatedDisk()
  let trouble = ModelBackend.Trouble()
  let log = LogID(high: 1, low: 1)

  private func options(_ change: (inout EmbeddedLogStore.Options) -> Void = { _ in })
    -> EmbeddedLogStore.Options
  {
    var options = EmbeddedLogStore.Options()
    options.disk = disk
    options.sealed = ModelBackend.source(disk, trouble: trouble)
    options.segmentBytes = 16 << 10
    // What is in the journal stays there, however long a busy machine takes: damage to sealed frames harms nobody.
    options.sealIdle = .seconds(3_600)
    options.spareSegments = 1
    options.minimumCommitInterval = .zero
    // By the clock of the machine: calls of the disk are counted here.
    options.confirmDelay = .seconds(3_600)
    change(&options)
    return options
  }

  private func open(_ change: (inout EmbeddedLogStore.Options) -> Void = { _ in }) throws -> EmbeddedLogStore
  {
    try EmbeddedLogStore.open(folder: "/store", options: options(change))
  }

  private func body(_ number: Int, _ count: Int = 200) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(number))
    return generator.bytes(count)
  }

  private func append(_ numbers: ClosedRange<Int>, to store: EmbeddedLogStore) async throws {
    for number in numbers {
      let record = Record(kind: 1, time: .zero, actor: 0, body: body(number))
      try await store.append([record], to: log, expecting: nil, epoch: nil)
    }
  }

  private func bodies(_ store: EmbeddedLogStore) async throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    while true {
      let runs = try await store.runs(of: log, after: Revision(UInt64(found.count)), limit: 1 << 30)
      if runs.isEmpty { return found }
      found += runs.flatMap(\.unpacked).map(\.body)
    }
  }

  private static func isStopped(_ error: LogError) -> Bool {
    if case .stopped = error { true } else { false }
  }

  // MARK: Journal

  @Test(
    "LOG-5: a failed write or flush of the journal stops the store: no acknowledgement, no second try",
    arguments: [SimulatedDisk.Call.flush, .write])
  func failStop(_ call: SimulatedDisk.Call) async throws {
    let store = try open()
    _ = try await store.create(log, at: .zero)
    try await append(1...3, to: store)
    let listener = RecordingListener()
    let appender = try await store.open(log, listener: listener)
    disk.inject(.init(call, path: "/journal/", count: 1, .error(code: ErrorNumber.io)))
    let flushes = disk.count(of: .flush)
    try appender.append(body(4))
    await listener.reached(4, of: log)
    #expect(listener.last(of: log) == .zero)
    #expect(listener.failures.map(\.logs) == [[log]])
    #expect(throws: LogError.self) { try appender.append(body(5)) }
    await #expect(throws: LogError.self) { try await append(6...6, to: store) }
    #expect(disk.count(of: .flush) <= flushes + 1, "a flush is not tried again")
    #expect(try await bodies(store) == (1...3).map { body($0) }, "reading goes on")
    store.abandon()

    let again = try open()
    let found = try await bodies(again)
    // The outcome of the failed frame is unknown: it may be there, but nothing acknowledged may be missing.
    #expect(found == (1...3).map { body($0) } || found == (1...4).map { body($0) })
    try await append(5...5, to: again)
    await again.shutdown()
  }

  @Test("Short writes are completed")
  func shortWrites() async throws {
    disk.inject(.init(.write, path: "/journal/", .short(100)))
    let store = try open()
    _ = try await store.create(log, at: .zero)
    try await append(1...5, to: store)
    store.abandon()
    disk.heal()
    let again = try open()
    #expect(try await bodies(again) == (1...5).map { body($0) })
    again.abandon()
  }

  @Test("LOG-6: without space for a segment the store is full, reads go on, and it takes events again later")
  func noSpace() async throws {
    let store = try open {
      $0.spareSegments = 0; $0.liveSegments = 100
    }
    _ = try await store.create(log, at: .zero)
    try await append(1...3, to: store)
    disk.inject(.init(.create, path: "spare-", .error(code: ErrorNumber.noSpace)))
    let listener = RecordingListener()
    let appender = try await store.open(log, listener: listener)
    var refused: LogError?
    var appended = 3
    while refused == nil {
      do { try appender.append(body(appended + 1)) } catch {
        refused = error
        break
      }
      appended += 1
      if appended % 10 == 0 { await Task.yield() }
    }
    guard case .full = refused else {
      Issue.record("refused with \(String(describing: refused))")
      return
    }
    #expect(try await bodies(store).count >= 3)
    disk.heal()
    await listener.reached(Revision(UInt64(appended)), of: log)
    #expect(try await bodies(store) == (1...appended).map { body($0) }, "what was taken is committed")
    try await append((appended + 1)...(appended + 1), to: store)
    #expect(store.statistics.commitStalls > 0)
    await store.shutdown()
  }

  // MARK: Sealed half

  @Test("A sealer behind by two segments makes commits wait; nothing is lost and nobody is refused")
  func backPressure() async throws {
    let store = try open { $0.liveSegments = 1 }
    _ = try await store.create(log, at: .zero)
    trouble.push(.full(place: "database"), times: 2)
    try await append(1...300, to: store)
    #expect(try await bodies(store) == (1...300).map { body($0) })
    #expect(store.statistics.segmentsInUse <= 3)
    #expect(store.statistics.seals > 0)
    await store.shutdown()
  }

  @Test("A sealer without space lets the journal grow to its cap, then events are refused, then taken again")
  func sealerFull() async throws {
    let store = try open { $0.liveSegments = 1 }
    _ = try await store.create(log, at: .zero)
    trouble.stay(.full(place: "database"))
    let listener = RecordingListener()
    let appender = try await store.open(log, listener: listener)
    var appended = 0
    var refused: LogError?
    while refused == nil {
      do { try appender.append(body(appended + 1)) } catch { refused = error }
      if refused == nil { appended += 1 }
      // A group has no room while the one before it is being committed; only the journal's cap lasts.
      if case .full = refused, store.statistics.segmentsInUse < 3 { refused = nil }
      if appended % 10 == 0 { await Task.yield() }
    }
    guard case .full = refused else {
      Issue.record("refused with \(String(describing: refused))")
      return
    }
    #expect(store.statistics.segmentsInUse == 3)
    trouble.clear()
    await listener.reached(Revision(UInt64(appended)), of: log)
    #expect(try await bodies(store) == (1...appended).map { body($0) })
    await store.shutdown()
  }

  @Test("A snapshot that finds no space is refused at once: nobody waits for it", .timeLimit(.minutes(15)))
  func snapshotWithoutSpace() async throws {
    let store = try open()
    _ = try await store.create(log, at: .zero)
    try await append(1...3, to: store)
    trouble.stay(.full(place: "database"))
    let snapshot = Snapshot(
      revision: 3, time: .zero, stateHash: [UInt8](repeating: 1, count: 32), root: [1], parts: [])
    await #expect(throws: LogError.self) { try await store.put(snapshot, for: log) }
    trouble.clear()
    try await store.put(snapshot, for: log)
    await store.shutdown()
  }

  @Test("LOG-7: one failure of the sealer is tried again on a fresh connection; two in a row stop the store")
  func sealerFails() async throws {
    let store = try open()
    _ = try await store.create(log, at: .zero)
    try await append(1...3, to: store)
    let failure = LogError.io(operation: "fsync", path: "log.db", code: ErrorNumber.io)
    trouble.push(failure)
    try await store.seal()
    #expect(store.statistics.sealFailures == 1)
    try await append(4...4, to: store)
    trouble.push(failure, times: 2)
    await #expect(throws: LogError.self) { try await store.seal() }
    await #expect(throws: LogError.self) { try await append(5...5, to: store) }
    store.abandon()
    let again = try open()
    #expect(try await bodies(again) == (1...4).map { body($0) })
    await again.shutdown()
  }

  // MARK: Starting again

  @Test("LOG-1: after a kill everything acknowledged is there, sealed or not, once")
  func kill() async throws {
    for round in 0..<8 {
      let store = try open()
      if round == 0 { _ = try await store.create(log, at: .zero) }
      try await append((round * 20 + 1)...(round * 20 + 20), to: store)
      if round % 3 == 1 { try await store.seal() }
      store.abandon()
    }
    let store = try open()
    #expect(try await bodies(store) == (1...160).map { body($0) })
    await store.shutdown()
  }

  @Test("LOG-4: a damaged frame before intact ones is refused with its place; accepting loss serves the rest")
  func damagedFrame() async throws {
    let other = LogID(high: 1, low: 2)
    let store = try open()
    _ = try await store.create(log, at: .zero)
    _ = try await store.create(other, at: .zero)
    try await append(1...3, to: store)
    try await store.append(
      [Record(kind: 1, time: .zero, actor: 0, body: [7])], to: other, expecting: nil, epoch: nil)
    store.abandon()
    let path = try #require(disk.files.keys.first { $0.hasSuffix(".brj") && !$0.contains("spare") })
    // Frames: two creations of 88 bytes at most, then the runs: hit the second run of `log`.
    let offset = try #require(disk.files[path]?.firstRange(of: body(2)[..<32]))
    disk.tamper(path) { $0[offset] ^= 4 }
    do {
      _ = try open()
      Issue.record("opened in spite of damage")
    } catch LogError.damaged(let damage) {
      #expect(damage.place == path)
      #expect(damage.offset != nil)
    }
    let rest = try open { $0.acceptLoss = true }
    #expect(!rest.damages.isEmpty)
    // What is left of the log: its first event, and its third behind the gap.
    #expect(try await rest.runs(of: log, after: .zero, limit: 1).flatMap(\.unpacked).map(\.body) == [body(1)])
    #expect(try await rest.runs(of: log, after: 2, limit: 1).flatMap(\.unpacked).map(\.body) == [body(3)])
    #expect(try await rest.runs(of: other, after: .zero, limit: 9).flatMap(\.unpacked).map(\.body) == [[7]])
    try await append(9...9, to: rest)
    await rest.shutdown()
    let healed = try open()
    // Accepted once, it is not asked again.
    let behind = try await healed.runs(of: log, after: 2, limit: 1 << 30).flatMap(\.unpacked).map(\.body)
    #expect(behind == [body(3), body(9)])
    await healed.shutdown()
  }

  @Test("A missing journal segment is refused")
  func missingSegment() async throws {
    let store = try open { $0.liveSegments = 100 }
    _ = try await store.create(log, at: .zero)
    try await append(1...200, to: store)
    store.abandon()
    let segments = disk.files.keys.filter { $0.hasSuffix(".brj") && !$0.contains("spare") }.sorted()
    try #require(segments.count > 2)
    for missing in [segments[0], segments[1]] {
      let copy = SimulatedDisk(files: disk.files)
      copy.remove(missing)
      #expect(throws: LogError.self, "without \(missing)") {
        try EmbeddedLogStore.open(folder: "/store", options: options { $0.disk = copy })
      }
    }
  }

  @Test("LOG-4: a journal cut off anywhere in its last frame keeps everything before it")
  func tornTail() async throws {
    let store = try open()
    _ = try await store.create(log, at: .zero)
    try await append(1...3, to: store)
    store.abandon()
    let path = try #require(disk.files.keys.first { $0.hasSuffix(".brj") && !$0.contains("spare") })
    let files = disk.files
    let start = try #require(files[path]?.firstRange(of: body(3)[..<32]))
    for cut in stride(from: start - 40, to: start + 200, by: 7) {
      let copy = SimulatedDisk(files: files)
      copy.tamper(path) { bytes in for at in cut..<bytes.count { bytes[at] = 0 } }
      // A frame that was torn by a power cut was not durable, so nothing says that it was.
      copy.remove("/store/" + CommitMarkFile.name)
      let again = try EmbeddedLogStore.open(
        folder: "/store",
        options: options {
          $0.disk = copy; $0.sealed = ModelBackend.source(copy)
        })
      let found = try await bodies(again)
      #expect(found == [body(1), body(2)], "cut at \(cut)")
      again.abandon()
    }
  }

  @Test("LOG-13: one process writes: a second opening is locked, and open again after the first is closed")
  func locked() async throws {
    let folder = TemporaryFolder()
    var options = EmbeddedLogStore.Options()
    options.segmentBytes = 64 << 10
    let store = try EmbeddedLogStore.open(folder: folder.path, options: options)
    #expect(throws: LogError.locked(path: folder.path + "/LOCK")) {
      try EmbeddedLogStore.open(folder: folder.path, options: options)
    }
    await store.shutdown()
    let again = try EmbeddedLogStore.open(folder: folder.path, options: options)
    await again.shutdown()
  }

  @Test(
    "LOG-13: who has inherited the descriptor of a lock, as a child before its exec, does not keep the lock")
  func inheritedLock() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/LOCK"
    let lock = try SystemDisk().lock(path)
    let inherited = dup(try #require(lock as? SystemFile).descriptor)
    defer { close(inherited) }
    lock.close()
    let again = try SystemDisk().lock(path)
    again.close()
  }

  @Test(
    "LOG-13: a folder can be read while a server writes: nothing is written, nothing acknowledged missing")
  func readOnly() async throws {
    let folder = TemporaryFolder()
    var options = EmbeddedLogStore.Options()
    options.segmentBytes = 64 << 10
    options.minimumCommitInterval = .zero
    let store = try EmbeddedLogStore.open(folder: folder.path, options: options)
    _ = try await store.create(log, at: .zero)
    var reading = options
    reading.readOnly = true
    for round in 0..<10 {
      try await append((round * 40 + 1)...(round * 40 + 40), to: store)
      if round % 4 == 1 { try await store.seal() }
      let viewer = try EmbeddedLogStore.open(folder: folder.path, options: reading)
      #expect(try await bodies(viewer) == (1...(round * 40 + 40)).map { body($0) })
      await #expect(throws: LogError.readOnly) { try await append(1...1, to: viewer) }
      await #expect(throws: LogError.readOnly) { try await viewer.delete(log) }
      await viewer.shutdown()
    }
    await store.shutdown()
  }
}

extension [UInt8] {
  /// Where `part` begins.
  func firstRange(of part: ArraySlice<UInt8>) -> Int? {
    let wanted = Array(part)
    guard count >= wanted.count else { return nil }
    return (0...(count - wanted.count)).first {
      self[$0] == wanted[0] && Array(self[$0..<$0 + wanted.count]) == wanted
    }
  }
}
