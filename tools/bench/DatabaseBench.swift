#if BOARDROOM_POSTGRES
  import EventLog
  import EventLogModel
  import PostgresLog

  /// Measures commits into a database and, in turn with them in the same run, into a folder (docs/CLUSTER.md). What the
  /// database's own processes cost, tools/try-cluster costs adds.
  struct DatabaseBench {
    var address: String
    var folder: String
    var report: Report
    var commits: CommitBench

    /// One writer waits for each commit, in a folder and in the database by turns.
    func latency(_ workload: Workload) async throws {
      report.head("Durable commits in a database, one writer waiting for each")
      for events in [1, 8, 64, 512] {
        var options = EmbeddedLogStore.Options()
        options.minimumCommitInterval = .zero
        let store = try EmbeddedLogStore.open(folder: folder + "/beside\(events)", options: options)
        let database = try open()
        let here = try await commits.openRooms(store, count: 64)
        let there = try await commits.openRooms(database, count: 64, from: events * 1_000)
        var (ours, theirs) = (Sample(), Sample())
        for round in 0..<(events > 100 ? 300 : 600) {
          theirs.add(try commit(here, in: store, round, events, workload))
          ours.add(try commit(there, in: database, round, events, workload))
        }
        let (mine, limit) = (ours.quantile(0.5), theirs.quantile(0.5))
        report.row(
          Figure(
            "p50 of a durable commit of \(events) in a database",
            mine.microseconds + ", p99 " + ours.quantile(0.99).microseconds,
            limit: "in a folder " + limit.microseconds + ", p99 " + theirs.quantile(0.99).microseconds,
            goal: "<= a folder's and 1.5 ms", met: mine - limit <= 1.5e-3))
        await store.shutdown()
        await database.shutdown()
      }
    }

    /// Only writes, as fast as commits come back, and says how much that was.
    func steady(_ workload: Workload, batch: Int, count: Int) async throws {
      let store = try open()
      let rooms = try await commits.openRooms(store, count: 64, from: 1_000_000 + batch * 1_000)
      let (cpu, began) = (Clock.cpu, Clock.now)
      var (raw, total) = (0, 0)
      while total < count {
        try rooms.together { () throws(LogError) in
          for _ in 0..<batch {
            let item = workload.items[total % workload.items.count]
            raw += item.body.count + 4
            try rooms.append(item, room: (total / 16) % 64)
            total += 1
          }
        }
        rooms.waiter.yield(until: total)
      }
      try await store.seal()
      let (seconds, used) = (Clock.now - began, Clock.cpu - cpu)
      report.row(
        Figure(
          "\(total) events at \(batch) a commit",
          "\((Double(total) / seconds).fixed(0)) events/s, \(raw) raw bytes",
          limit: "with the writer's own " + (used / Double(total)).microseconds + " an event", goal: ""))
      await store.shutdown()
    }

    private func open() throws -> PostgresLogStore {
      var options = PostgresLogStore.Options()
      options.minimumCommitInterval = .zero
      options.sharing = .init(address: "127.0.0.1:1")
      return try PostgresLogStore.open(address: address, options: options)
    }

    /// Seconds of one commit.
    private func commit(
      _ rooms: OpenRooms, in store: any LogStore, _ round: Int, _ events: Int, _ workload: Workload
    ) throws -> Double {
      let began = Clock.now
      let isTurn = store.beginTurn()
      try rooms.together { () throws(LogError) in
        for number in 0..<events {
          let at = round * events + number
          try rooms.append(workload.items[at % workload.items.count], room: at % 64)
        }
      }
      if isTurn { store.endTurn() }
      rooms.waiter.yield(until: (round + 1) * events)
      return Clock.now - began
    }
  }
#endif
