// The timelines of RTC, RTM and Signaling with accounts and channels at different nodes, and TL-7 to TL-21 with one of the two nodes
// killed in the middle. Three seconds later the other one has its logs.

extension GoldenTimeline {
  /// All of RTC, RTM and Signaling, in each way in which two nodes can have what they are about, with the expectations of one server
  /// (NODE-9).
  public static let apart: [GoldenTimeline] = [ServerPlaces.channelApart, .remoteApart].flatMap { places in
    [rtc, rtm, signaling].flatMap { $0 }.map { $0.at(places) }
  }

  /// TL-7 to TL-21, with the node killed that has the local party's account, and with that which has the channel.
  public static let lostNode: [GoldenTimeline] = {
    let ofAnInstant = lostAtAnInstant.map { $0.at(.channelApart).killing(.withAccount) }
    return losses.flatMap(lostNode) + ofAnInstant
  }()

  private static func lostNode(_ loss: NodeLoss) -> [GoldenTimeline] {
    let timelines = (rtm + signaling).filter { $0.id == loss.id }
    return timelines.flatMap { timeline in
      loss.servers.map { timeline.at(loss.places).losing($0, loss) }
    }
  }

  /// A second in the middle of a timeline.
  private struct NodeLoss {
    var id: String
    var second: Double
    /// Who is connected then.
    var present: [Party] = [.remote]
    var places = ServerPlaces.channelApart
    var servers: [KilledServer] = [.withAccount, .withChannel]
    var grace: Grace?
  }

  /// The local login's, which runs at the second of a loss. Where the account is lost it starts anew from the opening (SES-10). A login is
  /// in its channels for as long as it lasts (ACC-12), so that the loss of a channel changes nothing.
  private struct Grace {
    /// When the others lose it if no server is lost.
    var end: Double
    var seconds: Double
    /// When the account signs in again, which ends the old login (ACC-11).
    var replaced = Double.infinity

    func end(afterLossAt second: Double) -> Double { min(second + GoldenTimeline.away + seconds, replaced) }
  }

  /// What spaces of two nodes ask each other and no golden timeline has them ask, each once: a message and an attribute for a channel by
  /// somebody who is not in it, a message to an account, a question about it, an invitation, tones.
  public static let crossing: [GoldenTimeline] = ServerPlaces.allCases.map { crossingActs.at($0) }

  private static let crossingActs = GoldenTimeline(
    "ASKV", "Signaling, what spaces ask each other arrives once", .signaling,
    steps: [
      Step(100, .signaling("channelLeave", [channel], by: .local)),
      Step(101, .signaling("messageChannelSendForce", [channel, "hello", "m1"], by: .local)),
      Step(102, .signaling("channelSetAttr", [channel, "topic", "sums"], by: .local)),
      Step(103, .signaling("messageInstantSend", ["ben", "0", "hi", "m2"], by: .local)),
      Step(104, .signaling("setAttr", ["mood", "good"], by: .remote)),
      Step(105, .signaling("getUserAttr", ["ben", "mood"], by: .local)),
      Step(106, .signaling("channelInviteUser2", ["call", "ben", "{}"], by: .local)),
      Step(107, .signaling("channelInviteAccept", ["call", "anna", "0", "{}"], by: .remote)),
      Step(108, .signaling("channelInviteDTMF", ["call", "ben", "12"], by: .local)),
      Step(109, .signaling("channelInviteEnd", ["call", "ben", "0"], by: .local)),
    ], until: 115,
    expected: [
      .local: [
        .at(100, .signaling("onChannelUserLeaved", ["anna", "0"])),
        .at(100, .signaling("onChannelLeaved", [channel, "0"])),
        .at(101, .signaling("onMessageSendSuccess", ["m1"])),
        .at(103, .signaling("onMessageSendSuccess", ["m2"])),
        .at(105, .signaling("onUserAttrResult", ["ben", "mood", "good"])),
        .at(106, .signaling("onInviteReceivedByPeer", ["call", "ben", "0"])),
        .at(107, .signaling("onInviteAcceptedByPeer", ["call", "ben", "0", "*"])),
        .at(109, .signaling("onInviteEndByMyself", ["call", "ben", "0"])),
      ],
      .remote: [
        .at(100, .signaling("onChannelUserLeaved", ["anna", "0"])),
        .at(101, .signaling("onMessageChannelReceive", [channel, "anna", "0", "hello"])),
        .at(102, .signaling("onChannelAttrUpdated", [channel, "topic", "sums", "update"])),
        .at(103, .signaling("onMessageInstantReceive", ["anna", "0", "hi"])),
        .at(106, .signaling("onInviteReceived", ["call", "anna", "0", "*"])),
        .at(108, .signaling("onInviteMsg", ["call", "anna", "0", "DTMF", "12", "*"])),
        .at(109, .signaling("onInviteEndByPeer", ["call", "anna", "0", "*"])),
      ],
    ])

