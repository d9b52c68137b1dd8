import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

@Suite("The table of kinds")
struct KindTraitsTests {
  @Test("KIND-1: every kind has one row, by its number, with a name and a type of its own")
  func rows() {
    #expect(KindTraits.rows.map(\.kind) == EventKind.allCases)
    #expect(KindTraits.rows.map(\.kind.rawValue) == KindTraits.rows.map(\.kind.rawValue).sorted())
    for kind in EventKind.allCases {
      #expect(kind.traits.kind == kind)
      #expect(EventKind(named: kind.name) == kind)
      #expect(EventKind.number(named: kind.name) == kind.rawValue)
    }
    #expect(EventKind.number(named: "200") == 200)
    #expect(EventKind.number(named: "nothing") == nil)
    #expect(Set(KindTraits.rows.map(\.webhook.type)).count == KindTraits.rows.count)
  }

  @Test("KIND-1: numbers below 16 have binary bodies, and no others")
  func bodies() {
    for row in KindTraits.rows { #expect(row.isBinary == row.kind.hasBinaryBody, "\(row.kind)") }
  }

  @Test("KIND-1: what the table says of a body is what a decision makes of it, in 20,000 random commands")
  func verbatim() throws {
    var chance = Chance(11)
    var trial = Trial(RoomPolicy(pointers: .all, cameras: .all, rate: nil, rates: [:]))
    for uid in ["a", "b", "c"] { try trial.join(uid, role: uid == "a" ? .admin : .writer) }
    var seen: Set<EventKind> = []
    for _ in 1...20_000 {
      let member = MemberID(chance.below(3))
      let command = PropertyTests.command(member, &chance)
      let counter = trial.counters[member, default: 0] + 1
      trial.counters[member] = counter
      let numbered = NumberedCommand(counter: counter, command: command)
      let decision = trial.say(numbered, member, raw: [1, 2, 3])
      guard decision.isDone, let proposed = decision.proposed.first,
        proposed.event.kind == command.kind.rawValue
      else { continue }
      seen.insert(command.kind)
      switch try #require(command.kind.command).body {
      case .commands: #expect(proposed.rawBody != nil, "\(command.kind)")
      case .servers: #expect(proposed.rawBody == nil, "\(command.kind)")
      case .commandsIfWhole: break
      }
    }
    #expect(seen.count >= 14, "\(seen)")
  }

  @Test("KIND-1: the usual rates of kinds are those of the table")
  func rates() {
    let rated = KindTraits.rows.filter { $0.command?.rate != nil }.map(\.kind)
    #expect(Set(RoomPolicy().rates.keys) == Set(rated))
    #expect(RoomPolicy().rates[.magix] == RoomPolicy.Rate(sustained: 50, burst: 200))
    #expect(RoomPolicy().rates[.handRaised] == RoomPolicy.Rate(sustained: 1, burst: 10))
  }

  @Test("KIND-1: each limit of payloads is one that can be set, and its name is that of the value")
  func limits() {
    for limit in PayloadLimit.allCases where limit != .message {
      #expect(RoomLimit.named(limit.name) != nil, "\(limit)")
    }
    let told = WireLimits(message: 1, stroke: 2, magix: 3, statePatch: 4, element: 6)
    for row in KindTraits.rows {
      let value = told.payload(of: row.kind)
      #expect((value == nil) == (row.command == nil))
      #expect(WireLimits.name(forPayloadOf: row.kind) == row.command?.limit.name)
    }
    #expect(told.payload(of: .stroke) == 2)
    #expect(told.payload(of: .storeSet) == 4)
    #expect(told.payload(of: .scenesPut) == 1)
  }

  @Test("LOG-29: every kind that stays without a member's words says what is left")
  func erasure() {
    let own: [Event] = [
      .members(
        .joined(
          MemberJoined(
            session: SessionID(high: 1, low: 1), uid: "ada", role: .writer, writable: true, payload: nil,
            client: nil))),
      .scenes(.put(ScenesPut(directory: "/mine", index: 0, scenes: [SceneSpec(id: 2, name: "mine")]))),
      .scenes(.moved(SceneMoved(scene: 2, directory: "/mine", name: "mine"))),
      .diagnostics(.refused(RefusedCommand(kind: 30, code: .tooLarge, id: "mine"))),
    ]
    let wanted = KindTraits.rows.filter { $0.erasure == .staysWithoutWords }.map(\.kind.rawValue)
    #expect(Set(own.map(\.kind)) == Set(wanted))
    let erasure = ContentErasure(uid: nil, members: [1])
    for event in own {
      let record = RoomEvent(revision: 5, time: .zero, actor: .member(1), counter: 0, event: event)
      let left = erasure.replacement(of: record) { "00" }
      #expect(left?.kind == event.kind)
      #expect(left != event)
    }
  }
}
