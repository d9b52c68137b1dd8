import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

extension Trial {
  /// What a driver does that looks at the clock; answers with what became due.
  @discardableResult
  mutating func passChannelDue() -> [Event] {
    let due = ChannelClock(state)?.due(at: now) ?? []
    record(due)
    return due.map(\.event)
  }

  mutating func leave(_ member: MemberID) { record(room.leave(member, .left)) }
}

@Suite("Channels: clocks")
struct ChannelClockTests {
  @Test(
    "TL-20, SPC-6: attributes outlast the last member by 7,200 s less a moment; a join then stops the countdown"
  )
  func life() throws {
    var trial = Trial.channel()
    let ada = try trial.join("ada")
    trial.set("a", "1", by: ada)
    trial.leave(ada)
    let deadline = trial.now + .seconds(7_200)
    #expect(ChannelClock(trial.state)?.deadline == deadline)
    var other = trial
    trial.now = deadline + .milliseconds(-1)
    #expect(trial.passChannelDue().isEmpty)
    #expect(trial.attributes == ["a": "1"])
    try trial.join("bob")
    #expect(ChannelClock(trial.state)?.deadline == nil)
    trial.wait(10_000_000)
    #expect(trial.passChannelDue().isEmpty)
    #expect(trial.attributes == ["a": "1"])
    other.now = deadline
    #expect(other.passChannelDue() == [.space(.expired)])
    #expect(other.attributes.isEmpty)
    #expect(other.state.space?.joins == 0)
    #expect(ChannelClock(other.state)?.deadline == nil, "it is gone once")
  }

  @Test(
    "SPC-6: a channel lives _channel_ttl in Signaling, 10 s in RTC, not at all in RTM; special channels for ever",
    arguments: [
      (SpaceName.channel(.signaling, "a"), "5", 5), (.channel(.signaling, "a"), "0", 0),
      (.channel(.signaling, "a"), nil, 7_200), (.channel(.rtc, "a"), nil, 10), (.channel(.rtm, "a"), nil, 0),
      (.userOnline, nil, nil), (.channelEvents, nil, nil),
    ] as [(SpaceName, String?, Int?)])
  func lives(_ name: SpaceName, _ ttl: String?, _ seconds: Int?) throws {
    var trial = Trial(created: false)
    trial.record(trial.room.create(name))
    let ada = try trial.join("ada")
    if let ttl { trial.set("_channel_ttl", ttl, by: ada) }
    #expect(ChannelClock(trial.state)?.expiry == nil, "somebody is here")
    trial.leave(ada)
    let found = ChannelClock(trial.state)?.expiry
    #expect(found == seconds.map { trial.now + .seconds($0) })
  }

  @Test("SPC-6: a clock of a room and of an account there is none")
  func noClock() {
    var account = Trial(created: false)
    account.record(account.room.create(.account("ada")))
    #expect(ChannelClock(account.state) == nil)
    #expect(ChannelClock(Trial().state) == nil)
  }

  @Test(
    "TL-21, SPC-7: 40 joins in 12 s, an interval of 5 s: the number is told at 5, 10 and 15 s, and not at 20")
  func numbers() throws {
    var trial = Trial.channel()
    let ada = try trial.join("ada")
    trial.set("_auto_update_num", "5", by: ada)
    var told: [Int64: MemberNumbers] = [:]
    for step in 1...300 {
      trial.wait(100)
      if step <= 120, step % 3 == 0 { try trial.join("u\(step)") }
      for case .space(.numbersTold(let numbers)) in trial.passChannelDue() {
        told[Int64(step) * 100] = numbers
      }
    }
    #expect(trial.state.members.count == 41)
    #expect(told.keys.sorted() == [5_000, 10_000, 15_000])
    #expect(told.values.allSatisfy { $0.total == nil })
    #expect(told[15_000]?.members == 41)
    #expect(trial.state.channelAttributes["_member_num"] == "41")
  }

  @Test("SPC-7: who comes and goes within an interval is told of; _total_member_num needs both switches")
  func comingAndGoing() throws {
    var trial = Trial.channel()
    let ada = try trial.join("ada")
    trial.set("_auto_update_num", "5", by: ada)
    trial.set("_auto_update_total_num", "1", by: ada)
    trial.wait(5_000)
    #expect(trial.passChannelDue().isEmpty, "nobody came or went")
    trial.leave(try trial.join("bob"))
    trial.wait(4_999)
    #expect(trial.passChannelDue().isEmpty)
    trial.wait(1)
    #expect(trial.passChannelDue() == [.space(.numbersTold(MemberNumbers(members: 1, total: 2)))])
    #expect(trial.state.channelAttributes["_total_member_num"] == "2")
    trial.set("_auto_update_num", "0", by: ada)
    trial.leave(try trial.join("bob"))
    #expect(ChannelClock(trial.state)?.deadline == nil)
    trial.set("_auto_update_num", "2", by: ada)
    trial.leave(try trial.join("bob"))
    trial.say(.space(.clearAttributes), ada)
    #expect(ChannelClock(trial.state)?.deadline == nil)
    #expect(trial.state.channelAttributes.isEmpty)
  }

  @Test("SPC-8: the clocks follow from the log: folded anew, a channel goes on where it stood")
  func restart() throws {
    var trial = Trial.channel()
    let ada = try trial.join("ada")
    trial.set("_auto_update_num", "5", by: ada)
    trial.wait(2_000)
    try trial.join("bob")
    var folded = RoomState()
    for event in trial.log { folded.apply(event) }
    #expect(folded == trial.state)
    #expect(ChannelClock(folded) == ChannelClock(trial.state))
    trial.room = Room(state: folded)
    trial.wait(60_000)
    #expect(trial.passChannelDue() == [.space(.numbersTold(MemberNumbers(members: 2, total: nil)))])
    #expect(trial.passChannelDue().isEmpty, "what was missed meanwhile is told once")
  }
}
