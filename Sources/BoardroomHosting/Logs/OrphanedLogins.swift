import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Logins that the last server left in the logs of their accounts. Their graces run only in open accounts, so that whoever
/// does not come back would be signed in for ever: after the start all logs are looked at, one by one and in the
/// background, and those accounts are opened (ADR 0025).
struct OrphanedLogins: Sendable {
  let store: any LogStore

  /// Names of logs read at once.
  private static let page = 200

  /// Calls `open` for each account with a login, in the order of the logs' names, until it answers false. What cannot be
  /// read is passed over: whoever needs it is told.
  func forEach(_ open: (LogID) async -> Bool) async {
    var after: LogID?
    while let page = try? await store.logs(after: after, limit: Self.page), let last = page.last {
      for info in page {
        guard !Task.isCancelled else { return }
        guard await hasLogins(info) else { continue }
        guard await open(info.log) else { return }
      }
      after = last.log
    }
  }

  /// Those of these logs.
  func forEach(of logs: [LogID], _ open: (LogID) async -> Bool) async {
    for log in logs {
      guard !Task.isCancelled else { return }
      guard let info = try? await store.info(of: log), await hasLogins(info) else { continue }
      guard await open(log) else { return }
    }
  }

  private func hasLogins(_ info: LogInfo) async -> Bool {
    guard case .account? = try? await RoomOpening.space(info, in: store) else { return false }
    let history = RoomHistory(store: store)
    let state = try? await history.state(of: info.log, at: info.last)
    return state?.members.isEmpty == false
  }
}
