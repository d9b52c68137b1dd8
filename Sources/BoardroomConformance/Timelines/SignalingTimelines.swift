// TL-15 to TL-21. Callbacks as in PARITY rows SCBK, codes as in rows SIGE, arguments in their order as text. `login` without
// arguments is that of the party's account, with a token that is good.

extension GoldenTimeline {
  public static let signaling: [GoldenTimeline] = [signalingOutages, signalingCalls, signalingChannels]
    .flatMap { $0 }

  private static func gone(at second: Double) -> Expectation {
    .at(second, .signaling("onChannelUserLeaved", ["anna", "0"]))
  }

  private static func loggedOut(_ code: String, at second: Double) -> Expectation {
    .at(second, .signaling("onLogout", [code]))
  }

  /// SIG-C10: a client that counts as gone may be told of its channel as well.
  private static func lostChannel(at second: Double) -> Expectation {
    .allowed(
      .signaling("onChannelLeaved", [channel, "604"]), second - Expectation.tick...second + Expectation.tick)
  }

  private static func loggedIn(at second: Double) -> Expectation {
    .at(second, .signaling("onLoginSuccess", ["0", "*"]))
  }

  private static func timeoutReads(_ value: String, at second: Double) -> Expectation {
    .at(second, .signaling("onUserAttrResult", ["anna", "_conn_timeout", value]))
  }

  private static let signalingOutages: [GoldenTimeline] = [
    GoldenTimeline(
      "TL-15", "Signaling, never back: each attempt is told, the others lose it after 120 s, then logged out",
      .signaling, steps: .outage(from: 100), until: 300,
      expected: [
        .local: [
          .at(104, within: 1, .signaling("onReconnecting", ["1"])),
          .between(104...120, .signaling("onReconnecting", ["2"])), loggedOut("102", at: 220),
          .allowed(.signaling("onReconnecting", ["*"]), 104...220.3), lostChannel(at: 220),
        ],
        .remote: [gone(at: 220)],
      ]),
    GoldenTimeline(
      "TL-16", "Signaling, _conn_timeout 5 and 500: reads back as 20 and 120, and holds", .signaling,
      steps: .outage(from: 100).and(.outage(from: 200)).and([
        Step(10, .signaling("setAttr", ["_conn_timeout", "5"], by: .local)),
        Step(11, .signaling("getAttr", ["_conn_timeout"], by: .local)),
        Step(130, .network(.clear, of: .local)), Step(131, .signaling("login", [], by: .local)),
        Step(132, .signaling("channelJoin", [channel], by: .local)),
        Step(133, .signaling("setAttr", ["_conn_timeout", "500"], by: .local)),
        Step(134, .signaling("getAttr", ["_conn_timeout"], by: .local)),
      ]), from: 10, until: 340,
      expected: [
        .local: [
          timeoutReads("20", at: 11), loggedOut("102", at: 120),
          .at(131, .signaling("onLoginSuccess", ["0", "*"])),
          .at(132, .signaling("onChannelJoined", [channel])), timeoutReads("120", at: 134),
          loggedOut("102", at: 320), .allowed(.signaling("onReconnecting", ["*"]), 104...120.3),
          lostChannel(at: 120),
          .allowed(.signaling("onReconnecting", ["*"]), 204...320.3), lostChannel(at: 320),
          .allowed(.signaling("onChannelUserList", ["*", "*"]), 131.7...132.3),
        ],
        .remote: [
          gone(at: 120), .at(132, .signaling("onChannelUserJoined", ["anna", "0"])), gone(at: 320),
        ],
      ]),
    GoldenTimeline(
      "TL-17", "Signaling, login2 with 30 s and 15 tries at a silent server: fails, and tries no more",
      .signaling, given: Given([]),
      steps: [
        Step(100, .network(.silent, of: .local)),
        Step(100, .signaling("login2", ["30", "15"], by: .local)),
        Step(140, .look(at: .attempts, of: .local)), Step(300, .look(at: .attempts, of: .local)),
      ], until: 301,
      expected: [
        .local: [
          // The one of the two limits that comes first.
          .between(100.1...130.3, .signaling("onLoginFailed", ["201"])),
          .at(140, .saw(.attempts, "some")), .at(300, .saw(.attempts, "none")),
        ]
      ]),
  ]

