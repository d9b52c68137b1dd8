import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

/// Members, what they draw with, and what they say (PARITY rows RS, GET, RM, ME, SIZE).
@Suite struct MemberTests {
  private static func full() -> WhiteMemberState {
    var state = WhiteMemberState()
    state.currentApplianceName = "text"
    state.shapeType = "rhombus"
    (state.strokeColor, state.textColor, state.fillColor) = ([0, 128, 255], [1, 2, 3], [4, 5, 6])
    (state.strokeWidth, state.textSize) = (2.5, 17)
    (state.strokeOpacity, state.fillOpacity) = (0.25, 1)
    (state.strokeType, state.pencilEraserSize, state.dottedLine) = ("longDotted", 2, true)
    (state.bold, state.italic, state.underline, state.lineThrough) = (true, false, true, false)
    return state
  }

  /// What the log is to hold of it, by the published keys.
  private static let texts: [String: String] = [
    "currentApplianceName": "\"text\"", "shapeType": "\"rhombus\"", "strokeColor": "[0,128,255]",
    "textColor": "[1,2,3]", "fillColor": "[4,5,6]", "strokeWidth": "2.5", "textSize": "17",
    "strokeOpacity": "0.25", "fillOpacity": "1", "strokeType": "\"longDotted\"", "pencilEraserSize": "2",
    "dottedLine": "true", "bold": "true", "italic": "false", "underline": "true", "lineThrough": "false",
  ]

  private func set(_ state: WhiteMemberState) throws {
    let (world, _, _, a, b) = try pair()
    a.setMemberState(state, completion: nil)
    world.run(for: 1)
    #expect(a.state.memberState == state)
    #expect(b.state.roomMembers?.first { $0.memberId == a.roomMemberId }?.memberState == state)
    #expect(world.foldedState.members[0]?.state.mapValues(\.text) == Self.texts)
  }

  @Test(
    "MS-currentApplianceName, -shapeType, -strokeType, -dottedLine, -pencilEraserSize, -bold, -italic, -underline"
  )
  func tools() throws { try set(Self.full()) }

  @Test(
    "MS-strokeColor, -textColor, -fillColor, -strokeWidth, -textSize, -strokeOpacity, -fillOpacity, -lineThrough"
  )
  func looks() throws {
    let (world, _, _, a, b) = try pair()
    for (key, text) in Self.texts.sorted(by: { $0.key < $1.key }) {
      var one = WhiteMemberState()
      one.other[key] = JSONText(unchecked: text)
      a.setMemberState(one, completion: nil)
      world.run(for: 1)
    }
    #expect(b.state.roomMembers?.first?.memberState == Self.full(), "each key is read into its own field")
  }

  @Test(
    "MS-strokeColor, -textColor, -fillColor: White's lists are the same colours, and a list that is none is kept"
  )
  func colours() {
    var state = WhiteMemberState()
    state.strokeColor = [0, 128, 255]
    #expect(state.strokeColour == Colour(red: 0, green: 128, blue: 255))
    state.textColour = Colour(red: 1, green: 2, blue: 3)
    #expect(state.textColor == [1, 2, 3])
    state.fillColor = [4, 5, 256]
    #expect(state.fillColour == nil)
    #expect(state.fillColor == [4, 5, 256])
    state.fillColor = [4, 5, 6]
    #expect(state.fillColour?.levels == [4, 5, 6])
    #expect(state.other.isEmpty)
    state.strokeColor = nil
    #expect(state.strokeColour == nil)
  }

