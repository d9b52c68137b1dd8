import EventLog
import EventLogModel
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Waits for commits: the listener counts events, the writer waits until its own are durable.
final class CommitWaiter: CommitListener {
  private let durable = Atomic<Int>(0)

  func committed(_ runs: [CommittedRun]) {
    durable.add(runs.reduce(0) { $0 + $1.run.count }, ordering: .releasing)
  }
  func failed(_ logs: [LogID], _ error: LogError) {
    fatalError("the store failed during a measurement: \(error)")
  }

  var events: Int { durable.load(ordering: .acquiring) }

  /// Spins until `count` events are durable, so that no context switch is part of the figure.
  func wait(for count: Int) {
    while events < count {}
  }

  /// Lets others run until `count` events are durable: a server on the same machine needs the core.
  func yield(until count: Int) {
    while events < count { sched_yield() }
  }

  /// Sleeps until `count` events are durable, for measuring throughput.
  func rest(until count: Int) {
    while events < count { usleep(200) }
  }
}

/// Measures commits (docs/BENCHMARKS.md) and, in turn with them in the same run, a loop that only writes and syncs.
struct CommitBench {
  var folder: String
  var report: Report

  func latency(_ workload: Workload) async throws {
    report.head("Durable commits, one writer waiting for each (goals 1 and 2)")
    for (events, goal) in [(1, 1.15), (8, 1.15), (64, 1.4), (512, 2.5)] {
      var options = EmbeddedLogStore.Options()
      options.minimumCommitInterval = .zero
      let store = try EmbeddedLogStore.open(folder: folder + "/commit\(events)", options: options)
      let rooms = try await openRooms(store, count: 64)
      var raw = RawDisk(folder: folder)
      var ours = Sample(), theirs = Sample()
      var at = 0, total = 0
      let rounds = events > 100 ? 400 : 800
      var cpu = 0.0
      for _ in 0..<rounds {
        let bytes = workload.items[at % 5_000].body.count * events * 6 / 10
        theirs.add(raw.commit(bytes: bytes))
        let began = Clock.now, cpuBegan = Clock.cpu
        // As a loop of rooms does it.
        let isTurn = store.beginTurn()
        try rooms.together { () throws(LogError) in
          for _ in 0..<events {
            try rooms.append(workload.items[at % workload.items.count], room: at % 64)
            at += 1
          }
        }
        if isTurn { store.endTurn() }
        total += events
        rooms.waiter.wait(for: total)
        ours.add(Clock.now - began)
        cpu += Clock.cpu - cpuBegan
      }
      raw.end()
      let mine = ours.quantile(0.5), limit = theirs.quantile(0.5)
      report.row(
        Figure(
          "p50 of a durable commit of \(events)",
          mine.microseconds + ", p99 " + ours.quantile(0.99).microseconds,
          limit: "raw sync " + limit.microseconds + ", ratio " + (mine / limit).fixed(2),
          goal: "<= \(goal) x (reach \((goal * 1.25).fixed(2)))", met: mine / limit <= goal * 1.25))
      await store.shutdown()
    }
  }

  func cpuAndBytes(_ workload: Workload) async throws {
    report.head("Steady state with sealing (goals 2, 4, 5)")
    for (batch, writeGoal) in [(64, 4.0), (512, 4.0), (1_024, 2.2)] {
      let path = folder + "/steady\(batch)"
      var options = EmbeddedLogStore.Options()
      options.minimumCommitInterval = .zero
      let store = try EmbeddedLogStore.open(folder: path, options: options)
      let rooms = try await openRooms(store, count: 64)
      let count = batch == 64 ? 500_000 : 2_000_000
      let written = Clock.bytesWritten, cpu = Clock.cpu, began = Clock.now
      var raw = 0, total = 0
      while total < count {
        try rooms.together { () throws(LogError) in
          for _ in 0..<batch {
            let item = workload.items[total % workload.items.count]
            raw += item.body.count + 4
            try rooms.append(item, room: (total / 16) % 64)
            total += 1
          }
        }
        rooms.waiter.rest(until: total)
      }
      try await store.seal()
      let seconds = Clock.now - began, used = Clock.cpu - cpu, bytes = Clock.bytesWritten - written
      // The one-time zero fill of the segments is not part of a steady state.
      let fill = store.statistics.segmentsInUse + store.statistics.spareSegments
      let amplification = Double(bytes - fill * options.segmentBytes) / Double(raw)
      let sealed = try await store.logs(after: nil, limit: 100)
      let stored = sealed.reduce(0) { $0 + $1.storedBytes }, plain = sealed.reduce(0) { $0 + $1.rawBytes }
      report.row(
        Figure(
          "CPU an event at \(batch) a commit, sealing and chain included",
          (used / Double(total)).microseconds,
          limit: (Double(total) / seconds).fixed(0) + " events/s",
          goal: batch == 512 ? "<= 1.0 µs (reach 1.25)" : "",
          met: batch == 512 ? used / Double(total) <= 1.25e-6 : nil))
      report.row(
        Figure(
          "bytes written a raw byte at \(batch) a commit", amplification.fixed(2),
          limit: "\(raw >> 20) MiB raw",
          goal: "<= \(writeGoal) (reach \((writeGoal * 1.25).fixed(2)))",
          met: amplification <= writeGoal * 1.25))
      report.row(
        Figure(
          "stored bytes a row byte", (Double(stored) / Double(max(1, plain))).fixed(3),
          goal: "<= 0.50 (reach 0.625)",
          met: Double(stored) / Double(max(1, plain)) <= 0.625))
      await store.shutdown()
    }
  }

