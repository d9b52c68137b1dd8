import BoardroomCodec
import BoardroomModel
import EventLog
import EventLogModel
import Foundation
import ServerTestKit
import StorageTestKit
import Testing

@testable import BoardroomHosting
@testable import BoardroomServer

/// A folder of a killed server with a room in it, of whose journal one bit has turned in the middle.
private func damagedFolder() async throws -> (TemporaryFolder, RoomID) {
  let (whole, damaged) = (TemporaryFolder(), TemporaryFolder())
  let store = try EmbeddedLogStore.open(folder: whole.path)
  let (rooms, made) = AsyncStream<RoomID>.makeStream()
  try await RunningServer.with(over: store) { server in
    let room = try await server.room()
    for _ in 0..<40 {
      let path = "/v5/rooms/\(room)/events"
      let body = "{\"name\":\"lesson\",\"payload\":{\"text\":\"something to keep\"}}"
      #expect(try await server.call("POST", path, token: server.admin, body: body).status < 300)
    }
    // As it is while the server runs: that is what a kill leaves.
    let files = FileManager.default
    try files.createDirectory(atPath: damaged.path + "/journal", withIntermediateDirectories: true)
    // Spare segments hold nothing, and the server makes and renames them meanwhile.
    let journal = try whole.names(in: "journal").filter { !$0.hasPrefix("spare") }
    for name in ["log.db", "log.db-wal", "MANIFEST"] + journal.map({ "journal/" + $0 })
    where files.fileExists(atPath: whole.path + "/" + name) {
      try files.copyItem(atPath: whole.path + "/" + name, toPath: damaged.path + "/" + name)
    }
    made.yield(room)
  }
  await store.shutdown()
  let segment =
    "journal/" + (try #require(try damaged.names(in: "journal").filter { $0.hasPrefix("0") }.max()))
  var bytes = try damaged.bytes(of: segment)
  let used = (bytes.lastIndex { $0 != 0 } ?? 0) + 1
  bytes[used * 6 / 10] ^= 1
  try damaged.write(bytes, to: segment)
  return (damaged, try #require(await rooms.first { _ in true }))
}

@Test(
  "LOG-23: a room of which events are lost is joined by who was never there, before and after a restart, and goes on"
)
func roomsWithGapsAreJoined() async throws {
  let (folder, room) = try await damagedFolder()
  var options = EmbeddedLogStore.Options()
  options.acceptLoss = true
  for start in ["that accepts the loss", "after it", "after that"] {
    let store = try EmbeddedLogStore.open(folder: folder.path, options: options)
    options.acceptLoss = false
    #expect(store.statistics.lostRevisions > 0, "\(start)")
    try await RunningServer.with(over: store) { server in
      // One that meets a gap behind the snapshot from which the room was opened is told to come back.
      for who in ["ada", "ben", "eve"] {
        let (_, heard) = try await server.knock(room, who)
        let isIn = heard.contains("\"m\":\"live\"")
        #expect(
          isIn || who == "ada" && heard.contains("\"comeBack\":true"),
          "\(start), \(who): \(heard.suffix(300))")
        if isIn { #expect(heard.contains("\"mode\":\"snapshot\""), "\(start), \(who)") }
      }
      let said = try await server.call(
        "POST", "/v5/rooms/\(room)/events", token: server.admin, body: "{\"name\":\"on\"}")
      #expect(said.status < 300, "\(said.text)")
      // Behind the gap there is a state for REST, too.
      let last = try await store.info(of: room).last
      let state = try await server.call(
        "GET", "/v5/rooms/\(room)/state?at=r\(last)", token: server.admin)
      #expect(state.status == 200, "\(start): \(state.text.prefix(300))")
    }
    await store.shutdown()
  }
}

@Test(
  "LOG-23, LOG-28: what is left of a room never begins with a state that was folded over lost events, where a later snapshot knows it"
)
func roomsWithGapsAreTrimmedBehindSnapshots() async throws {
  let (folder, room) = try await damagedFolder()
  var options = EmbeddedLogStore.Options()
  options.acceptLoss = true
  let store = try EmbeddedLogStore.open(folder: folder.path, options: options)
  let lost = try #require(store.damages.first { $0.log == room }?.lost)
  let history = RoomHistory(store: store)
  try await RunningServer.with(over: store) { server in
    func trim(_ before: UInt64) async throws -> RunningServer.Answer {
      try await server.call(
        "POST", "/v5/rooms/\(room)/trim", token: server.admin, body: "{\"before\":\(before)}")
    }
    // Nothing else is known of the room: so it goes on, and so it may begin.
    #expect(try await history.beginning(of: room, at: Revision(lost.upperBound + 2)) != nil)
    #expect(try await history.beginning(of: room, at: Revision(lost.upperBound)) == nil)
    let known = Revision(lost.upperBound + 4)
    var encoder = StateEncoder()
    try await store.put(encoder.snapshot(of: history.state(of: room, at: known)), for: room)
    for before in [lost.upperBound + 1, lost.upperBound + 3, known.rawValue] {
      let refused = try await trim(before)
      #expect(refused.status == 409, "\(before): \(refused.text)")
      #expect(refused.text.contains("Name revision \(known.next)"), "\(refused.text)")
    }
    #expect(try await store.snapshots(of: room).map(\.revision) == [known])
    #expect(try await trim(lost.lowerBound).status == 200)
    #expect(try await trim(known.next.rawValue).status == 200)
  }
  await store.shutdown()
}
