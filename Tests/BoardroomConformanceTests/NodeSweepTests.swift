import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import Testing

@testable import BoardroomConformance

/// One of two nodes is killed at each millisecond of something that goes from one to the other and back.
@Suite struct NodeSweepTests {
  /// An act, and what comes of it: the one who acts is told that it has been done, and the other party hears it.
  struct Crossing: Sendable, CustomTestStringConvertible {
    var act: Act
    var told: Heard?
    var heard: Heard
    /// Whether who hears it says so, by itself: then who acts is told whenever it was heard.
    var isAnswered = false
    /// What takes it back.
    var undone: Heard?
    /// Acts before it.
    var before: [Act] = []
    var testDescription: String { "\(act)" }

    var actor: Party { act.party ?? .local }
    var other: Party { actor == .local ? .remote : .local }
  }

  private static func call(_ method: String, _ arguments: [String], by party: Party = .local) -> Act {
    .signaling(method, arguments, by: party)
  }
  private static let channel = GoldenTimeline.channel
  private static let invite = call("channelInviteUser2", ["call", "ben", "{}"])
  private static let accept = call("channelInviteAccept", ["call", "anna", "0", "{}"], by: .remote)
  private static let leave = call("channelLeave", [channel])

  static let crossings: [Crossing] = [
    Crossing(
      act: call("messageChannelSend", [channel, "hello", "m1"]),
      told: .signaling("onMessageSendSuccess", ["m1"]),
      heard: .signaling("onMessageChannelReceive", [channel, "anna", "0", "hello"])),
    Crossing(
      act: call("messageChannelSendForce", [channel, "hello", "m1"]),
      told: .signaling("onMessageSendSuccess", ["m1"]),
      heard: .signaling("onMessageChannelReceive", [channel, "anna", "0", "hello"]), before: [leave]),
    Crossing(
      act: call("messageInstantSend", ["ben", "0", "hello", "m1"]),
      told: .signaling("onMessageSendSuccess", ["m1"]),
      heard: .signaling("onMessageInstantReceive", ["anna", "0", "hello"])),
    Crossing(
      act: invite, told: .signaling("onInviteReceivedByPeer", ["call", "ben", "0"]),
      heard: .signaling("onInviteReceived", ["call", "anna", "0", "*"]), isAnswered: true),
    Crossing(
      act: accept, heard: .signaling("onInviteAcceptedByPeer", ["call", "ben", "0", "*"]), before: [invite]),
    Crossing(
      act: call("channelInviteRefuse", ["call", "anna", "0", "{}"], by: .remote),
      heard: .signaling("onInviteRefusedByPeer", ["call", "ben", "0", "*"]), before: [invite]),
    Crossing(
      act: call("channelInviteEnd", ["call", "ben", "0"]),
      told: .signaling("onInviteEndByMyself", ["call", "ben", "0"]),
      heard: .signaling("onInviteEndByPeer", ["call", "anna", "0", "*"]), before: [invite, accept]),
    Crossing(
      act: call("channelInviteDTMF", ["call", "ben", "12"]),
      heard: .signaling("onInviteMsg", ["call", "anna", "0", "DTMF", "12", "*"]), before: [invite, accept]),
    Crossing(
      act: leave, told: .signaling("onChannelLeaved", [channel, "0"]),
      heard: .signaling("onChannelUserLeaved", ["anna", "0"])),
    Crossing(
      act: call("channelJoin", [channel]), told: .signaling("onChannelJoined", [channel]),
      heard: .signaling("onChannelUserJoined", ["anna", "0"]),
      // Whose welcome was lost with the node has nothing to resume: it comes anew, and the others see it go and come.
      undone: .signaling("onChannelUserLeaved", ["anna", "0"]), before: [leave]),
    Crossing(
      act: call("logout", []), told: .signaling("onLogout", ["101"]),
      heard: .signaling("onChannelUserLeaved", ["anna", "0"]),
      // A goodbye that is lost is silence (SES-8): so that its grace ends in time.
      before: [call("setAttr", ["_conn_timeout", "20"])]),
    Crossing(
      act: .rtm(.send("hello", channel: channel), by: .local), told: .answer(to: "send", "0"),
      heard: .rtmText("hello", from: .local)),
  ]

  /// All is over after 20 ms.
  private static let milliseconds = 0...20

