import BoardroomCodec
import BoardroomModel
import EventLog
import EventLogModel
import Foundation
import Testing

@Suite("Command line: a room whose beginning retention has removed")
struct TrimmedTests {
  /// Large enough for several blocks of 64 KiB.
  private static let added = 40

  /// A folder with one room; gives the first revision that is left of it.
  private func trimmed(_ folder: Folder) async throws -> Revision {
    try folder.write(SampleLog.text, to: "room.jsonl")
    #expect(try await Program.run("import", "room.jsonl", "--room", SampleLog.room, in: folder).status == 0)
    let room = try #require(RoomID(SampleLog.room))
    let store = try EmbeddedLogStore.open(folder: folder.path + "/data")
    for number in 1...Self.added {
      let text = (0..<20_000).map { String(($0 * 7_919 * number) % 10) }.joined()
      let event = Event.magix(MagixEvent(name: "large", payload: JSONText(unchecked: "\"\(text)\"")))
      let body = EventCodec.encodeBody(event, counter: UInt64(100 + number))
      try await store.append(
        [Record(kind: event.kind, time: .zero, actor: Actor.member(0).code, body: body)], to: room,
        expecting: nil, epoch: nil)
    }
    try await store.seal()
    let hash = [UInt8](repeating: 1, count: 32)
    try await store.put(
      Snapshot(revision: 95, time: .zero, stateHash: hash, root: [1], parts: []), for: room)
    let low = try await store.trim(room, below: 95)
    await store.shutdown()
    return low
  }

  @Test(
    "What is there is exported and backed up, and what is missing is said; block files hold whole logs only")
  func rest() async throws {
    let folder = try Folder()
    let low = try await trimmed(folder)
    #expect(low > 60)
    let lines = try await Program.run("export", SampleLog.room, in: folder)
    #expect(lines.status == 0, "\(lines.errors)")
    #expect(lines.errors.contains("begins at revision \(low)"), "\(lines.errors)")
    #expect(lines.lines.count == SampleLog.count + Self.added - (low - 1))
    let blocks = try await Program.run("export", SampleLog.room, "--blocks", "-o", "room.blocks", in: folder)
    #expect(blocks.status == 66, "\(blocks.errors)")
    #expect(blocks.errors.contains("leave out --blocks"), "\(blocks.errors)")
    let backup = try await Program.run("backup", "saved", in: folder)
    #expect(backup.status == 0, "\(backup.errors)")
    let copied = try await Program.run("export", SampleLog.room, "--data", "saved", in: folder)
    #expect(copied.status == 0, "\(copied.errors)")
    #expect(copied.output == lines.output, "\(copied.errors)")
    let verified = try await Program.run("verify", "--level", "full", "--data", "saved", in: folder)
    #expect(verified.status == 0, "\(verified.output)")
  }
}
