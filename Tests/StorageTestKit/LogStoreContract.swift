import EventLog
import EventLogModel

/// What every `LogStore` promises, as functions that any store can be put through. Each throws a
/// `ContractViolation` that says which promise was broken.
public enum LogStoreContract {
  public struct Rule: Sendable, CustomStringConvertible {
    public let description: String
    public let check: @Sendable (any LogStore) async throws -> Void

    init(_ description: String, _ check: @escaping @Sendable (any LogStore) async throws -> Void) {
      self.description = description
      self.check = check
    }
  }

  public static let rules: [Rule] = catalogRules + appendRules + readRules + keepRules

  static let start = Timestamp(milliseconds: 1_700_000_000_000)
  static func name(_ number: UInt64) -> LogID { LogID(high: 7, low: number) }

  static func expect(_ condition: Bool, _ promise: String) throws {
    guard condition else { throw ContractViolation(promise: promise) }
  }

  static func expectError(
    _ expected: String, _ isExpected: (LogError) -> Bool, _ body: () async throws -> Void
  ) async throws {
    do { try await body() } catch let error as LogError {
      return try expect(isExpected(error), "\(expected), but it was: \(error)")
    }
    throw ContractViolation(promise: "\(expected), but nothing was thrown")
  }

  /// Records whose bodies say where they belong.
  static func records(_ range: ClosedRange<Int>, step: Int64 = 10) -> [Record] {
    range.map { number in
      Record(
        kind: UInt8(number % 7), time: start + .milliseconds(Int64(number) * step), actor: UInt64(number % 3),
        body: Array("record \(number)".utf8))
    }
  }

  static func all(_ store: any LogStore, _ log: LogID, after: Revision = .zero, limit: Int) async throws
    -> [Record]
  {
    var found: [Record] = []
    var cursor = after
    while true {
      let runs = try await store.runs(of: log, after: cursor, limit: limit)
      guard let last = runs.last else { return found }
      try expect(runs[0].first == cursor.next, "reading goes on right after the cursor")
      for (left, right) in zip(runs, runs.dropFirst()) {
        try expect(right.first == left.lastRevision.next, "runs of one read have no gaps")
      }
      found += runs.flatMap(\.unpacked)
      cursor = last.lastRevision
    }
  }
}

public struct ContractViolation: Error, CustomStringConvertible {
  public let promise: String
  public var description: String { "broken promise: \(promise)" }
}

// MARK: Catalog

extension LogStoreContract {
  static let catalogRules: [Rule] = [
    Rule("A created log is there, empty, and has the time it was given") { store in
      let made = try await store.create(name(1), at: start)
      let info = try await store.info(of: name(1))
      try expect(made.epoch == info.epoch, "create and info tell the same epoch")
      try expect(info.last == .zero && info.low == 1, "a new log is empty")
      try expect(info.lastTime == start && info.created == start, "an empty log's time is its creation")
    },
    Rule("A name is given once, and not again after deletion") { store in
      _ = try await store.create(name(1), at: start)
      try await expectError("logExists", { $0 == .logExists(name(1)) }) {
        _ = try await store.create(name(1), at: start)
      }
      try await store.delete(name(1))
      try await expectError("deleted", { $0 == .deleted(name(1)) }) {
        _ = try await store.create(name(1), at: start)
      }
      try await expectError("deleted", { $0 == .deleted(name(1)) }) { _ = try await store.info(of: name(1)) }
      try await expectError("deleted", { $0 == .deleted(name(1)) }) {
        _ = try await store.read(name(1), after: .zero, limit: 1)
      }
    },
    Rule("A log that is not there is noSuchLog everywhere") { store in
      let missing = { (error: LogError) in error == .noSuchLog(name(9)) }
      try await expectError("noSuchLog", missing) { _ = try await store.info(of: name(9)) }
      try await expectError("noSuchLog", missing) {
        _ = try await store.open(name(9), listener: RecordingListener())
      }
      try await expectError("noSuchLog", missing) {
        _ = try await store.append(records(1...1), to: name(9), expecting: nil, epoch: nil)
      }
      try await expectError("noSuchLog", missing) { try await store.delete(name(9)) }
    },
    Rule("A given epoch is kept") { store in
      let info = try await store.create(name(1), epoch: Epoch(42), at: start)
      let again = try await store.info(of: name(1))
      try expect(info.epoch == Epoch(42) && again.epoch == Epoch(42), "epoch 42")
    },
    Rule("Logs are listed in order of their names, page by page, without the deleted") { store in
      for number: UInt64 in [5, 3, 9, 1, 7] { _ = try await store.create(name(number), at: start) }
      try await store.delete(name(3))
      var names: [LogID] = []
      while true {
        let page = try await store.logs(after: names.last, limit: 2)
        if page.isEmpty { break }
        try expect(page.count <= 2, "a page has at most `limit` logs")
        names += page.map(\.log)
      }
      try expect(names == [1, 5, 7, 9].map(name), "1, 5, 7, 9 but found \(names)")
    },
  ]
}

