import BoardroomAccess
import BoardroomModel
import EventLogModel
import Foundation
import StorageTestKit
import Testing

@testable import BoardroomWebhooks

private func room(_ number: UInt64) -> RoomID { RoomID(high: 9, low: number) }
private func cursor(_ epoch: UInt64, _ revision: UInt64) -> Cursor {
  Cursor(epoch: Epoch(epoch), revision: Revision(revision))
}
private let now = Timestamp(milliseconds: 1_700_000_000_000)

@Test(
  "FILE-4: a copy has each endpoint where it was, in the rooms' new lives, and the secret; a room that is not copied is left out"
)
func webhooksAreCopied() throws {
  let (source, target) = (TemporaryFolder(), TemporaryFolder())
  #expect(throws: Never.self) { try WebhookCopy(of: source.path).write(to: target.path, lives: [:]) }
  #expect(try target.names().isEmpty, "without webhooks no folder is made")
  try PlainFile.makeFolder(source.path + "/webhooks")
  var file = WebhookCursorFile(folder: source.path + "/webhooks", id: "e")
  try file.rewrite(
    [room(1): cursor(5, 4), room(2): cursor(5, 80), room(3): cursor(5, 7), room(4): cursor(6, 2)],
    failingSince: now)
  file.close()
  try source.write(Array("a secret\n".utf8), to: "webhooks/secret")
  try source.write(Array("{}\n".utf8), to: "webhooks/e.lost.jsonl")
  let copy = try WebhookCopy(of: source.path)
  #expect(copy.badLines == 0)
  try copy.write(
    to: target.path,
    lives: [
      // Copied with more events than the endpoint was told.
      room(1): .init(epoch: Epoch(5), copied: cursor(15, 60)),
      // Told, while the copy was made, more than the copy has.
      room(2): .init(epoch: Epoch(5), copied: cursor(25, 70)),
      // The cursor is of an earlier life: the endpoint has nothing of this one.
      room(4): .init(epoch: Epoch(5), copied: cursor(45, 9)),
    ])
  let read = try WebhookCursorFile(folder: target.path + "/webhooks", id: "e").read()
  #expect(read.cursors == [room(1): cursor(15, 4), room(2): cursor(25, 70)])
  #expect(read.failingSince == now)
  #expect(!read.isNew)
  #expect(try target.bytes(of: "webhooks/secret") == Array("a secret\n".utf8))
  #expect(try target.bytes(of: "webhooks/e.lost.jsonl") == Array("{}\n".utf8))
  for name in try target.names(in: "webhooks") {
    let attributes = try FileManager.default.attributesOfItem(atPath: target.path + "/webhooks/" + name)
    #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
  }
}
