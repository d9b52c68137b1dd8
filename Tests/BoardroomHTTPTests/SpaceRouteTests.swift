import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLog
import EventLogModel
import Foundation
import ServerTestKit
import StorageTestKit
import Testing

@testable import BoardroomAccess
@testable import BoardroomHTTP
@testable import BoardroomHosting
@testable import BoardroomServer

extension RunningServer {
  /// A space as if somebody had been there: its log with these events, the first of which makes it.
  fileprivate func make(_ space: SpaceName, at time: Timestamp = .wallClock, _ events: [(Actor, Event)])
    async throws
  {
    let info = try await store.create(space.log, at: time)
    let records = ([(Actor.server, .space(.created(space)))] + events).map { actor, event in
      Record(
        kind: event.kind, time: time, actor: actor.code, body: EventCodec.encodeBody(event, counter: 0))
    }
    try await store.append(records, to: space.log, expecting: .zero, epoch: info.epoch)
  }
}

private func joined(_ number: UInt64, _ uid: String) -> (Actor, Event) {
  let joined = MemberJoined(
    session: .random(), uid: uid, role: .writer, writable: true, payload: nil, client: nil)
  return (.member(MemberID(number)), .members(.joined(joined)))
}

private func set(_ name: String, _ value: String, by number: UInt64) -> (Actor, Event) {
  (.member(MemberID(number)), .space(.attributesSet(AttributesSet([.init(name: name, value: value)]))))
}

@Suite struct SpaceRouteTests {
  @Test("SIG-C3, SPC-11: a channel is shown with its newest members, newest last, attributes and joins")
  func channel() async throws {
    try await RunningServer.with { server in
      try await server.make(
        .channel(.signaling, "a/b é"),
        [joined(0, "ada"), joined(1, "bob"), set("topic", "birds", by: 1), joined(2, "cora")])
      let path = "/v5/channels/signaling/a%2Fb%C3%A9"
      #expect(try await server.call("GET", path, token: server.admin).status == 404)
      let spaced = try await server.call("GET", "/v5/channels/signaling/a%2Fb%20%C3%A9", token: server.admin)
      #expect(spaced.status == 400)
      #expect(spaced.json?["code"]?.string == "badName")

      try await server.make(
        .channel(.signaling, "a/bé"),
        [joined(0, "ada"), joined(1, "bob"), set("topic", "birds", by: 1), joined(2, "cora")])
      let shown = try await server.call("GET", path + "?limit=2", token: server.admin)
      #expect(shown.status == 200)
      let channel = try #require(shown.json)
      #expect(channel["service"]?.string == "signaling")
      #expect(channel["name"]?.string == "a/bé")
      #expect(channel["total"]?.int == 3)
      #expect(channel["joins"]?.int == 3)
      #expect(channel["members"]?.array?.map { $0["account"]?.string } == ["bob", "cora"])
      #expect(channel["attributes"]?.object?.count == 1)
      #expect(channel["attributes"]?["topic"]?.string == "birds")
      for wrong in ["/v5/channels/white/x", "/v5/channels/rtm/\(longName)"] {
        #expect(try await server.call("GET", wrong, token: server.admin).status == 400, "\(wrong)")
      }
    }
  }

  private let longName = String(repeating: "n", count: 65)

  @Test("SPC-6, SPC-11: a channel that has expired is shown as it will be when it is opened")
  func expired() async throws {
    try await RunningServer.with { server in
      let past = Timestamp(milliseconds: Timestamp.wallClock.milliseconds - 7_300_000)
      try await server.make(
        .channel(.signaling, "old"), at: past,
        [joined(0, "ada"), set("a", "1", by: 0), (.member(0), .members(.left(.left)))])
      let shown = try await server.call("GET", "/v5/channels/signaling/old", token: server.admin)
      #expect(shown.status == 200)
      #expect(shown.json?["attributes"]?.object?.isEmpty == true)
      #expect(shown.json?["joins"]?.int == 0)
    }
  }