// MARK: Appending

extension LogStoreContract {
  static let appendRules: [Rule] = [
    Rule("append answers with the last revision once it can be read") { store in
      _ = try await store.create(name(1), at: start)
      let last = try await store.append(records(1...5), to: name(1), expecting: .zero, epoch: nil)
      try expect(last == 5, "revision 5")
      let found = try await all(store, name(1), limit: 1 << 20)
      try expect(found == records(1...5), "what was appended is read back")
      let info = try await store.info(of: name(1))
      try expect(info.last == 5 && info.lastTime == records(5...5)[0].time, "info tells the last event")
    },
    Rule("append expecting another revision is a conflict and appends nothing") { store in
      _ = try await store.create(name(1), at: start)
      _ = try await store.append(records(1...2), to: name(1), expecting: nil, epoch: nil)
      try await expectError(
        "conflict", { $0 == .conflict(name(1), expected: 1, actual: 2) },
        { _ = try await store.append(records(3...3), to: name(1), expecting: 1, epoch: nil) })
      try expect(try await store.info(of: name(1)).last == 2, "nothing was appended")
    },
    Rule("append with another epoch is fenced") { store in
      _ = try await store.create(name(1), epoch: Epoch(1), at: start)
      try await expectError("fenced", { $0 == .fenced(name(1)) }) {
        _ = try await store.append(records(1...1), to: name(1), expecting: nil, epoch: Epoch(2))
      }
      _ = try await store.append(records(1...1), to: name(1), expecting: nil, epoch: Epoch(1))
    },
    Rule("A second opener fences the first off at once; what the first appended is still reported to it") {
      store in
      _ = try await store.create(name(1), at: start)
      let (one, two) = (RecordingListener(), RecordingListener())
      let first = try await store.open(name(1), listener: one)
      try first.append(at: start, [1])
      let second = try await store.open(name(1), listener: two)
      try await expectError("fenced", { $0 == .fenced(name(1)) }) { try first.append(at: start, [2]) }
      try second.append(at: start, [3])
      await two.reached(2, of: name(1))
      try expect(one.records(of: name(1)).map(\.body) == [[1]], "the first hears of its record")
      try expect(two.records(of: name(1)).map(\.body) == [[3]], "the second hears of its own only")
    },
    Rule("A closed appender is fenced off and its records are still committed") { store in
      _ = try await store.create(name(1), at: start)
      let listener = RecordingListener()
      let appender = try await store.open(name(1), listener: listener)
      try appender.append(at: start, [1])
      appender.close()
      await listener.reached(1, of: name(1))
      try await expectError("fenced", { $0 == .fenced(name(1)) }) { try appender.append(at: start, [2]) }
      try expect(try await all(store, name(1), limit: 1 << 20).map(\.body) == [[1]], "[1] is kept")
    },
    Rule("The listener hears runs in order and without gaps, and the same records as are read") { store in
      let listener = RecordingListener()
      var appenders: [any LogAppender] = []
      for number: UInt64 in 1...3 {
        _ = try await store.create(name(number), at: start)
        appenders.append(try await store.open(name(number), listener: listener))
      }
      for number in 0..<300 {
        try appenders[number % 3].append(
          kind: 3, at: start + .milliseconds(Int64(number)), [UInt8(number % 256)])
        if number % 50 == 0 { await Task.yield() }
      }
      for number: UInt64 in 1...3 {
        await listener.reached(100, of: name(number))
        let read = try await all(store, name(number), limit: 200)
        try expect(read == listener.records(of: name(number)), "heard = read")
      }
      try expect(listener.complaints.isEmpty, "\(listener.complaints)")
    },
    Rule("together commits by one commit: all logs in one call of the listener") { store in
      let listener = RecordingListener()
      var appenders: [any LogAppender] = []
      for number: UInt64 in 1...3 {
        _ = try await store.create(name(number), at: start)
        appenders.append(try await store.open(name(number), listener: listener))
      }
      for round in 0..<20 {
        try appenders[0].together { () throws(LogError) in
          for appender in appenders {
            try appender.together { () throws(LogError) in _ = try appender.append(at: start, [UInt8(round)])
            }
          }
        }
      }
      for number: UInt64 in 1...3 { await listener.reached(20, of: name(number)) }
      for call in listener.calls { try expect(Set(call).count == 3, "each commit holds whole groups") }
    },
    Rule("Times never fall: a time below the last is raised to it") { store in
      _ = try await store.create(name(1), at: start)
      let falling = [30, 20, 10, 40].map {
        Record(kind: 1, time: start + .milliseconds($0), actor: 0, body: [])
      }
      for record in falling { _ = try await store.append([record], to: name(1), expecting: nil, epoch: nil) }
      let times = try await all(store, name(1), limit: 1 << 20).map { ($0.time - start).wholeMilliseconds }
      try expect(times == [30, 30, 30, 40], "30, 30, 30, 40 but found \(times)")
    },
    Rule("A record over the limit is tooLarge, and the next one goes in") { store in
      _ = try await store.create(name(1), at: start)
      let huge = Record(
        kind: 1, time: start, actor: 0,
        body: [UInt8](repeating: 1, count: EmbeddedLogStore.Options.maximumRecordBytes + 1))
      try await expectError("tooLarge", { if case .tooLarge = $0 { true } else { false } }) {
        _ = try await store.append([huge], to: name(1), expecting: nil, epoch: nil)
      }
      try expect(
        try await store.append(records(1...1), to: name(1), expecting: nil, epoch: nil) == 1, "revision 1")
    },
    Rule("Many appenders at once lose nothing and keep each log's order") { store in
      let listener = RecordingListener()
      let logs: [UInt64] = Array(1...8)
      var appenders: [any LogAppender] = []
      for number in logs {
        _ = try await store.create(name(number), at: start)
        appenders.append(try await store.open(name(number), listener: listener))
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for appender in appenders {
          group.addTask {
            for number in 0..<500 {
              try appender.append(at: start, Array("\(number)".utf8))
              if number % 100 == 0 { await Task.yield() }
            }
          }
        }
        try await group.waitForAll()
      }
      for number in logs {
        await listener.reached(500, of: name(number))
        let bodies = listener.records(of: name(number)).map { String(decoding: $0.body, as: UTF8.self) }
        try expect(bodies == (0..<500).map(String.init), "500 records in order")
      }
      try expect(listener.complaints.isEmpty, "\(listener.complaints)")
    },
    Rule("Appending to a deleted log is refused") { store in
      _ = try await store.create(name(1), at: start)
      let appender = try await store.open(name(1), listener: RecordingListener())
      try await store.delete(name(1))
      try await expectError("deleted or fenced", { $0 == .deleted(name(1)) || $0 == .fenced(name(1)) }) {
        try appender.append(at: start, [1])
      }
    },
    Rule("Every kind is kept as it is, known or not, with empty and large bodies") { store in
      _ = try await store.create(name(1), at: start)
      let kinds = (0...255).map { kind in
        Record(
          kind: UInt8(kind), time: start, actor: UInt64(1) << UInt64(kind % 64),
          body: [UInt8](repeating: UInt8(kind), count: kind % 5 * 700))
      }
      for batch in stride(from: 0, to: 256, by: 16) {
        _ = try await store.append(
          Array(kinds[batch..<batch + 16]), to: name(1), expecting: nil, epoch: nil)
      }
      try expect(try await all(store, name(1), limit: 1 << 20) == kinds, "all 256 kinds")
    },
  ]
}
