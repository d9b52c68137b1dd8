import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

extension Trial {
  /// A channel instead of a room.
  static func channel(
    _ service: Service = .signaling, _ name: String = "lobby", _ policy: RoomPolicy = RoomPolicy()
  ) -> Trial {
    var trial = Trial(policy, created: false)
    trial.record(trial.room.create(.channel(service, name)))
    return trial
  }

  @discardableResult
  mutating func set(_ name: String, _ value: String?, by member: MemberID) -> Decision {
    say(.space(.setAttributes(AttributesSet([.init(name: name, value: value)]))), member)
  }

  @discardableResult
  mutating func speak(_ text: String = "hello", by member: MemberID) -> Decision {
    say(.space(.say(ChannelMessage(id: "1", text: text))), member)
  }

  /// From outside, by an account; what it is refused with, if it is.
  @discardableResult
  mutating func outside(_ command: SpaceCommand, by account: String) -> Refusal? {
    do throws(Refusal) {
      record(try room.decide(spaceCommand: command, by: account, at: now))
      return nil
    } catch {
      return error
    }
  }

  var attributes: [String: String] { state.space?.attributes ?? [:] }
}

private func refusal(of decision: Decision) -> Refusal? {
  if case .refused(let refusal, _) = decision { refusal } else { nil }
}

