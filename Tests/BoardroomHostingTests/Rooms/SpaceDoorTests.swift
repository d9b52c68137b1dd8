import BoardroomCodec
import BoardroomModel
import TestKit
import Testing

/// A channel's member, whose commands go out as bytes.
@Suite struct SpaceDoorTests {
  @Test(
    "ADR 0021: `by` is the server's to say: a member cannot speak as another account",
    arguments: [
      (UInt8(52), "{\"id\":\"1\",\"text\":\"hello\",\"by\":\"eve\"}"),
      (50, "{\"set\":{\"a\":\"1\"},\"by\":\"eve\"}"), (51, "{\"by\":\"eve\"}"),
    ])
  func nobodyElse(kind: UInt8, payload: String) throws {
    let server = SimulatedServer()
    let place = Place(service: .rtc, account: "ada", channel: "lobby")
    let ada = server.join(place.space.log) { $0.place = place }
    ada.say(bytes: [2, UInt8(payload.utf8.count + 1), kind, 1] + payload.utf8)
    ada.receive()
    let event = try #require(ada.events.last)
    #expect(event.event.kind == kind)
    #expect(event.actor.member == 0)
    #expect(event.counter == 1)
    let author: String?
    switch event.event {
    case .space(.channelMessage(let message)): author = message.by
    case .space(.attributesSet(let set)): author = set.by
    case .space(.attributesCleared(let by)): author = by
    default: author = "none of the three"
    }
    #expect(author == nil)
    #expect(ada.faults.isEmpty)
  }
}
