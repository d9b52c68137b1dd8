import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLog
import EventLogModel
import Foundation
import Testing

@Suite("Command line: a copy that follows")
struct FollowTests {
  private static let room = SampleLog.room

  private func folder() async throws -> Folder {
    let folder = try Folder()
    try folder.write(SampleLog.text, to: "room.jsonl")
    #expect(try await Program.run("import", "room.jsonl", "--room", Self.room, in: folder).status == 0)
    return folder
  }

  /// More events in the followed room, and what `work` does to the store besides.
  private func add(
    _ count: Int, to folder: Folder, data: String = "data",
    _ work: (EmbeddedLogStore) async throws -> Void = { _ in }
  ) async throws {
    let store = try EmbeddedLogStore.open(folder: folder.path + "/" + data)
    let room = try #require(RoomID(Self.room))
    for number in 0..<count {
      let event = Event.magix(MagixEvent(name: "more", payload: JSONText(unchecked: "\(number)")))
      try await store.append(
        [
          Record(
            kind: event.kind, time: .zero, actor: Actor.server.code,
            body: EventCodec.encodeBody(event, counter: 0))
        ],
        to: room, expecting: nil, epoch: nil)
    }
    try await work(store)
    await store.shutdown()
  }

  private func pass(_ folder: Folder, _ more: String...) async throws -> (
    status: Int32, json: [String: Int], errors: String
  ) {
    let answer = try await Program.run(["follow", "copy", "--once", "--json"] + more, in: folder)
    let object = try? JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Int]
    return (answer.status, object ?? [:], answer.errors)
  }

  private func expectSame(_ folder: Folder, _ room: String = room) async throws {
    let (ours, theirs) = (
      try await Program.run("export", room, "--data", "copy", in: folder),
      try await Program.run("export", room, in: folder)
    )
    #expect(ours.status == 0, "\(ours.errors)")
    #expect(ours.output == theirs.output, "\(ours.errors)")
    let verified = try await Program.run("verify", "--level", "deep", "--data", "copy", in: folder)
    #expect(verified.status == 0, "\(verified.output)")
  }

  @Test("FILE-5: each pass brings what has come since, and the copy is a data folder with the same rooms")
  func passes() async throws {
    let folder = try await folder()
    let first = try await pass(folder)
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.json["events"] == SampleLog.count, "\(first.errors)")
    try await expectSame(folder)
    let none = try await pass(folder)
    #expect(none.status == 0)
    #expect(none.json["events"] == 0)
    #expect(none.json["rooms"] == 0)
    try await add(25, to: folder) { store in
      _ = try await store.create(RoomID(high: 5, low: 5), at: .zero)
    }
    let second = try await pass(folder)
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.json["events"] == 25, "\(second.errors)")
    #expect(second.json["rooms"] == 1, "\(second.errors)")
    try await expectSame(folder)
  }

  @Test("FILE-5: a copy that was written to since is refused, and nothing of it is changed")
  func served() async throws {
    let folder = try await folder()
    #expect(try await pass(folder).status == 0)
    try await add(3, to: folder, data: "copy")
    let ahead = try await pass(folder)
    #expect(ahead.status == 65, "\(ahead.errors)")
    #expect(ahead.errors.contains("Make a new copy"), "\(ahead.errors)")
    try await add(9, to: folder) { store in
      let room = try #require(RoomID(Self.room))
      let body = EventCodec.encodeBody(
        .magix(MagixEvent(name: "other", payload: JSONText(unchecked: "1"))), counter: 0)
      _ = try await store.append(
        [Record(kind: EventKind.magix.rawValue, time: .zero, actor: 0, body: body)], to: room, expecting: nil,
        epoch: nil)
    }
    // As long as they are equal they are the same: the copy's third event more is the source's.
    let same = try await pass(folder)
    #expect(same.status == 0, "\(same.errors)")
    #expect(same.json["events"] == 7, "\(same.errors)")
    try await expectSame(folder)
  }

  @Test(
    "FILE-5: retention beside it: what the copy has stays, and a log goes on whose copied events are gone at the source"
  )
  func trimmed() async throws {
    let folder = try await folder()
    #expect(try await pass(folder).status == 0)
    let room = try #require(RoomID(Self.room))
    // All goes but the state: a snapshot of it stands at the last event.
    let hash = try await Program.run("replay", Self.room, "--at", "end", "--json", in: folder)
    let object = try JSONSerialization.jsonObject(with: Data(hash.output.utf8)) as? [String: Any]
    #expect(object?["stateHash"] as? String != nil)
    try await Self.trimAll(folder, room)
    try await add(5, to: folder)
    let more = try await pass(folder)
    #expect(more.status == 0, "\(more.errors)")
    #expect(more.json["events"] == 5, "\(more.errors)")
    let lines = try await Program.run("export", Self.room, "--data", "copy", in: folder)
    #expect(lines.lines.count == SampleLog.count + 5)
    // Events that the copy never got are missing between: a new copy begins with what is left.
    try await add(4, to: folder)
    try await Self.trimAll(folder, room)
    try await add(1, to: folder)
    let late = try await pass(folder)
    #expect(late.status == 65, "\(late.errors)")
    #expect(late.errors.contains("retention has removed"), "\(late.errors)")
    try FileManager.default.removeItem(atPath: folder.path + "/copy")
    let fresh = try await pass(folder)
    #expect(fresh.status == 0, "\(fresh.errors)")
    #expect(fresh.json["events"] == 1, "\(fresh.errors)")
    try await expectSame(folder)
  }

  /// As a round of retention does where everything is too old.
  private static func trimAll(_ folder: Folder, _ room: RoomID) async throws {
    let store = try EmbeddedLogStore.open(folder: folder.path + "/data")
    let info = try await store.info(of: room)
    var state = RoomState()
    if let snapshot = try await store.latestSnapshot(of: room, notAfter: info.last) {
      state = try StateDecoder.state(root: snapshot.root, parts: snapshot.parts.map(\.bytes))
    }
    for run in try await store.runs(of: room, after: state.revision, limit: .max) {
      run.forEach { view, _ in
        if let event = try? EventCodec.decode(view, in: run.records) { state.apply(event) }
      }
    }
    var encoder = StateEncoder()
    try await store.put(encoder.snapshot(of: state), for: room)
    #expect(try await store.trim(room, below: info.last.next) == info.last.next)
    await store.shutdown()
  }

  @Test(
    "FILE-5: a room that is gone at the source stays in the copy and is told; --remove-deleted removes it")
  func gone() async throws {
    let folder = try await folder()
    #expect(try await pass(folder).status == 0)
    let room = try #require(RoomID(Self.room))
    try await add(0, to: folder) { store in try await store.delete(room) }
    let kept = try await pass(folder)
    #expect(
      kept.status == 0, "\(kept.errors)"
    )
    #expect(
      kept.json["gone"] == 1, "\(kept.errors)"
    )
    #expect(
      kept.errors.contains("stay in the copy"), "\(kept.errors)"
    )
    #expect(try await Program.run("export", Self.room, "--data", "copy", in: folder).status == 0)
    #expect(try await pass(folder, "--remove-deleted").status == 0)
    #expect(try await Program.run("export", Self.room, "--data", "copy", in: folder).status == 66)
  }

  @Test(
    "FILE-5: the folder itself, a folder of something else and a wrong pause are refused before anything is written"
  )
  func refused() async throws {
    let folder = try await folder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/other", withIntermediateDirectories: true)
    try folder.write("letters", to: "other/letter.txt")
    for (arguments, status) in [
      (["data", "--once"], 64), (["other", "--once"], 73), (["copy", "--every", "0.5"], 64),
    ] as [([String], Int32)] {
      let refused = try await Program.run(["follow"] + arguments, in: folder)
      #expect(refused.status == status, "\(arguments): \(refused.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/other") == ["letter.txt"])
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/copy"))
  }
}
