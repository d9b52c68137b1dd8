import BoardroomModel
import EventLogModel
import StorageTestKit
import TestKit
import Testing

@testable import BoardroomAccess
@testable import BoardroomHosting
@testable import BoardroomServer
@testable import BoardroomWebhooks

@Suite("LOG-26: damage is told to the endpoints of webhooks")
struct DamageEventTests {
  @Test(
    "What the scrub finds becomes an event of the operators' log, which outlasts the server, and is told as one"
  )
  func noted() async throws {
    let host = try RoomsOnDisk()
    let notes = OperatorsLog(engine: host.engine)
    let place = "a block fails its checksum in log.db, revisions 3...9"
    await notes.note(damage: place)
    await notes.note(damage: "another")
    let feed = WebhookFeed(store: host.store, kinds: .standard)
    let page = try await feed.page(of: .operators, after: nil, events: 10, rest: nil).page
    #expect(page.events.map(\.type) == ["net.boardroom.server.damage", "net.boardroom.server.damage"])
    let text = String(decoding: try #require(page.events.first).json, as: UTF8.self)
    #expect(text.contains(place), "\(text)")
    // Bans stand in the same log and go on as they did.
    let bans = BanService(engine: host.engine, index: BanIndex())
    try await bans.load()
    _ = try await bans.set(Ban(number: 0, room: nil, uid: "eve", address: nil, until: nil))
    #expect(bans.bans(at: host.clock.now).count == 1)
    try await host.end()
  }

  @Test("A custom event of a room is not taken for damage, and damage not for one")
  func rooms() async throws {
    let host = try RoomsOnDisk()
    let room = try await host.room()
    try await host.write(2, to: room)
    await OperatorsLog(engine: host.engine).note(damage: "x")
    for (names, types) in [(["magix"], ["net.boardroom.room.magix"]), (["damageFound"], [])] {
      let feed = WebhookFeed(store: host.store, kinds: try #require(WebhookKinds(names: names)))
      let page = try await feed.page(of: room, after: nil, events: 10, rest: nil).page
      #expect(Set(page.events.map(\.type)) == Set(types), "\(names)")
    }
    try await host.end()
  }
}