@Suite("Channels: what may be said and set")
struct ChannelRuleTests {
  @Test("SIG-C20, SIG-C21, SIG-C22: attributes are set, taken away and cleared, at n bytes and not at n + 1")
  func attributes() throws {
    var trial = Trial.channel()
    let ada = try trial.join("ada")
    #expect(
      trial.set(String(repeating: "n", count: 128), String(repeating: "v", count: 8_096), by: ada).isDone)
    let long = refusal(of: trial.set(String(repeating: "n", count: 129), "v", by: ada))
    #expect(long?.code == .tooLarge)
    #expect(long?.actual == 129)
    #expect(long?.allowed == 128)
    #expect(long?.limit == "limits.attributeName")
    let large = refusal(of: trial.set("a", String(repeating: "v", count: 8_097), by: ada))
    #expect(large?.actual == 8_097)
    #expect(large?.allowed == 8_096)
    #expect(large?.limit == "limits.attributeValue")
    trial.set("a", "1", by: ada)
    trial.set("a", nil, by: ada)
    #expect(trial.attributes["a"] == nil)
    #expect(trial.attributes.count == 1)
    trial.set("_channel_ttl", "9", by: ada)
    trial.say(.space(.clearAttributes), ada)
    #expect(trial.attributes.isEmpty, "built-ins are back at their defaults, too")
  }

  @Test(
    "SPC-1, SIG-C20: names are visible characters, at least one",
    arguments: ["", "a b", "a\tb", "\u{7f}", "é\u{a0}"])
  func names(_ name: String) throws {
    var trial = Trial.channel()
    let ada = try trial.join("ada")
    #expect(trial.set(name, "1", by: ada).code == .badName)
    #expect(throws: Refusal.self) {
      try SpaceNameRule.check(Place(service: .signaling, account: "ada", channel: name))
    }
    #expect(throws: Refusal.self) { try SpaceNameRule.check(Place(service: .signaling, account: name)) }
  }

  @Test(
    "SIG-C1, SIG-4, X-67: names of accounts and channels have 128 bytes in Signaling and 64 in RTM, not one more"
  )
  func places() throws {
    for (service, most) in [(Service.signaling, 128), (.rtm, 64), (.rtc, 64)] {
      try SpaceNameRule.check(
        Place(
          service: service, account: String(repeating: "a", count: most),
          channel: String(repeating: "é", count: most / 2)))
      for place in [
        Place(service: service, account: String(repeating: "a", count: most + 1)),
        Place(service: service, account: "a", channel: String(repeating: "c", count: most + 1)),
      ] {
        let error = #expect(throws: Refusal.self) { try SpaceNameRule.check(place) }
        #expect(error?.code == .badName)
        #expect(error?.actual == most + 1)
        #expect(error?.allowed == most)
      }
    }
  }

  @Test(
    "SPC-3, SIG-A7: built-in attributes take whole numbers in their range; the server's own and unknown ones are 1004",
    arguments: [
      ("_userNotification", ["0", "1"], ["2", "", "yes", "-1", "01"]),
      ("_channel_ttl", ["0", "7200", "2147483647"], ["2147483648", "-1", "1.5", " 1", "+1"]),
      ("_auto_update_num", ["0", "5"], ["x"]), ("_auto_update_total_num", ["0", "1"], ["x"]),
      ("_sendmsg_limit", ["1", "1000"], ["0", "1001", "x"]), ("_setattr_limit", ["0", "3"], ["x"]),
      ("_member_num", [], ["1"]), ("_total_member_num", [], ["1"]), ("_mine", [], ["1"]), ("_", [], ["1"]),
    ] as [(String, [String], [String])])
  func builtIns(_ name: String, _ good: [String], _ bad: [String]) throws {
    for value in good {
      var trial = Trial.channel()
      let ada = try trial.join("ada")
      #expect(trial.set(name, value, by: ada).isDone, "\(value)")
      #expect(trial.attributes == [name: value])
    }
    var trial = Trial.channel()
    let ada = try trial.join("ada")
    for value in bad { #expect(trial.set(name, value, by: ada).code == .badParameter, "\(value)") }
    #expect(trial.attributes.isEmpty)
    #expect(trial.set(name, nil, by: ada).isDone == !good.isEmpty, "taking it away is setting its default")
  }

  @Test("SPC-3: in RTM, names that begin with _ mean nothing to the server")
  func noBuiltInsInRTM() throws {
    var trial = Trial.channel(.rtm)
    let ada = try trial.join("ada")
    #expect(trial.set("_channel_ttl", "for ever", by: ada).isDone)
  }

  @Test(
    "SPC-4: an RTM channel has 32 attributes of 32 KiB together, not one more; what makes it less is accepted"
  )
  func totals() throws {
    var trial = Trial.channel(.rtm)
    let ada = try trial.join("ada")
    for number in 0..<32 {
      trial.wait(500)
      #expect(trial.set("a\(number)", "1", by: ada).isDone)
    }
    trial.wait(500)
    let more = refusal(of: trial.set("b", "1", by: ada))
    #expect(more?.code == .tooMany)
    #expect(more?.actual == 33)
    #expect(more?.allowed == 32)
    #expect(more?.limit == "attributes")
    trial.wait(500)
    #expect(trial.set("a0", nil, by: ada).isDone)
    #expect(trial.attributes.count == 31)

    var other = Trial.channel(.rtm)
    let grace = try other.join("grace")
    for number in 0..<3 { other.set("\(number)", String(repeating: "v", count: 8 << 10), by: grace) }
    let rest = (32 << 10) - 3 * ((8 << 10) + 1) - 1
    #expect(other.set("3", String(repeating: "v", count: rest), by: grace).isDone, "32 KiB just")
    let large = refusal(of: other.set("4", "", by: grace))
    #expect(large?.code == .tooLarge)
    #expect(large?.actual == (32 << 10) + 1)
    #expect(large?.limit == "limits.attributes")
    #expect(other.set("3", "v", by: grace).isDone)
  }

  @Test("SIG-M3, X-68: a message to a channel has 8,192 bytes in Signaling, 32 KiB in RTM, not one more")
  func messages() throws {
    for (service, most) in [(Service.signaling, 8_192), (.rtm, 32 << 10)] {
      var trial = Trial.channel(service)
      let ada = try trial.join("ada")
      #expect(trial.speak(String(repeating: "x", count: most), by: ada).isDone)
      let large = refusal(of: trial.speak(String(repeating: "x", count: most + 1), by: ada))
      #expect(large?.code == .tooLarge)
      #expect(large?.actual == most + 1)
      #expect(large?.allowed == most)
    }
  }

  @Test(
    "SPC-2, SIG-M5, SIG-C24: an account speaks and sets from outside by the same rules, and the event says who it was"
  )
  func fromOutside() throws {
    var trial = Trial.channel()
    let message = ChannelMessage(id: "7", text: "from outside")
    #expect(trial.outside(.say(message), by: "bob") == nil)
    #expect(trial.outside(.setAttributes(AttributesSet([.init(name: "a", value: "1")])), by: "bob") == nil)
    #expect(trial.attributes == ["a": "1"])
    #expect(trial.outside(.setAttributes(AttributesSet([.init(name: "_x", value: "1")])), by: "bob") != nil)
    #expect(trial.outside(.clearAttributes, by: "bob") == nil)
    #expect(trial.attributes.isEmpty)
    #expect(trial.outside(.acknowledge(1), by: "bob")?.code == .unknownKind)
    let events = trial.log.dropFirst()
    #expect(events.allSatisfy { $0.actor == .server })
    #expect(
      events.map(\.event) == [
        .space(.channelMessage(ChannelMessage(id: "7", text: "from outside", by: "bob"))),
        .space(.attributesSet(AttributesSet([.init(name: "a", value: "1")], by: "bob"))),
        .space(.attributesCleared(by: "bob")),
      ])
  }

  @Test("SIG-C8: in the special channels only the server speaks")
  func special() throws {
    for special in [SpaceName.userOnline, .channelEvents] {
      var trial = Trial.channel(.signaling, special.text)
      let ada = try trial.join("ada")
      #expect(trial.speak(by: ada).code == .forbidden)
      #expect(trial.set("a", "1", by: ada).code == .forbidden)
      #expect(trial.outside(.clearAttributes, by: "bob")?.code == .forbidden)
    }
  }

  @Test("SIG-C3: the newest members come last, with how many there are in all")
  func newest() throws {
    var trial = Trial.channel()
    for number in 0..<7 { try trial.join("u\(number)") }
    try trial.join("u2")
    #expect(trial.state.newestMembers(3).accounts == ["u5", "u6", "u2"])
    #expect(trial.state.newestMembers(200).accounts == ["u0", "u1", "u3", "u4", "u5", "u6", "u2"])
    #expect(trial.state.newestMembers(3).total == 7)
    #expect(trial.state.newestMembers(0).accounts.isEmpty)
  }
}

