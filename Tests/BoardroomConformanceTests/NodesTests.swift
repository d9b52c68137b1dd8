import BoardroomHosting
import BoardroomModel
import Testing

@testable import BoardroomConformance

/// Two nodes in the virtual world: accounts and channels have different owners.
@Suite struct NodesTests {
  @Test(
    "NODE-9, PIPE-1: the timelines of RTC, RTM and Signaling hold with accounts and channels at different nodes",
    arguments: GoldenTimeline.apart)
  func apart(_ timeline: GoldenTimeline) async throws { try expectOk(timeline) }

  @Test(
    "NODE-9, NODE-11, SES-10: those of RTM and Signaling hold when one of the two nodes is killed in the middle",
    arguments: GoldenTimeline.lostNode)
  func lostNode(_ timeline: GoldenTimeline) async throws { try expectOk(timeline) }

  @Test("NODE-9, CONF-6: whatever the seed, they hold", arguments: UInt64(1)...5)
  func seeds(_ seed: UInt64) throws {
    // Those of hours take as long under any seed.
    for timeline in GoldenTimeline.lostNode where timeline.until < 400 { try expectOk(timeline, seed: seed) }
  }

  private func expectOk(_ timeline: GoldenTimeline, seed: UInt64 = 7) throws {
    let difference = try Judge().difference(in: Self.play(timeline, seed: seed), from: timeline)
    #expect(difference == nil, "\(timeline): \(difference?.description ?? "")")
  }

  static func play(
    _ timeline: GoldenTimeline, seed: UInt64 = 7, fault: WorldNodes.PlantedFault? = nil
  ) throws -> Transcript {
    try stage(timeline, seed: seed, fault: fault).perform()
  }

  static func stage(
    _ timeline: GoldenTimeline, seed: UInt64 = 7, fault: WorldNodes.PlantedFault? = nil
  ) -> ServiceStage {
    ServiceStage(timeline, seed: seed, server: ServerPolicy(), fault: fault) { party, _ in
      switch timeline.face {
      case .rtc: RtcActor(party)
      case .signaling: SignalingActor(party)
      case .rtm, .white, .replay: RtmActor(party)
      }
    }
  }

  @Test("NODE-9: one seed gives one run, also with two nodes")
  func oneRun() throws {
    for timeline in GoldenTimeline.apart + GoldenTimeline.lostNode where timeline.until < 150 {
      let (first, second) = (try Self.play(timeline), try Self.play(timeline))
      #expect(first == second, "\(timeline)")
    }
  }

  @Test(
    "NODE-9, ASKV-2: what spaces of two nodes ask each other arrives once", arguments: GoldenTimeline.crossing
  )
  func crossing(_ timeline: GoldenTimeline) async throws { try expectOk(timeline) }

  /// Somebody is called who is not there, comes within 20 s, and is at a node that is killed meanwhile.
  static let lateCallees: [GoldenTimeline] = ServerPlaces.allCases.flatMap { places in
    [(server: KilledServer.withAccount, loss: 105.0), (.withChannel, 105)].map { server, loss in
      var timeline = GoldenTimeline(
        "INV-4", "Signaling, an invite to somebody who comes within 20 s, \(places), \(server) lost",
        .signaling,
        given: Given([.local]),
        steps: [
          Step(
            100,
            .signaling("channelInviteUser2", ["call", "ben", #"{"_require_peer_online":0}"#], by: .local)),
          Step(112, .signaling("login", [], by: .remote)),
          Step(116, .signaling("channelInviteAccept", ["call", "anna", "0", "{}"], by: .remote)),
        ], until: 130,
        expected: [
          .local: [
            .between(112...115.3, .signaling("onInviteReceivedByPeer", ["call", "ben", "0"])),
            .at(116, .signaling("onInviteAcceptedByPeer", ["call", "ben", "0", "*"])),
          ] + GoldenTimeline.blinks(at: loss),
          .remote: [
            .at(112, .signaling("onLoginSuccess", ["0", "*"])),
            .between(112...115.3, .signaling("onInviteReceived", ["call", "anna", "0", "*"])),
          ],
        ])
      timeline.given.places = places
      if places != .together {
        timeline.steps.insert(Step(loss, .server(.isKilled(server, backAfter: GoldenTimeline.away))), at: 1)
      }
      return timeline
    }
  }

  @Test(
    "NODE-9, INV-4: a callee that comes within 20 s gets the offer, whichever node is lost",
    arguments: lateCallees)
  func comesLate(_ timeline: GoldenTimeline) async throws { try expectOk(timeline) }

  @Test("NODE-9: what is wrong between the nodes is found", arguments: WorldNodes.PlantedFault.allCases)
  func planted(_ fault: WorldNodes.PlantedFault) throws {
    let timelines = GoldenTimeline.apart + GoldenTimeline.lostNode + GoldenTimeline.crossing
    let found = timelines.filter { $0.until < 200 }.filter { timeline in
      do {
        return try Judge().difference(in: Self.play(timeline, fault: fault), from: timeline) != nil
      } catch { return true }
    }
    #expect(!found.isEmpty)
  }
}
