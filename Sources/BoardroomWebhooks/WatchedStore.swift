import BoardroomModel
import EventLogModel
import Synchronization

/// A log store that passes all calls on to another one, and notes what is committed through it, for webhooks.
final class WatchedStore: ForwardingLogStore {
  let base: any LogStore
  private let hub: WebhookHub
  /// One for each listener, because stores collect a commit's runs by listener. There are as many as event
  /// loops.
  private let relays = Mutex<[ObjectIdentifier: WatchingListener]>([:])

  init(_ base: any LogStore, hub: WebhookHub) {
    self.base = base
    self.hub = hub
  }

  func open(_ log: LogID, listener: any CommitListener) async throws(LogError) -> any LogAppender {
    let relay = relays.withLock { relays in
      let key = ObjectIdentifier(listener)
      let relay = relays[key] ?? WatchingListener(listener, hub: hub)
      relays[key] = relay
      return relay
    }
    let appender = try await base.open(log, listener: relay)
    hub.opened(log)
    return appender
  }

  @discardableResult
  func append(
    _ records: [Record], to log: LogID, expecting: Revision?, epoch: Epoch?
  ) async throws(LogError) -> Revision {
    let last = try await base.append(records, to: log, expecting: expecting, epoch: epoch)
    hub.appended(records, to: log, last: last)
    return last
  }

  func delete(_ log: LogID) async throws(LogError) {
    try await base.delete(log)
    hub.deleted(log)
  }
}

/// Passes commits on, members first.
private final class WatchingListener: CommitListener {
  private let listener: any CommitListener
  private let hub: WebhookHub

  init(_ listener: any CommitListener, hub: WebhookHub) {
    self.listener = listener
    self.hub = hub
  }

  func committed(_ runs: [CommittedRun]) {
    listener.committed(runs)
    hub.committed(runs)
  }

  func failed(_ logs: [LogID], _ error: LogError) { listener.failed(logs, error) }
}

/// Turns commits into notes for endpoints. It is called on the commit thread, so it only looks at kinds and
/// returns.
final class WebhookHub: Sendable {
  private let kinds: WebhookKinds
  private let inboxes: [WebhookInbox]

  init(kinds: WebhookKinds, inboxes: [WebhookInbox]) {
    self.kinds = kinds
    self.inboxes = inboxes
  }

  func committed(_ runs: [CommittedRun]) {
    noteToWebhooks(
      runs.map { committed in
        let run = committed.run
        return (
          committed.log,
          WebhookNote(first: run.first, last: run.lastRevision, isWanted: concerns(run, of: committed.log))
        )
      })
  }

  private func concerns(_ run: Run, of log: LogID) -> Bool {
    run.records.withUnsafeBytes { bytes in
      var walker = RecordWalker(bytes: bytes, first: run.first, base: run.base)
      while let view = walker.next() {
        if kinds.concerns(view.kind, in: log) { return true }
      }
      return false
    }
  }

  /// Another node may have told of the log since it was open here.
  func opened(_ log: LogID) {
    noteToWebhooks([(log, .opened)])
  }

  func appended(_ records: [Record], to log: LogID, last: Revision) {
    guard !records.isEmpty else { return }
    let first = Revision(last.rawValue + 1 - UInt64(records.count))
    let isWanted = records.contains { kinds.concerns($0.kind, in: log) }
    noteToWebhooks([(log, WebhookNote(first: first, last: last, isWanted: isWanted, isFresh: true))])
  }

  func deleted(_ log: LogID) {
    noteToWebhooks([(log, WebhookNote(first: .zero, last: .zero, isWanted: true, isDeleted: true))])
  }

  private func noteToWebhooks(_ notes: [(LogID, WebhookNote)]) {
    for inbox in inboxes { inbox.put(notes) }
  }
}
