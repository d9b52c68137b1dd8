import EventLog
import EventLogModel

// What only a node that shares its database does.

extension PostgresLogStore {
  /// The number of this start; nil for a node that shares its database with none.
  public var incarnation: Int64? { ownership?.incarnation }

  /// The nodes that were alive at the last look, this one included, in the order of their starts. Empty
  /// before the first look, and while the database does not answer it is what was seen last.
  public var nodes: [LivingNode] { watch?.nodes ?? [] }

  /// What this node has seen and done; nil for a node that shares its database with none.
  public var nodeFigures: NodeFigures? { watch?.figures }

  /// A node that the database has not answered for so long is dead to the others, or is soon.
  public var deadlySilence: Duration? { watch?.deadlySilence }

  /// Others have fenced this node, and the program has heard of it from them, because the database does not answer here. The
  /// store does as if it had heard it from there: listeners are told `nodeFenced`, and nothing more is appended.
  public func heardThatItIsFenced() { watch?.heardThatItIsFenced() }

  /// Whether the server waited for a standby before it answered commits, at the last look; nil for a node that shares its
  /// database with none, which does not look. Without that, what was acknowledged is on one disk.
  public var waitsForStandby: Bool? { watch?.waitsForStandby }

  /// Who owns a log at this moment, as the database says it; the owner may be dead and not recovered yet.
  /// Throws `noSuchLog` if there is none.
  public func owner(of log: LogID) async throws(LogError) -> LogOwner {
    guard let ownership else {
      _ = try await base.info(of: log)
      return .thisNode
    }
    if base.holding(of: log) == .held { return .thisNode }
    return try await onTables { rows throws(LogError) in
      let (found, owner) = try rows.sharedWithOwner(log)
      guard let found else { throw .noSuchLog(log) }
      guard found.entry.state == .live else { throw .deleted(log) }
      guard let owner else { return .nobody }
      return owner.node.incarnation == ownership.incarnation ? .thisNode : .node(owner.node)
    }
  }

  /// Whether this node owns the log, as far as it knows without asking the database.
  public func has(_ log: LogID) -> Bool { base.holding(of: log) == .held }

  /// Gives up logs of this node, for instance before it ends: their appenders take nothing more (`changingOwner`),
  /// everything appended is committed and sealed, and then they have no owner, or `next` owns them. Logs of
  /// others are left alone.
  ///
  /// If it throws, the logs are this node's or nobody's: open them again to see, or call it again.
  ///
  /// - Parameter next: the incarnation that shall own them. If that has ended, nobody does.
  public func release(_ logs: [LogID], to next: Int64? = nil) async throws(LogError) {
    try await ownership?.release(logs, to: next)
  }

  /// Makes this node the owner of a log that has none. Throws `elsewhere` where another node is it, `changingOwner` while
  /// that is dead and not recovered, `noSuchLog` if there is no such log. A store that shares nothing owns all.
  public func claim(_ log: LogID) async throws(LogError) { try await ownership?.claim(log) }

  /// Calls `body` when the engine holds the log, which is claimed if nobody owns it.
  func owning<Value>(
    _ log: LogID, _ body: () async throws(LogError) -> Value
  ) async throws(LogError) -> Value {
    guard let ownership else { return try await body() }
    try await ownership.claim(log)
    do throws(LogError) { return try await body() } catch {
      guard case .noSuchLog = error else { throw error }
    }
    // It was given up between the two.
    try await ownership.claim(log)
    return try await body()
  }

  /// What the engine says of a log; if it does not hold it, what the tables say.
  func reading<Value: Sendable>(
    _ log: LogID, _ held: () async throws(LogError) -> Value,
    ofImports: Bool = false,
    sealed: @escaping @Sendable (SealedRows, SharedLog) throws(LogError) -> Value
  ) async throws(LogError) -> Value {
    do throws(LogError) { return try await held() } catch {
      guard ownership != nil, case .noSuchLog = error else { throw error }
    }
    return try await onTables { rows throws(LogError) in
      guard let found = try rows.shared(log) else { throw .noSuchLog(log) }
      guard found.entry.state == .live else { throw .deleted(log) }
      if let unfinished = found.unfinished, !ofImports { throw unfinished }
      return try sealed(rows, found)
    }
  }

  private func onTables<Value: Sendable>(
    _ body: @escaping @Sendable (SealedRows) throws(LogError) -> Value
  ) async throws(LogError) -> Value {
    try await base.onSealedHalf { reader throws(LogError) in
      guard let rows = reader as? SealedRows else {
        preconditionFailure("a store on a database reads its rows")
      }
      return try body(rows)
    }
  }

  /// A page of all logs of all nodes; of those that are held here as the engine has them.
  func sharedLogs(after: LogID?, limit: Int) async throws(LogError) -> [LogInfo] {
    var (page, last): ([LogInfo], LogID?) = ([], after)
    while page.count < limit {
      let (start, room) = (last, limit - page.count)
      let own = try await base.logs(after: start, limit: room)
      let rows = try await onTables { rows throws(LogError) in try rows.page(after: start, limit: room) }
      // A log that is held and not listed is deleted or imported, and its row does not say so yet.
      let others = rows.filter { base.holding(of: $0.entry.row.log) == .none }.map(\.info)
      let isWhole = rows.count < room
      let merged = (own + others).sorted { $0.log < $1.log }
      // Behind the last row there may be others that were not read yet.
      let end = isWhole ? nil : rows.last?.entry.row.log
      page += merged.filter { info in end.map { info.log <= $0 } ?? true }.prefix(room)
      guard let end else { break }
      last = end
    }
    return Array(page.prefix(limit))
  }

  func sharedImports() async throws(LogError) -> [UnfinishedImport] {
    let own = try await base.imports()
    let rows = try await onTables { rows throws(LogError) in
      try rows.page(after: nil, limit: Int(Int32.max), imports: true)
    }
    let others = rows.filter { base.holding(of: $0.entry.row.log) == .none && $0.unfinished != nil }
      .compactMap { found in found.importLast.map { UnfinishedImport(info: found.info, last: $0) } }
    return (own + others).sorted { $0.info.log < $1.info.log }
  }
}

extension SharedLog {
  /// What is sealed of the log. It is complete if nobody owns it: then there is nothing that is not.
  var info: LogInfo {
    let row = entry.row
    return LogInfo(
      log: row.log, epoch: row.epoch, created: row.created, low: row.low, last: row.next.previous,
      lastTime: row.lastTime, rawBytes: row.rawBytes, storedBytes: row.storedBytes, isComplete: owner == nil)
  }

  /// Throws why there is nothing to read after a revision.
  func check(after: Revision) throws(LogError) {
    let row = entry.row
    guard after <= row.next.previous else {
      throw .beyondEnd(row.log, asked: after, last: row.next.previous)
    }
    guard after.next >= row.low || after == row.next.previous else { throw .trimmed(row.log, low: row.low) }
  }
}
