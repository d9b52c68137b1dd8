import EventLogModel

extension LogStoreContract {
  static let readRules: [Rule] = [
    Rule("Reading after any revision gives exactly the rest, whatever the limit") { store in
      _ = try await store.create(name(1), at: start)
      let expected = records(1...60)
      for batch in stride(from: 0, to: 60, by: 7) {
        let part = Array(expected[batch..<min(60, batch + 7)])
        _ = try await store.append(part, to: name(1), expecting: nil, epoch: nil)
      }
      for limit in [1, 50, 1 << 20] {
        for cut in stride(from: 0, through: 60, by: 5) {
          let rest = try await all(store, name(1), after: Revision(UInt64(cut)), limit: limit)
          try expect(rest == Array(expected[cut...]), "after \(cut), limit \(limit)")
        }
      }
      try expect(try await store.read(name(1), after: 60, limit: 9).isEmpty, "nothing after the end")
    },
    Rule("Reading after a revision that has not happened is beyondEnd") { store in
      _ = try await store.create(name(1), at: start)
      _ = try await store.append(records(1...2), to: name(1), expecting: nil, epoch: nil)
      try await expectError("beyondEnd", { $0 == .beyondEnd(name(1), asked: 3, last: 2) }) {
        _ = try await store.read(name(1), after: 3, limit: 1)
      }
    },
    Rule("revision(at:) is the last event not after the time, with ties, before the first and after the last")
    {
      store in
      _ = try await store.create(name(1), at: start)
      let times: [Int64] = [10, 20, 20, 20, 30, 30, 50]
      for time in times {
        let record = Record(kind: 1, time: start + .milliseconds(time), actor: 0, body: [])
        _ = try await store.append([record], to: name(1), expecting: nil, epoch: nil)
      }
      let cases: [(Int64, Revision)] = [
        (0, 0), (9, 0), (10, 1), (19, 1), (20, 4), (29, 4), (30, 6), (49, 6), (50, 7), (1_000, 7),
      ]
      for (time, revision) in cases {
        let found = try await store.revision(in: name(1), at: start + .milliseconds(time))
        try expect(found == revision, "at \(time) revision \(revision), but found \(found)")
      }
    },
    Rule("Revisions at a time agree with the events read, over many blocks") { store in
      _ = try await store.create(name(1), at: start)
      var generator = SeededGenerator(seed: 11)
      var time = start
      var times: [Timestamp] = []
      for _ in 0..<40 {
        var batch: [Record] = []
        for _ in 0..<20 {
          time = time + .milliseconds(Int64.random(in: 0...3, using: &generator))
          times.append(time)
          batch.append(Record(kind: 1, time: time, actor: 1, body: generator.bytes(150)))
        }
        _ = try await store.append(batch, to: name(1), expecting: nil, epoch: nil)
      }
      for offset in stride(from: Int64(-1), to: 1_300, by: 37) {
        let moment = start + .milliseconds(offset)
        let expected = Revision(UInt64(times.count { $0 <= moment }))
        let found = try await store.revision(in: name(1), at: moment)
        try expect(found == expected, "at \(offset) revision \(expected), but found \(found)")
      }
    },
    Rule("The spans after any revision cover exactly the rest, in order, and tell its times") { store in
      _ = try await store.create(name(1), at: start)
      try expect(try await store.spans(of: name(1), after: .zero, limit: 9).isEmpty, "none in an empty log")
      var generator = SeededGenerator(seed: 5)
      var times: [Timestamp] = []
      for batch in 0..<60 {
        let part = (0..<20).map { number in
          Record(
            kind: 1, time: start + .milliseconds(Int64(batch * 20 + number) * 3), actor: 1,
            body: generator.bytes(Int.random(in: 10...300, using: &generator)))
        }
        times += part.map(\.time)
        _ = try await store.append(part, to: name(1), expecting: nil, epoch: nil)
      }
      for cut in [0, 1, 19, 20, 399, 400, 1_000, 1_199, 1_200] {
        let spans = try await store.spans(of: name(1), after: Revision(UInt64(cut)), limit: 10_000)
        try expect(spans.isEmpty == (cut == 1_200), "after \(cut) something is left")
        try expect(spans.first.map { $0.first <= Revision(UInt64(cut) + 1) } ?? true, "from \(cut) on")
        try expect(spans.last.map { $0.last == 1_200 } ?? true, "to the end, after \(cut)")
        for (left, right) in zip(spans, spans.dropFirst()) {
          try expect(right.first == left.last.next, "no gap after \(left.last)")
        }
        for span in spans {
          let (first, last) = (Int(span.first.rawValue) - 1, Int(span.last.rawValue) - 1)
          try expect(span.begin <= times[first] && span.end == times[last], "times of \(span)")
          try expect(first == 0 || span.begin >= times[first - 1], "not before the event before \(span)")
          try expect(span.bytes > 0, "bytes of \(span)")
        }
      }
      let whole = try await store.spans(of: name(1), after: .zero, limit: 10_000)
      for limit in [0, 1, 2] {
        let some = try await store.spans(of: name(1), after: .zero, limit: limit)
        try expect(some.count == min(limit, whole.count), "at most \(limit)")
      }
      try await expectError("beyondEnd", { $0 == .beyondEnd(name(1), asked: 1_201, last: 1_200) }) {
        _ = try await store.spans(of: name(1), after: 1_201, limit: 1)
      }
    },
  ]

