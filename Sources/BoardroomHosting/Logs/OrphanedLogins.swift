import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Logins that the last server left in the logs of their accounts. Their graces run only in open accounts, so that whoever
/// does not come back would be signed in for ever: after the start all logs are looked at, one by one and in the
/// background, and those accounts are opened (ADR 0025). So are accounts whose login is over and was told of nowhere: channels, callers and
/// callees that are at other nodes have not noticed anything, and do not ask.
struct OrphanedLogins: Sendable {
  let store: any LogStore
  /// Waits before something is asked for again that could not be read. Throws where that is given up.
  let pause: @Sendable () async throws -> Void

  /// Names of logs read at once.
  private static let page = 200

  /// Calls `open` for each account with something left to do, in the order of the logs' names, until it answers false. What is
  /// damaged is passed over: whoever needs it is told.
  func forEach(_ open: (LogID) async -> Bool) async {
    var after: LogID?
    while let page = await reading({ () throws(LogError) in
      try await store.logs(after: after, limit: Self.page)
    }),
      let last = page.last
    {
      for info in page {
        guard !Task.isCancelled else { return }
        guard await hasWork(info) else { continue }
        guard await open(info.log) else { return }
      }
      after = last.log
    }
  }

  /// Those of these logs.
  func forEach(of logs: [LogID], _ open: (LogID) async -> Bool) async {
    for log in logs {
      guard !Task.isCancelled else { return }
      guard let info = await reading({ () throws(LogError) in try await store.info(of: log) }),
        await hasWork(info)
      else { continue }
      guard await open(log) else { return }
    }
  }

  /// While a database does not answer, or a log has no owner, it is read later: passed over, its login would be there for ever.
  private func reading<Value>(_ read: () async throws(LogError) -> Value) async -> Value? {
    while !Task.isCancelled {
      do throws(LogError) { return try await read() } catch {
        switch error {
        case .full, .changingOwner: break
        default: return nil
        }
      }
      guard (try? await pause()) != nil else { return nil }
    }
    return nil
  }

  private func hasWork(_ info: LogInfo) async -> Bool {
    let space = await reading { () throws(LogError) in try await RoomOpening.space(info, in: store) }
    guard case .account? = space ?? nil else { return false }
    let history = RoomHistory(store: store)
    let state = await reading { () throws(LogError) in try await history.state(of: info.log, at: info.last) }
    return state.map { !$0.members.isEmpty || $0.space?.isUnfinished ?? false } ?? false
  }
}

extension SpaceState {
  /// Whether other spaces count on the account, which needs a login for that.
  fileprivate var isUnfinished: Bool {
    !invitations.isEmpty || !calls.isEmpty || slots.values.contains { !$0.channels.isEmpty }
  }
}