  @Test(
    "SPC-12: administrators replay channels and accounts by their names; writers do not, and rooms are none of them"
  )
  func replay() async throws {
    try await RunningServer.with { server in
      let names: [(SpaceName, String)] = [
        (.channel(.signaling, "lobby"), "/v5/channels/signaling/lobby"),
        (.account("ada"), "/v5/accounts/ada"),
      ]
      for (name, path) in names {
        #expect(try await server.call("GET", path + "/replay", token: server.admin).status == 404)
        try await server.make(
          name, [joined(0, "signaling"), set("a", "1", by: 0), (.member(0), .members(.left(.left)))])
        let index = try await server.call("GET", path + "/replay", token: server.admin)
        #expect(index.status == 200)
        #expect(index.json?["last"]?.int == 4)
        #expect(index.json?["low"]?.int == 1)
        #expect(index.json?["emptied"]?.int != nil)
        let runs = try await server.call("GET", path + "/replay/runs", token: server.admin)
        #expect(runs.status == 200)
        #expect(!runs.body.isEmpty)
        let at = Timestamp.wallClock.milliseconds + 60_000
        let revision = try await server.call("GET", path + "/replay/revision?at=\(at)", token: server.admin)
        #expect(revision.json?["revision"]?.int == 4)
        let none = try await server.call("GET", path + "/replay/snapshots/4", token: server.admin)
        #expect(none.status == 404)
        let writer = server.token(.team, .writer)
        #expect(try await server.call("GET", path + "/replay", token: writer).status == 403)
        #expect(
          try await server.call("GET", "/v5/rooms/\(name.log)/replay", token: server.admin).status == 404)
      }
    }
  }

  @Test("SIG-C11: an administrator removes an account from a channel: kicked, and the log says so")
  func kick() async throws {
    try await RunningServer.with { server in
      let name = SpaceName.channel(.signaling, "lobby")
      for account in ["ada", "bob"] {
        try await server.make(
          .account(account), [joined(0, "signaling"), (.member(0), .space(.channelEntered("lobby")))])
      }
      try await server.make(name, [joined(0, "ada"), joined(1, "bob")])
      let path = "/v5/channels/signaling/lobby"
      let done = try await server.call(
        "POST", path + "/kick", token: server.admin, body: "{\"account\":\"bob\"}")
      #expect(done.status == 200)
      #expect(done.text == "{\"kicked\":[1]}")
      let again = try await server.call(
        "POST", path + "/kick", token: server.admin, body: "{\"account\":\"bob\"}")
      #expect(again.status == 404)
      #expect(again.json?["code"]?.string == "notMember")
      let missing = try await server.call("POST", path + "/kick", token: server.admin, body: "{}")
      #expect(missing.status == 400)
      let shown = try await server.call("GET", path, token: server.admin)
      #expect(shown.json?["members"]?.array?.map { $0["account"]?.string } == ["ada"])
      var events: [Event] = []
      for run in try await server.store.allRuns(of: name.log) {
        try run.forEach { view, _ throws in events.append(try EventCodec.decode(view, in: run.records).event)
        }
      }
      #expect(events.contains(.members(.kicked(MemberKicked(member: 1, reason: .kickByAdmin)))))
      #expect(events.contains(.members(.left(.kicked))))
    }
  }

  @Test(
    "SPC-11: the routes of rooms show neither an account nor a channel, also where their beginning is trimmed"
  )
  func roomRoutes() async throws {
    try await RunningServer.with { server in
      let message = InboxMessage(version: 1, service: .signaling, from: "bob", id: "9", text: "a secret")
      let (ada, lobby) = (SpaceName.account("ada"), SpaceName.channel(.rtm, "lobby"))
      try await server.make(ada, [joined(0, "signaling"), (.server, .space(.inboxMessage(message)))])
      try await server.make(lobby, [joined(0, "ada")])
      for (space, role) in [(ada, Role.reader), (ada, .admin), (lobby, .writer)] {
        let room = "/v5/rooms/\(space.log)"
        for path in ["", "/log", "/state", "/members", "/scenes", "/channel_events", "/replay"] {
          let shown = try await server.call("GET", room + path, token: server.token(.team, role))
          #expect([403, 404].contains(shown.status), "\(path) \(role)")
          #expect(!shown.text.contains("secret"), "\(path) \(role)")
          if role == .admin { #expect(shown.status == 404, "\(path)") }
        }
      }
      let kick = try await server.call(
        "POST", "/v5/rooms/\(lobby.log)/kick", token: server.admin, body: "{\"uid\":\"ada\"}")
      #expect(kick.status == 404)
      #expect(try await server.call("GET", "/v5/rooms", token: server.admin).text == "[]")
      let events = try await server.call("GET", "/v5/user_events?uid=ada", token: server.admin)
      #expect(events.status == 200)
      #expect(events.json?["events"]?.array?.isEmpty == true)
      let minted = try await server.call(
        "POST", "/v5/tokens/rooms/\(ada.log)", token: server.admin, body: "{\"role\":\"reader\"}")
      #expect(minted.status == 404)
    }
  }

  @Test("SPC-11: a space with a snapshot is no room either")
  func snapshots() async throws {
    try await RunningServer.with { server in
      let ada = SpaceName.account("ada")
      try await server.make(ada, [joined(0, "signaling")])
      var state = RoomState()
      for run in try await server.store.allRuns(of: ada.log) {
        try run.forEach { view, _ throws in _ = state.apply(try EventCodec.decode(view, in: run.records)) }
      }
      var encoder = StateEncoder()
      try await server.store.put(encoder.snapshot(of: state), for: ada.log)
      #expect(RoomRegistry.RoomFacts(state) == nil)
      #expect(try await server.call("GET", "/v5/rooms", token: server.admin).text == "[]")
      var info = try await server.store.info(of: ada.log)
      info.low = 2
      #expect(try await RoomOpening.created(info, in: server.store) == nil)
      #expect(try await RoomOpening.space(info, in: server.store) == ada)
    }
  }

  @Test("SPC-11: an account is shown with its logins, their attributes and channels, and no message")
  func account() async throws {
    try await RunningServer.with { server in
      let message = InboxMessage(version: 1, service: .signaling, from: "bob", id: "9", text: "a secret")
      try await server.make(
        .account("ada"),
        [
          joined(0, "signaling"), set("mood", "fine", by: 0),
          (.member(0), .space(.channelEntered("lobby"))), (.server, .space(.inboxMessage(message))),
        ])
      let shown = try await server.call("GET", "/v5/accounts/ada", token: server.admin)
      #expect(shown.status == 200)
      #expect(!shown.text.contains("secret"))
      let logins = shown.json?["logins"]?.array ?? []
      #expect(logins.count == 1)
      #expect(logins.first?["service"]?.string == "signaling")
      // Nobody hosts it, so nobody knows whether it is there.
      #expect(logins.first?["isOnline"]?.bool == false)
      #expect(logins.first?["phase"]?.string == "reconnecting")
      #expect(logins.first?["attributes"]?["mood"]?.string == "fine")
      #expect(logins.first?["channels"]?.array?.map(\.string) == ["lobby"])
      #expect(logins.first?["held"]?.int == 1)
      #expect(try await server.call("GET", "/v5/accounts/nobody", token: server.admin).status == 404)
    }
  }
}
