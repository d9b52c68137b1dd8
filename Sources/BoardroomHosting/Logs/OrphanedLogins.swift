import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Logins that the last server left in the logs of their accounts. Their graces run only in open accounts, so that whoever
/// does not come back would be signed in for ever: after the start all logs are looked at, one by one and in the
/// background, and those accounts are opened (ADR 0025). So are accounts whose login is over and was told of nowhere: channels, callers and
/// callees that are at other nodes have not noticed anything, and do not ask.
struct OrphanedLogins: Sendable {
  let store: any LogStore

  /// Names of logs read at once.
  private static let page = 200

  /// Calls `open` for each account with something left to do, in the order of the logs' names, until it answers false. What cannot be
  /// read is passed over: whoever needs it is told.
  func forEach(_ open: (LogID) async -> Bool) async {
    var after: LogID?
    while let page = try? await store.logs(after: after, limit: Self.page), let last = page.last {
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
      guard let info = try? await store.info(of: log), await hasWork(info) else { continue }
      guard await open(log) else { return }
    }
  }

  private func hasWork(_ info: LogInfo) async -> Bool {
    guard case .account? = try? await RoomOpening.space(info, in: store) else { return false }
    let history = RoomHistory(store: store)
    let state = try? await history.state(of: info.log, at: info.last)
    return state.map { !$0.members.isEmpty || $0.space?.isUnfinished ?? false } ?? false
  }
}

extension SpaceState {
  /// Whether other spaces count on the account, which needs a login for that.
  fileprivate var isUnfinished: Bool {
    !invitations.isEmpty || !calls.isEmpty || slots.values.contains { !$0.channels.isEmpty }
  }
}