  @Test("MS-other: any other key is kept and shared as it was sent, also a known one with another type")
  func other() throws {
    let (world, _, _, a, b) = try pair()
    var state = WhiteMemberState()
    state.other = [
      "hand": JSONText(unchecked: #"{"raised":true,"at":[1,2.50]}"#), "bold": JSONText(unchecked: "7"),
    ]
    a.setMemberState(state, completion: nil)
    world.run(for: 1)
    for room in [a, b] { #expect(room.state.roomMembers?.first?.memberState == state) }
  }

  @Test("MS-merge, RM-memberState: a part merges; it outlasts a resumed session, and no other")
  func merge() throws {
    let (world, anna, _, a, b) = try pair()
    var part = WhiteMemberState()
    part.strokeWidth = 9
    a.setMemberState(part, completion: nil)
    part = WhiteMemberState()
    part.strokeColor = [9, 9, 9]
    a.setMemberState(part, completion: nil)
    part.strokeWidth = 9
    world.run(for: 1)
    anna.network.set(.cut)
    world.run(for: 10)
    anna.network.set(.clear)
    world.run(for: 12)
    #expect(a.phase == .connected)
    #expect(a.state.memberState == part)
    #expect(b.state.roomMembers?.first { $0.uid == "anna" }?.memberState == part)
    world.perform { await a.disconnect() }
    let again = try anna.join()
    world.run(for: 1)
    #expect(again.state.memberState == WhiteMemberState())
    #expect(b.state.roomMembers?.first { $0.uid == "anna" }?.memberState == WhiteMemberState())
  }

  @Test("RM-memberId: from 0, rising, never again; observerId and authorId are the same number")
  func memberIds() throws {
    let (world, anna, ben, a, b) = try pair()
    b.addMagixEventListener("hello")
    #expect([a.roomMemberId, b.roomMemberId] == [0, 1])
    world.perform { await a.disconnect() }
    let again = try anna.join()
    #expect(again.roomMemberId == 2)
    #expect(again.observerId == 2)
    again.dispatchMagixEvent("hello", payload: .null, completion: nil)
    world.run(for: 1)
    #expect(ben.recorder.magix.map(\.authorId) == [2])
    #expect(b.state.roomMembers?.map(\.memberId) == [1, 2])
  }

  @Test("GET-properties, -roomState: properties read the local copy, in an outage too; getters ask again")
  func properties() throws {
    let (world, anna, _, a, b) = try pair()
    b.setGlobalState(["k": .number("1")], completion: nil)
    world.run(for: 1)
    anna.network.set(.silent)
    b.setGlobalState(["k": .number("2")], completion: nil)
    world.run(for: 2)
    #expect(a.state.globalState?["k"]?.text == "1")
    #expect(b.state.globalState?["k"]?.text == "2")
    anna.network.set(.clear)
    world.run(for: 12)
    let asked = world.perform { await a.getRoomState() }
    #expect(asked == a.state)
    #expect(asked.globalState?["k"]?.text == "2")
  }

  @Test("ME-1, ME-2: an event has name, room, scope and author, and any JSON for a payload, byte for byte")
  func anyPayload() throws {
    let (world, _, ben, a, b) = try pair()
    b.addMagixEventListener("any")
    let payloads: [JSONValue] = [
      .null, .bool(false), .number("-0.50e+2"), .string("ä \"\\\n\u{1F600}"), .array([]),
      .array([.number("1"), .array([.null])]), .object([]),
      .object([("b", .number("2")), ("a", .object([("", .string(""))]))]),
    ]
    for payload in payloads { a.dispatchMagixEvent("any", payload: payload, completion: nil) }
    world.run(for: 2)
    #expect(ben.recorder.magix.map(\.payload) == payloads.map(\.text))
    for event in ben.recorder.magix {
      #expect(event.eventName == "any")
      #expect(event.uuid == b.uuid)
      #expect(event.scope == .custom)
      #expect(event.authorId == a.roomMemberId)
    }
  }

  @Test("CB-15: each reason of 2.5 is told by its published name, then the phase, and it is the room's error")
  func reasons() throws {
    let names = [
      "kickByAdmin", "roomDelete", "roomZombie", "roomBan", "GatewayAdjust", "replaceByOther", "crash",
    ]
    #expect(KickReason.allCases.map(\.rawValue) == names)
    for reason in KickReason.allCases {
      let (world, anna, _, a, _) = try pair()
      world.kick(0, reason: reason)
      world.run(for: 60)
      let told = anna.recorder.heard.filter { if case .state = $0 { false } else { true } }
      #expect(told == [.kicked(reason.rawValue), .phase(.disconnected), .committable(false)])
      #expect(a.error?.kick == reason)
      #expect(a.phase == .disconnected)
    }
  }
}
