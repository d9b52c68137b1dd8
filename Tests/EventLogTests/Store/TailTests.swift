import EventLogModel
import StorageTestKit
import Testing

@testable import EventLog

/// What stays in memory, and what the statistics say of it.
@Suite struct TailTests {
  private let log = LogID(high: 4, low: 4)

  @Test("After sealing, an open log keeps only its last sealed piece in memory, a closed one nothing")
  func bound() async throws {
    let folder = TemporaryFolder()
    var options = EmbeddedLogStore.Options()
    options.segmentBytes = 1 << 20
    let store = try EmbeddedLogStore.open(folder: folder.path, options: options)
    _ = try await store.create(log, at: .zero)
    let listener = RecordingListener()
    let appender = try await store.open(log, listener: listener)
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<1_000 { try appender.append(generator.bytes(400)) }
    await listener.reached(1_000, of: log)
    try await store.seal()
    let open = store.statistics
    #expect(open.unsealedBytes == 0)
    #expect(open.tailBytes > 0)
    #expect(open.tailBytes <= LogTail.chunkBytes)
    #expect(open.events == 1_000)
    #expect(open.openLogs == 1)
    #expect(open.logs == 1)
    #expect(open.sealedBytes >= 400_000)
    #expect(open.seals > 0)
    #expect(open.commitLatency.count == open.commits)
    appender.close()
    #expect(store.statistics.tailBytes == 0)
    #expect(store.statistics.openLogs == 0)
    let read = try await store.runs(of: log, after: 990, limit: 1 << 20)
    #expect(read.first?.first == 991, "what is not in memory is read from the database")
    await store.shutdown()
  }

  @Test("What a tail says that it holds is what it holds, however far apart its runs are in time")
  func bytesHeld() {
    var tail = LogTail()
    for number in UInt64(1)...300 {
      var builder = RunBuilder(first: Revision(number))
      // A day apart: joined to the run before, the time takes four bytes more than alone.
      let time = Timestamp(milliseconds: Int64(number) * 86_400_000)
      [UInt8](repeating: 1, count: Int(number)).withUnsafeBytes {
        builder.append(kind: 1, actor: 0, time: time, body: $0)
      }
      guard let run = builder.takeRun() else { return }
      tail.append(run, at: JournalPlace(segment: 1, frame: number))
      #expect(tail.unsealedBytes == tail.runs.reduce(0) { $0 + $1.records.count })
    }
    _ = tail.piecesToSeal(all: true)
    for next in stride(from: UInt64(1), through: 301, by: 20) {
      tail.sealed(before: Revision(next), keeping: false)
      #expect(tail.unsealedBytes == tail.runs.reduce(0) { $0 + $1.records.count })
    }
    #expect(tail.byteCount == 0)
  }

  @Test("Runs of any sizes come back from a tail in order, whatever was sealed")
  func pieces() {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<30 {
      var tail = LogTail()
      var all: [Record] = []
      var next: Revision = 1
      for segment in 1...20 as ClosedRange<UInt64> {
        var builder = RunBuilder(first: next)
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
          let length = Int.random(in: 0...20_000, using: &generator)
          let record = Record(
            kind: 1, time: Timestamp(milliseconds: Int64(all.count)), actor: 0,
            body: [UInt8](repeating: 1, count: length))
          builder.append(record)
          all.append(record)
        }
        let run = builder.takeRun()!
        next = run.lastRevision.next
        tail.append(run, at: JournalPlace(segment: segment, frame: segment))
        if Bool.random(using: &generator),
          let last = tail.piecesToSeal(all: Bool.random(using: &generator)).last
        {
          tail.sealed(before: last.lastRevision.next, keeping: true)
        }
        let held = tail.runs.flatMap(\.unpacked)
        #expect(held == Array(all.suffix(held.count)))
        #expect(tail.oldest.map { $0.segment <= segment } ?? true)
        #expect(tail.isSealed == (tail.oldest == nil))
      }
    }
  }
}