  static let keepRules: [Rule] = [
    Rule("latestSnapshot is the newest at or below the revision") { store in
      _ = try await store.create(name(1), at: start)
      _ = try await store.append(records(1...30), to: name(1), expecting: nil, epoch: nil)
      try expect(try await store.latestSnapshot(of: name(1), notAfter: 30) == nil, "none yet")
      for revision: UInt64 in [10, 20] { try await store.put(snapshot(revision), for: name(1)) }
      for (asked, expected): (UInt64, UInt64?) in [(9, nil), (10, 10), (19, 10), (20, 20), (30, 20)] {
        let found = try await store.latestSnapshot(of: name(1), notAfter: Revision(asked))
        try expect(found == expected.map(snapshot), "not after \(asked): \(String(describing: expected))")
      }
    },
    Rule("Snapshots are listed oldest first, with their times") { store in
      _ = try await store.create(name(1), at: start)
      _ = try await store.append(records(1...30), to: name(1), expecting: nil, epoch: nil)
      try expect(try await store.snapshots(of: name(1)).isEmpty, "none yet")
      for revision: UInt64 in [20, 10] { try await store.put(snapshot(revision), for: name(1)) }
      let found = try await store.snapshots(of: name(1))
      try expect(found.map(\.revision) == [10, 20], "10, 20 but found \(found)")
      try expect(found.map(\.time) == [snapshot(10).time, snapshot(20).time], "their times")
      try expect(found.allSatisfy { $0.bytes >= 10 }, "root and part are counted")
    },
    Rule("A snapshot of what has not happened is beyondEnd") { store in
      _ = try await store.create(name(1), at: start)
      try await expectError("beyondEnd", { $0 == .beyondEnd(name(1), asked: 4, last: 0) }) {
        try await store.put(snapshot(4), for: name(1))
      }
    },
    Rule("Trimming needs a snapshot, never passes it, and what is gone is trimmed") { store in
      _ = try await store.create(name(1), at: start)
      for batch in 0..<40 {
        let part = (0..<10).map { number in
          Record(
            kind: 1, time: start + .milliseconds(Int64(batch * 10 + number)), actor: 0,
            body: [UInt8](repeating: UInt8(batch), count: 400))
        }
        _ = try await store.append(part, to: name(1), expecting: nil, epoch: nil)
      }
      try expect(try await store.trim(name(1), below: 300) == 1, "nothing goes without a snapshot")
      try await store.put(snapshot(350), for: name(1))
      let low = try await store.trim(name(1), below: 401)
      try expect(low > 1 && low <= 350, "low is above 1 and not above the snapshot, but \(low)")
      try expect(try await store.info(of: name(1)).low == low, "info tells the new low")
      try await expectError("trimmed", { $0 == .trimmed(name(1), low: low) }) {
        _ = try await store.read(name(1), after: .zero, limit: 1)
      }
      try await expectError("trimmed", { $0 == .trimmed(name(1), low: low) }) {
        _ = try await store.spans(of: name(1), after: .zero, limit: 1)
      }
      try expect(
        try await store.spans(of: name(1), after: low.previous, limit: 1).first?.first == low, "from low on")
      let rest = try await all(store, name(1), after: low.previous, limit: 1 << 20)
      try expect(rest.count == 401 - Int(low.rawValue), "everything from low on is there")
    },
    Rule("With a snapshot at the last event a trim may leave no event, and the log goes on") { store in
      _ = try await store.create(name(1), at: start)
      _ = try await store.append(records(1...20), to: name(1), expecting: nil, epoch: nil)
      try await store.put(snapshot(20), for: name(1))
      try expect(try await store.trim(name(1), below: 21) == 21, "all goes")
      let info = try await store.info(of: name(1))
      try expect(info.low == 21 && info.last == 20, "info tells both")
      try expect(try await store.read(name(1), after: 20, limit: 1).isEmpty, "nothing is read")
      try expect(try await store.spans(of: name(1), after: 20, limit: 1).isEmpty, "and lies nowhere")
      try expect(try await store.revision(in: name(1), at: info.lastTime) == 20, "its time is known")
      try expect(
        try await store.latestSnapshot(of: name(1), notAfter: 20)?.revision == 20, "the snapshot stays")
      try await expectError("trimmed", { $0 == .trimmed(name(1), low: 21) }) {
        _ = try await store.read(name(1), after: 19, limit: 1)
      }
      _ = try await store.append(records(21...30), to: name(1), expecting: 20, epoch: nil)
      let rest = try await all(store, name(1), after: 20, limit: 1 << 20)
      try expect(rest.count == 10, "what follows is there")
      try await store.clearRemains()
      try expect(try await all(store, name(1), after: 20, limit: 1 << 20).count == 10, "also afterwards")
    },
    Rule("After shutdown the store takes nothing and says why") { store in
      _ = try await store.create(name(1), at: start)
      await store.shutdown()
      try await expectError("stopped", { if case .stopped = $0 { true } else { false } }) {
        _ = try await store.append(records(1...1), to: name(1), expecting: nil, epoch: nil)
      }
    },
  ]

  static func snapshot(_ revision: UInt64) -> Snapshot {
    let part = SnapshotPart(key: [UInt8](repeating: UInt8(revision % 256), count: 16), bytes: [1, 2, 3])
    return Snapshot(
      revision: Revision(revision), time: start + .milliseconds(Int64(revision) * 10),
      stateHash: [UInt8](repeating: 9, count: 32), root: Array("root \(revision)".utf8), parts: [part])
  }
}