  private static let losses: [NodeLoss] = [
    // Before the messages, and between them and the return.
    NodeLoss(id: "TL-7", second: 105), NodeLoss(id: "TL-7", second: 120),
    // In the grace, and behind it.
    NodeLoss(id: "TL-8", second: 115, grace: Grace(end: 130, seconds: 30)), NodeLoss(id: "TL-8", second: 150),
    // With the account it is another timeline: `lostAtAnInstant`.
    NodeLoss(id: "TL-9", second: 115, servers: [.withChannel]),
    NodeLoss(id: "TL-10", second: 3_000),
    // Before the client can ask whether the token holds, and when it was told that it does not.
    NodeLoss(id: "TL-11", second: 170), NodeLoss(id: "TL-11", second: 250),
    NodeLoss(id: "TL-12", second: 105, present: []),
    NodeLoss(id: "TL-13", second: 130, present: [.rival]),
    NodeLoss(id: "TL-14", second: 112),
    NodeLoss(id: "TL-15", second: 150, grace: Grace(end: 220, seconds: 120)),
    NodeLoss(id: "TL-16", second: 50, present: [.local, .remote]),
    NodeLoss(id: "TL-16", second: 110, grace: Grace(end: 120, seconds: 20, replaced: 131)),
    NodeLoss(id: "TL-16", second: 160, present: [.local, .remote]),
    NodeLoss(id: "TL-16", second: 210, grace: Grace(end: 320, seconds: 120)),
    NodeLoss(id: "TL-17", second: 110, present: []),
    NodeLoss(id: "TL-18", second: 110, present: [.local]),
    NodeLoss(id: "TL-18", second: 110, present: [.local], places: .remoteApart),
    NodeLoss(id: "TL-19", second: 105, present: [.local, .remote]),
    NodeLoss(id: "TL-19", second: 105, present: [.local, .remote], places: .remoteApart),
    NodeLoss(id: "TL-20", second: 3_000, present: []), NodeLoss(id: "TL-20", second: 10_000, present: []),
    NodeLoss(id: "TL-21", second: 106, present: [.local]),
  ]

  func at(_ places: ServerPlaces) -> GoldenTimeline {
    var timeline = self
    timeline.given.places = places
    timeline.title += "; \(places.words)"
    return timeline
  }

  private func losing(_ server: KilledServer, _ loss: NodeLoss) -> GoldenTimeline {
    var timeline = self
    timeline.title += ", the one \(server.words) is lost at \(Int(loss.second)) s"
    timeline.steps.append(Step(loss.second, .server(.isKilled(server, backAfter: Self.away))))
    timeline.steps.sort { $0.second < $1.second }
    for party in loss.present where server.endsConnection(of: party, loss.places) {
      timeline.expected[party]? += Self.blinks(at: loss.second)
    }
    if server == .withAccount, let grace = loss.grace {
      let end = grace.end(afterLossAt: loss.second)
      timeline.expected[.remote] = timeline.expected[.remote]?.map {
        $0.need == .once && $0.seconds.contains(grace.end) ? .at(end, $0.heard) : $0
      }
    }
    return timeline
  }

  /// The same with this one of two nodes in place of the only one.
  private func killing(_ server: KilledServer) -> GoldenTimeline {
    var timeline = self
    timeline.steps = steps.map { step in
      guard case .server(.isKilled(_, let away)) = step.act else { return step }
      return Step(step.second, .server(.isKilled(server, backAfter: away)))
    }
    return timeline
  }
}

extension ServerPlaces {
  fileprivate var words: String {
    switch self {
    case .together: "one server"
    case .channelApart: "accounts and channel at two nodes"
    case .remoteApart: "the remote account and the channel at another node"
    }
  }
}

extension KilledServer {
  /// Whether it breaks the connection of a party's login. All clients come to the node with the local account, as long as that lives.
  fileprivate func endsConnection(of party: Party, _ places: ServerPlaces) -> Bool {
    switch self {
    case .only, .withAccount: true
    case .withChannel: places == .remoteApart && party == .remote
    }
  }

  fileprivate var words: String {
    switch self {
    case .only: "that there is"
    case .withAccount: "with the local account"
    case .withChannel: "with the channel"
    }
  }
}