@Suite("Channels: how fast")
struct ChannelRateTests {
  @Test("SIG-M4: 60 messages a second of one account pass and the 61st does not; a second later 60 more")
  func member() throws {
    var trial = Trial.channel()
    let ada = try trial.join("ada")
    for _ in 0..<2 {
      for _ in 0..<60 { #expect(trial.speak(by: ada).isDone) }
      let flood = refusal(of: trial.speak(by: ada))
      #expect(flood?.code == .rateLimited)
      #expect(flood?.actual == 61)
      #expect(flood?.allowed == 60)
      #expect(flood?.limit == "rate.channelMessage")
      #expect(trial.speak(by: ada).proposed.isEmpty, "DEC-4")
      trial.wait(1_000)
    }
  }

  @Test("SIG-M4: what an account says from outside counts with what it says inside")
  func oneCountForAnAccount() throws {
    var trial = Trial.channel()
    let ada = try trial.join("ada")
    for _ in 0..<30 { trial.speak(by: ada) }
    let message = SpaceCommand.say(ChannelMessage(id: "", text: "x"))
    for _ in 0..<30 { #expect(trial.outside(message, by: "ada") == nil) }
    #expect(trial.outside(message, by: "ada")?.allowed == 60)
    #expect(trial.speak(by: ada).code == .rateLimited)
    #expect(trial.outside(message, by: "bob") == nil)
  }

  @Test("SIG-M4: 200 messages a second of a channel pass and the 201st does not, whoever says it")
  func channel() throws {
    var trial = Trial.channel()
    let members = try ["a", "b", "c", "d", "e"].map { try trial.join($0) }
    for number in 0..<200 { #expect(trial.speak(by: members[number % 4]).isDone) }
    let flood = refusal(of: trial.speak(by: members[4]))
    #expect(flood?.code == .rateLimited)
    #expect(flood?.actual == 201)
    #expect(flood?.allowed == 200)
    #expect(flood?.limit == "_sendmsg_limit")
    trial.wait(1_000)
    #expect(trial.speak(by: members[4]).isDone)
  }

  @Test("SPC-5, X-33: _sendmsg_limit lowers and raises the 200; the server's ceiling holds whatever it says")
  func messageLimit() throws {
    for (value, ceiling, allowed) in [("3", 1_000, 3), ("250", 1_000, 250), ("250", 220, 220)] {
      var trial = Trial.channel(.signaling, "lobby", RoomPolicy(channelMessages: 1_000))
      let members = try (0..<6).map { try trial.join("\($0)") }
      #expect(trial.set("_sendmsg_limit", value, by: members[0]).isDone)
      if ceiling < 1_000 {
        // The operator has lowered it since.
        trial.room = Room(state: trial.state, policy: RoomPolicy(channelMessages: ceiling))
      }
      for number in 0..<allowed { #expect(trial.speak(by: members[number % 6]).isDone) }
      #expect(refusal(of: trial.speak(by: members[5]))?.allowed == allowed)
    }
  }

  @Test(
    "SPC-5: _setattr_limit n: n changes a second of each attribute pass, n + 1 do not; others are not held up"
  )
  func attributeLimit() throws {
    var trial = Trial.channel()
    let ada = try trial.join("ada")
    trial.set("_setattr_limit", "2", by: ada)
    for _ in 0..<2 { #expect(trial.set("a", "1", by: ada).isDone) }
    let flood = refusal(of: trial.set("a", "1", by: ada))
    #expect(flood?.code == .rateLimited)
    #expect(flood?.actual == 3)
    #expect(flood?.allowed == 2)
    #expect(flood?.limit == "_setattr_limit")
    let both = AttributesSet([.init(name: "b", value: "1"), .init(name: "a", value: "1")])
    #expect(trial.say(.space(.setAttributes(both)), ada).code == .rateLimited)
    for _ in 0..<2 { #expect(trial.set("b", "1", by: ada).isDone, "the whole change was refused") }
    #expect(trial.set("b", "1", by: ada).code == .rateLimited)
    trial.wait(1_000)
    #expect(trial.set("a", "1", by: ada).isDone)
    trial.say(.space(.clearAttributes), ada)
    for _ in 0..<9 { #expect(trial.set("a", "1", by: ada).isDone, "none stated, so none") }
  }

  @Test("SPC-5: RTM: 180 messages and 10 changes at once pass, one more does not")
  func rtm() throws {
    var trial = Trial.channel(.rtm)
    let ada = try trial.join("ada")
    for _ in 0..<180 { #expect(trial.speak(by: ada).isDone) }
    #expect(refusal(of: trial.speak(by: ada))?.allowed == 180)
    trial.wait(3_000)
    for _ in 0..<180 { #expect(trial.speak(by: ada).isDone) }
    for _ in 0..<10 { #expect(trial.set("a", "1", by: ada).isDone) }
    #expect(refusal(of: trial.set("a", "1", by: ada))?.allowed == 10)
    trial.wait(5_000)
    for _ in 0..<10 { #expect(trial.set("a", "1", by: ada).isDone) }
  }

  @Test("SPC-5: many accounts cost no memory for ever: buckets that are full are forgotten")
  func manyAccounts() throws {
    var trial = Trial.channel(.rtm)
    for number in 0..<3_000 {
      if number % 1_000 == 0 { trial.wait(10_000) }
      #expect(trial.outside(.say(ChannelMessage(id: "", text: "x")), by: "u\(number)") == nil)
    }
    for _ in 0..<179 { trial.outside(.say(ChannelMessage(id: "", text: "x")), by: "u2999") }
    #expect(trial.outside(.say(ChannelMessage(id: "", text: "x")), by: "u2999")?.code == .rateLimited)
  }
}
