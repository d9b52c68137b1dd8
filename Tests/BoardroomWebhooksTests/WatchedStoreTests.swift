import BoardroomModel
import EventLog
import EventLogModel
import StorageTestKit
import TestKit
import Testing

@testable import BoardroomWebhooks

private func watched(_ base: MemoryLogStore = MemoryLogStore()) -> (WatchedStore, WebhookInbox) {
  let inbox = WebhookInbox(timer: HandLoop(), clock: { .zero })
  return (WatchedStore(base, hub: WebhookHub(kinds: .standard, inboxes: [inbox])), inbox)
}

@Test("A watched store keeps the contract of a log store", arguments: LogStoreContract.rules)
func watchedStoreKeepsTheContract(_ rule: LogStoreContract.Rule) async throws {
  let (store, _) = watched()
  await #expect(throws: Never.self) { try await rule.check(store) }
  await store.shutdown()
}

@Test("A commit leaves one note a room: its revisions, and whether anything in it is told")
func commitsLeaveNotes() async throws {
  final class Deaf: CommitListener {
    func committed(_ runs: [CommittedRun]) {}
    func failed(_ logs: [LogID], _ error: LogError) {}
  }
  let base = MemoryLogStore(commits: .whenTold)
  let (store, inbox) = watched(base)
  let (a, b) = (RoomID(high: 1, low: 1), RoomID(high: 1, low: 2))
  for room in [a, b] { _ = try await store.create(room, at: .zero) }
  let deaf = Deaf()
  let writers = [try await store.open(a, listener: deaf), try await store.open(b, listener: deaf)]
  for _ in 0..<3 {
    try Array("x".utf8).withUnsafeBytes {
      _ = try writers[0].append(kind: 1, actor: 1, time: .zero, body: $0)
    }
  }
  try Array("x".utf8).withUnsafeBytes { _ = try writers[1].append(kind: 17, actor: 1, time: .zero, body: $0) }
  // Nothing is committed yet; another node may have told of the rooms before they were opened here.
  #expect(inbox.takeNotes().map(\.1) == [.opened, .opened])
  base.commitPending()
  let notes = Dictionary(uniqueKeysWithValues: inbox.takeNotes())
  #expect(notes[a] == WebhookNote(first: 1, last: 3, isWanted: false))
  #expect(notes[b] == WebhookNote(first: 1, last: 1, isWanted: true))
  let record = Record(kind: 18, time: .zero, actor: 1, body: [])
  let quiet = Record(kind: 1, time: .zero, actor: 1, body: [])
  try await store.append([quiet, record], to: a, expecting: nil, epoch: nil)
  try await store.append([quiet], to: a, expecting: nil, epoch: nil)
  #expect(inbox.takeNotes().map(\.1).contains(WebhookNote(first: 4, last: 6, isWanted: true, isFresh: true)))
  try await store.delete(b)
  #expect(inbox.takeNotes().first?.1.isDeleted == true)
}
