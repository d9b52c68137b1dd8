import BoardroomModel
import EventLogModel
import Foundation
import Testing

@testable import BoardroomWebhooks

private func newFolder() throws -> String {
  let path = FileManager.default.temporaryDirectory.appending(path: "hooks-\(UUID().uuidString)").path
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  return path
}

private func room(_ number: UInt64) -> RoomID { RoomID(high: 9, low: number) }
private func cursor(_ revision: UInt64) -> Cursor { Cursor(epoch: Epoch(5), revision: Revision(revision)) }
private func move(_ number: UInt64, _ revision: UInt64?) -> WebhookMoves.CursorMove {
  WebhookMoves.CursorMove(room: room(number), cursor: revision.map(cursor))
}
private let now = Timestamp(milliseconds: 1_700_000_000_000)

@Test("Cursors are read back as they were written last, also by who did not close the file")
func cursorsAreReadBack() throws {
  let folder = try newFolder()
  defer { try? FileManager.default.removeItem(atPath: folder) }
  var file = WebhookCursorFile(folder: folder, id: "e")
  #expect(try file.read().isNew)
  try file.rewrite([room(1): cursor(4), room(2): cursor(8)], failingSince: nil)
  try file.add([move(1, 5), move(3, 1)], failingSince: .none, at: now)
  try file.add([move(2, nil), move(1, 6)], failingSince: .some(now), at: now)
  let content = try file.read()
  #expect(content.cursors == [room(1): cursor(6), room(3): cursor(1)])
  #expect(content.failingSince == now)
  #expect(!content.isNew)
  #expect(content.badLines == 0)
  try file.add([], failingSince: .some(nil), at: now)
  #expect(try file.read().failingSince == nil)
  try file.rewrite(content.cursors, failingSince: content.failingSince)
  #expect(try file.read().cursors == content.cursors)
  #expect(try file.read().failingSince == now)
}

@Test("A file cut anywhere, or with a byte turned, gives no cursor that was never written")
func tornFiles() throws {
  let folder = try newFolder()
  defer { try? FileManager.default.removeItem(atPath: folder) }
  var file = WebhookCursorFile(folder: folder, id: "e")
  try file.rewrite([:], failingSince: nil)
  var written: Set<Cursor> = []
  for revision in 1...6 as ClosedRange<UInt64> {
    try file.add([move(revision % 2, revision * 100)], failingSince: .none, at: now)
    written.insert(cursor(revision * 100))
  }
  let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.path)))
  for cut in bytes.indices {
    try Data(bytes[..<cut]).write(to: URL(fileURLWithPath: file.path))
    #expect(try written.isSuperset(of: file.read().cursors.values))
    var turned = bytes
    turned[cut] ^= 1
    try Data(turned).write(to: URL(fileURLWithPath: file.path))
    #expect(try written.isSuperset(of: file.read().cursors.values))
  }
}

@Test("It is synced a second after the first write at the latest, and written anew when it is long")
func syncsAndLength() throws {
  let folder = try newFolder()
  defer { try? FileManager.default.removeItem(atPath: folder) }
  var file = WebhookCursorFile(folder: folder, id: "e")
  try file.rewrite([:], failingSince: nil)
  #expect(file.syncDue == nil)
  try file.add([move(1, 1)], failingSince: .none, at: now)
  try file.add([move(1, 2)], failingSince: .none, at: now + .milliseconds(900))
  #expect(file.syncDue == now + .seconds(1))
  try file.sync()
  #expect(file.syncDue == nil)
  for revision in 0..<5_000 as Range<UInt64> {
    try file.add([move(1, revision)], failingSince: .none, at: now)
  }
  #expect(file.isLong(for: 1))
  #expect(!file.isLong(for: 1_000))
  try file.rewrite([room(1): cursor(4_999)], failingSince: nil)
  #expect(!file.isLong(for: 1))
  #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
}

@Test(
  "FILE-3: every turned bit of a file of cursors is found: its line is left out and counted, and no other cursor read"
)
func everyFlipOfACursorFileIsFound() throws {
  let folder = try newFolder()
  defer { try? FileManager.default.removeItem(atPath: folder) }
  var file = WebhookCursorFile(folder: folder, id: "e")
  try file.rewrite([room(1): cursor(4), room(2): cursor(80)], failingSince: now)
  let written = try file.read()
  let sound = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.path)))
  for bit in 0..<sound.count * 8 {
    var turned = sound
    turned[bit / 8] ^= 1 << (bit % 8)
    try Data(turned).write(to: URL(fileURLWithPath: file.path))
    let content = try file.read()
    #expect(content.badLines > 0, "bit \(bit)")
    for (room, cursor) in content.cursors { #expect(written.cursors[room] == cursor, "bit \(bit)") }
  }
}