  private static let signalingCalls: [GoldenTimeline] = [
    GoldenTimeline(
      "TL-18", "Signaling, an invite to somebody who is away: fails after 20 s, and is never seen",
      .signaling,
      given: Given([.local]),
      steps: [
        Step(
          100, .signaling("channelInviteUser2", ["call", "ben", #"{"_require_peer_online":0}"#], by: .local)),
        Step(121, .signaling("login", [], by: .remote)),
      ], until: 150,
      expected: [
        .local: [.at(120, .signaling("onInviteFailed", ["call", "ben", "0", "703", "*"]))],
        .remote: [.at(121, .signaling("onLoginSuccess", ["0", "*"]))],
      ]),
    GoldenTimeline(
      "TL-19", "Signaling, an invite with a timeout of 10 s: received, failed; an accept is refused",
      .signaling,
      steps: [
        Step(100, .signaling("channelInviteUser2", ["call", "ben", #"{"_timeout":10}"#], by: .local)),
        Step(115, .signaling("channelInviteAccept", ["call", "anna", "0", "{}"], by: .remote)),
      ], until: 120,
      expected: [
        .local: [
          .at(100, .signaling("onInviteReceivedByPeer", ["call", "ben", "0"])),
          .at(110, .signaling("onInviteFailed", ["call", "ben", "0", "704", "*"])),
        ],
        .remote: [
          .at(100, .signaling("onInviteReceived", ["call", "anna", "0", "*"])),
          // The source system leaves open whether the callee is told that the call ended (PARITY rows SIG-I, SIGI).
          .allowed(.signaling("onInviteEndByPeer", ["call", "anna", "0", ""]), 109.7...110.3),
          .at(115, .signaling("onError", ["channelInviteAccept", "*", "*"])),
        ],
      ]),
  ]

  private static func topic(at second: Double) -> Expectation {
    .at(second, .signaling("onChannelAttrUpdated", [channel, "topic", "sums", "update"]))
  }

  private static func inChannel(at second: Double) -> [Expectation] {
    [
      .at(second, .signaling("onChannelJoined", [channel])),
      .at(second, .signaling("onChannelUserList", ["ben", "0"])),
    ]
  }

  private static func counted(at second: Double) -> Expectation {
    .at(second, .signaling("onChannelAttrUpdated", [channel, "_member_num", "*", "update"]))
  }

  private static let signalingChannels: [GoldenTimeline] = [
    GoldenTimeline(
      "TL-20", "Signaling, an empty channel: its attributes stay 7200 s; a join starts them anew", .signaling,
      given: Given([.remote]),
      // Signed out in between: hours without a heartbeat.
      steps: [
        Step(10, .signaling("channelSetAttr", [channel, "topic", "sums"], by: .remote)),
        Step(100, .signaling("channelLeave", [channel], by: .remote)),
        Step(101, .signaling("logout", [], by: .remote)), Step(7_298, .signaling("login", [], by: .remote)),
        Step(7_299, .signaling("channelJoin", [channel], by: .remote)),
        Step(7_311, .signaling("channelLeave", [channel], by: .remote)),
        Step(7_320, .signaling("channelJoin", [channel], by: .remote)),
        Step(7_321, .signaling("channelLeave", [channel], by: .remote)),
        Step(7_322, .signaling("logout", [], by: .remote)),
        Step(14_521, .signaling("login", [], by: .remote)),
        Step(14_522, .signaling("channelJoin", [channel], by: .remote)),
      ], from: 200, until: 14_524,
      expected: [
        .remote: [
          [loggedIn(at: 7_298)], inChannel(at: 7_299), [topic(at: 7_299)],
          inChannel(at: 7_320), [topic(at: 7_320), loggedOut("101", at: 7_322)],
          [loggedIn(at: 14_521)], inChannel(at: 14_522),
          [
            .allowed(.signaling("onChannelLeaved", [channel, "0"]), 7_311...7_322),
            .allowed(.signaling("onChannelUserLeaved", ["ben", "0"]), 7_311...7_322),
          ],
        ].flatMap { $0 }
      ]),
    GoldenTimeline(
      "TL-21",
      "Signaling, _auto_update_num 5 and 40 joins in 12 s: the number comes at 5, 10 and 15, not at 20",
      .signaling,
      steps: [
        Step(100, .signaling("channelSetAttr", [channel, "_auto_update_num", "5"], by: .local)),
        Step(100.1, .crowd(40, over: 12)),
      ], until: 130,
      expected: [
        .local: [
          .at(100, .signaling("onChannelAttrUpdated", [channel, "_auto_update_num", "5", "update"])),
          counted(at: 105), counted(at: 110), counted(at: 115),
          .allowed(.signaling("onChannelUserJoined", ["*", "0"]), 100...113),
        ]
      ]),
  ]
}