  /// Appends at a fixed rate and times from append to durable.
  func openLoop(_ workload: Workload) async throws {
    report.head("Open loop over 1,000 rooms (goal 3)")
    var raw = RawDisk(folder: folder)
    var limit = Sample()
    for _ in 0..<500 { limit.add(raw.commit(bytes: 4_096)) }
    raw.end()
    let disk = "; raw sync p99 " + limit.quantile(0.99).milliseconds
    for rate in [100_000, 500_000] {
      let store = try EmbeddedLogStore.open(folder: folder + "/open\(rate)")
      let rooms = try await openRooms(store, count: 1_000)
      let seconds = 3.0
      var sent = 0, seen = 0
      var delays = Sample()
      let began = Clock.now, cpu = Clock.cpu
      while sent < Int(Double(rate) * seconds) {
        let due = min(Int((Clock.now - began) * Double(rate)), sent + 4_096)
        while sent < due {
          try rooms.append(workload.items[sent % workload.items.count], room: sent % 1_000)
          sent += 1
        }
        let durable = rooms.waiter.events, now = Clock.now
        while seen < durable {
          if seen % 64 == 0 { delays.add(now - (began + Double(seen) / Double(rate))) }
          seen += 1
        }
        usleep(50)
      }
      rooms.waiter.rest(until: sent)
      let wall = Clock.now - began
      let kept = Double(sent) / wall
      report.row(
        Figure(
          "\(rate) events/s offered",
          "\(kept.fixed(0)) events/s durable, ack p50 " + delays.quantile(0.5).milliseconds
            + ", p99 " + delays.quantile(0.99).milliseconds,
          limit: ((Clock.cpu - cpu) / wall).fixed(2) + " cores, generator included" + disk,
          goal: rate == 100_000 ? "p99 < 5 ms (reach 6.25)" : "kept up (reach 400,000)",
          met: rate == 100_000 ? delays.quantile(0.99) < 6.25e-3 : kept > 400_000))
      await store.shutdown()
    }
  }

  /// - Parameter first: the number of the first room, which no other room of the store has.
  func openRooms(_ store: any LogStore, count: Int, from first: Int = 0) async throws -> OpenRooms {
    let waiter = CommitWaiter()
    var appenders: [any LogAppender] = []
    for number in 0..<count {
      let log = LogID(high: 0xbe7c, low: UInt64(first + number + 1))
      _ = try await store.create(log, at: Timestamp(milliseconds: 1_700_000_000_000))
      appenders.append(try await store.open(log, listener: waiter))
    }
    return OpenRooms(waiter: waiter, appenders: appenders)
  }
}

/// The rooms of one writer; used by one thread at a time.
final class OpenRooms: @unchecked Sendable {
  let waiter: CommitWaiter
  private let appenders: [any LogAppender]
  private var time = 1_700_000_000_000 as Int64

  init(waiter: CommitWaiter, appenders: [any LogAppender]) {
    self.waiter = waiter
    self.appenders = appenders
  }

  /// Commits everything that `body` appends in one commit.
  func together(_ body: () throws(LogError) -> Void) throws(LogError) {
    try appenders[0].together(body)
  }

  func append(_ item: Workload.Item, room: Int) throws(LogError) {
    time += item.step / 8
    let at = Timestamp(milliseconds: time)
    let appender = appenders[room]
    var failure: LogError?
    item.body.withUnsafeBytes { bytes in
      do throws(LogError) {
        try appender.append(kind: item.kind, actor: item.actor, time: at, body: bytes)
      } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