  /// What was heard of it by whom, with the node killed so many milliseconds after the act.
  private static func counts(
    _ crossing: Crossing, _ server: KilledServer, _ offset: Int
  ) throws -> (told: Int, heard: Int, transcript: Transcript) {
    var face = Face.signaling
    if case .rtm = crossing.act { face = .rtm }
    let second = 100 + Double(offset) / 1_000
    var timeline = GoldenTimeline(
      "NODE-9", "\(crossing.act), \(server) killed", face,
      steps: crossing.before.enumerated().map { Step(50 + Double($0.offset), $0.element) } + [
        Step(100, crossing.act), Step(second, .server(.isKilled(server, backAfter: GoldenTimeline.away))),
      ], until: 140, expected: [:])
    // What goes from account to account goes from node to node then, and so does what goes from the local account to the channel.
    timeline.given.places = .remoteApart
    let transcript = try NodesTests.play(timeline)
    func count(_ heard: Heard?, _ party: Party) -> Int {
      guard let heard else { return 0 }
      return (transcript.lines[party] ?? []).count { $0.second >= 100 && $0.heard.fits(heard) }
    }
    let heard = count(crossing.heard, crossing.other) - count(crossing.undone, crossing.other)
    return (count(crossing.told, crossing.actor), heard, transcript)
  }

  @Test(
    "NODE-9, ACC-13, INV-7: whenever a node is killed, what is done is heard, and once", arguments: crossings)
  func sweep(_ crossing: Crossing) throws {
    var all = (told: 0, heard: 0)
    for server in [KilledServer.withAccount, .withChannel] {
      for offset in Self.milliseconds {
        let (told, heard, transcript) = try Self.counts(crossing, server, offset)
        let place: Comment = "\(server), \(offset) ms: \(transcript.lines)"
        #expect(told <= 1, place)
        if crossing.isAnswered { #expect(told >= heard, place) }
        #expect(heard >= told, place)
        #expect(heard <= 1, place)
        all.told += told
        all.heard += heard
      }
    }
    // Most of it comes to its end, with a node lost before, meanwhile or behind it.
    #expect(all.heard > Self.milliseconds.count)
    #expect(crossing.told == nil || all.told > Self.milliseconds.count)
  }

  @Test(
    "FACE-12, ACC-18: who leaves a channel and joins it again is in it if it was told so, whenever a node is killed"
  )
  func joinedAgain() throws {
    let left = Heard.signaling("onChannelUserLeaved", ["anna", "0"])
    let joined = Heard.signaling("onChannelUserJoined", ["anna", "0"])
    var joins = 0
    for server in [KilledServer.withAccount, .withChannel] {
      for offset in Self.milliseconds {
        let second = 100 + Double(offset) / 1_000
        var timeline = GoldenTimeline(
          "FACE-12", "\(server) killed at \(second)", .signaling,
          steps: [
            Step(100, Self.leave), Step(100, Self.call("channelJoin", [Self.channel])),
            Step(second, .server(.isKilled(server, backAfter: GoldenTimeline.away))),
          ], until: 140, expected: [:])
        timeline.given.places = .remoteApart
        let lines = try NodesTests.play(timeline).lines
        func told(_ party: Party, _ names: [Heard]) -> [Heard] {
          (lines[party] ?? []).filter { line in line.second >= 100 && names.contains { line.heard.fits($0) } }
            .map(\.heard)
        }
        let place: Comment = "\(server), \(offset) ms: \(lines)"
        #expect(told(.local, [.signaling("onChannelLeaved", [Self.channel, "0"])]).count == 1, place)
        // Where the login is away when the leave is over, the join fails.
        let isIn = told(.local, [.signaling("onChannelJoined", [Self.channel])]).count == 1
        let isOut = told(.local, [.signaling("onChannelJoinFailed", [Self.channel, "300"])]).count == 1
        #expect(isIn != isOut, place)
        let seen = told(.remote, [left, joined])
        #expect(seen.first?.fits(left) == true, place)
        #expect(seen.last?.fits(isIn ? joined : left) == true, place)
        // A join of which the welcome was lost is done anew: it is seen to go and to come once more.
        #expect(seen.count { $0.fits(left) } == seen.count { $0.fits(joined) } + (isIn ? 0 : 1), place)
        joins += isIn ? 1 : 0
      }
    }
    #expect(joins > Self.milliseconds.count)
  }

  @Test("NODE-11, ACC-11: who is signed out is out of its channels, whenever the account's node is killed")
  func signedOut() throws {
    var outcomes: Set<Bool> = []
    for offset in Self.milliseconds {
      let second = 100 + Double(offset) / 1_000
      var timeline = GoldenTimeline(
        "NODE-11", "killed at \(second)", .signaling,
        steps: [
          Step(100, Self.call("logout", [])),
          Step(second, .server(.isKilled(.withAccount, backAfter: GoldenTimeline.away))),
        ], until: 110, expected: [:])
      timeline.given.places = .channelApart
      let stage = NodesTests.stage(timeline)
      let lines = try stage.perform().lines[.remote] ?? []
      let hasHeard = lines.contains { $0.heard.fits(.signaling("onChannelUserLeaved", ["anna", "0"])) }
      let log = SpaceName.account("anna").log
      let account = stage.world.perform { [engine = stage.world.engine(of: log)] in await engine.opened(log) }
      // A goodbye that was lost leaves the login there for its grace.
      #expect(hasHeard == account?.members.isEmpty, "\(offset) ms")
      outcomes.insert(hasHeard)
    }
    #expect(outcomes == [true, false])
  }
}
