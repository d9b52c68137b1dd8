#if BOARDROOM_POSTGRES
  import EventLog
  import EventLogModel
  import Foundation
  import PostgresLog

  /// Commits into a database at a fixed pace for a long time, from several nodes, and says how long a commit takes in each
  /// part of that time: whether what grows meanwhile, tables and what is dead in them, makes commits slower. What the tables
  /// have grown to, tools/try-cluster pace adds.
  struct PaceBench {
    var address: String
    var report: Report
    var commits: CommitBench
    /// Commits a second, of all nodes together.
    var rate: Int
    /// Events of one commit.
    var batch: Int
    var minutes: Int

    /// Three, because a node has one commit under way: with two standbys one node comes to some hundreds a second.
    private static let nodes = 3
    /// Parts of the time that are told of singly.
    private static let parts = 6

    func run(_ workload: Workload) async throws {
      report.head(
        "\(rate) commits a second for \(minutes) minutes, \(Self.nodes) nodes, \(batch) events each")
      let length = Double(minutes) * 60 / Double(Self.parts)
      var parts = try await withThrowingTaskGroup(of: [Sample].self) { group in
        for node in 0..<Self.nodes {
          group.addTask { try await write(as: node, workload, length) }
        }
        return try await group.reduce(into: [Sample](repeating: Sample(), count: Self.parts)) { sum, found in
          for (index, part) in found.enumerated() { sum[index].add(part) }
        }
      }
      var p99: [Double] = []
      for index in parts.indices {
        p99.append(parts[index].quantile(0.99))
        let rate = Double(parts[index].count) / length
        report.row(
          Figure(
            "part \(index + 1) of \(Self.parts): a commit of \(batch)",
            "p50 " + parts[index].quantile(0.5).milliseconds + ", p99 " + p99[index].milliseconds
              + ", longest " + parts[index].quantile(1).milliseconds, limit: rate.fixed(0) + " a second"))
      }
      guard let first = p99.first, let last = p99.last, first > 0 else { return }
      report.row(
        Figure(
          "p99 of the last part by that of the first", (last / first).fixed(2), goal: "<= 1.2: no growth",
          met: last / first <= 1.2))
    }

    /// One node's part: a commit each time it is due, or as soon as the one before is durable.
    private func write(
      as node: Int, _ workload: Workload, _ length: Double
    ) async throws -> [Sample] {
      var options = PostgresLogStore.Options()
      options.node = "pace\(node)"
      var sharing = PostgresLogStore.Sharing(address: "127.0.0.1:\(node + 1)")
      // What else the machine does for an hour must not make one node take another for dead.
      sharing.silence = .seconds(60)
      options.sharing = sharing
      let store = try PostgresLogStore.open(address: address, options: options)
      let rooms = try await commits.openRooms(store, count: 64, from: 5_000_000 + node * 1_000)
      let interval = Double(Self.nodes) / Double(rate)
      let parts = await onOwnThread {
        pace(rooms, workload, length, interval)
      }
      try await store.seal()
      await store.shutdown()
      return parts
    }

    /// Seconds of the commits in each part of the time, from when each was due.
    private func pace(
      _ rooms: OpenRooms, _ workload: Workload, _ length: Double, _ interval: Double
    ) -> [Sample] {
      let began = Clock.now
      var parts = [Sample](repeating: Sample(), count: Self.parts)
      var (done, total) = (0, 0)
      while true {
        let due = began + Double(done) * interval
        let part = Int((due - began) / length)
        guard part < Self.parts else { return parts }
        let wait = due - Clock.now
        if wait > 0 { usleep(UInt32(wait * 1e6)) }
        do throws(LogError) {
          try rooms.together { () throws(LogError) in
            for _ in 0..<batch {
              try rooms.append(workload.items[total % workload.items.count], room: (total / 16) % 64)
              total += 1
            }
          }
        } catch { fatalError("the store failed during a measurement: \(error)") }
        rooms.waiter.rest(until: total)
        parts[part].add(Clock.now - due)
        done += 1
      }
    }

    private func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
      await withCheckedContinuation { waiting in
        Thread.detachNewThread { waiting.resume(returning: work()) }
      }
    }
  }

#endif
