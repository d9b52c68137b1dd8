import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

/// RP-71: what `WhiteRecall` tells is what the client heard live.
@Suite struct WhiteRecallTests {
  private let stories = ViewerTests()

  /// Reads the log without a player; the recorder's clock is the one that the recall tells.
  private func recalled(
    _ world: World, _ viewer: WhiteReplayViewer, from source: (any ReplaySource)? = nil
  ) throws -> (lines: [ViewerTests.Line], outcome: WhiteRecall.Outcome) {
    let (source, time) = (source ?? world.recording, SharedTime(world.start))
    let recorder = Recorder { time.seconds }
    let result = world.perform { () async -> Result<WhiteRecall.Outcome, any Error> in
      do {
        return .success(try await WhiteRecall(viewer, in: source).tell(recorder) { time.set($0) })
      } catch { return .failure(error) }
    }
    return (stories.lines(recorder), try result.get())
  }

  @Test(
    "RP-71: entry by entry and to the millisecond what Anna heard: changes, an outage, her return, a kick")
  func outageAndKick() throws {
    let (world, anna, ben) = try stories.story()
    let live = stories.lines(anna.recorder)
    #expect(live.contains { $0.heard == .phase(.reconnecting) })
    #expect(live.contains { $0.heard == .kicked("kickByAdmin") })
    for viewer in [WhiteReplayViewer.member(0), .user("anna")] {
      let (lines, outcome) = try recalled(world, viewer)
      stories.expectEqual(lines, live)
      #expect(outcome.stays == 1)
      #expect(outcome.gaps.isEmpty)
    }
    stories.expectEqual(try recalled(world, .user("ben")).lines, stories.lines(ben.recorder))
  }

  @Test("RP-71: the same where the log comes in small pages")
  func pages() throws {
    let (world, anna, _) = try stories.story()
    let source = SlowSource(world.recording, on: world.loop, pages: 3)
    stories.expectEqual(
      try recalled(world, .member(0), from: source).lines, stories.lines(anna.recorder))
  }

  @Test("RP-71: back after the grace as another member: one callbacks object hears both stays")
  func otherMember() throws {
    let (world, anna, kept) = try stories.timeline { scene in
      scene.anna.network.set(.cut)
      scene.world.run(to: 133)
      scene.anna.network.set(.clear)
      scene.room.networkIsBack()
      scene.world.run(to: 140)
    }
    defer { withExtendedLifetime(kept) {} }
    let (lines, outcome) = try recalled(world, .user("anna"))
    stories.expectEqual(lines, stories.lines(anna.recorder))
    #expect(outcome.stays == 2)
  }

  @Test("RP-71: a client that never came back gave up after the log's last event")
  func gaveUp() throws {
    let (world, anna, kept) = try stories.timeline { scene in
      scene.anna.network.set(.silent)
      scene.world.run(to: 160)
    }
    defer { withExtendedLifetime(kept) {} }
    let phases = try recalled(world, .user("anna")).lines.compactMap { line in
      if case .phase(let phase) = line.heard { phase } else { nil }
    }
    #expect(phases == anna.recorder.phases.map(\.phase))
    #expect(phases.last == .disconnected)
  }

  @Test("RP-71: commands of the member that were refused are told by their codes")
  func refusals() throws {
    let world = World(seed: 8)
    let anna = try Listener(world)
    let ben = try world.client("ben").join()
    anna.room.setScenePath("/nowhere", completion: nil)
    ben.setScenePath("/nowhere/else", completion: nil)
    world.run(for: 1)
    world.perform { await anna.room.disconnect() }
    world.run(for: 1)
    let live = anna.ears.heard
    #expect(live.errors.count == 1)
    let (ears, source) = (Ears(), world.recording)
    let outcome = world.perform {
      try? await WhiteRecall(.user("anna"), in: source).tell(ears, common: ears) { _ in }
    }
    #expect(outcome?.stays == 1)
    #expect(ears.heard.errors.map(\.code) == live.errors.map(\.code))
    // The live one was cleared after its join.
    #expect(ears.heard.phases == [.connecting, .connected] + live.phases)
    withExtendedLifetime(ben) {}
  }

  @Test("RP-71, RP-65: what cannot be read is told as a gap, and a member that never came was told nothing")
  func nothing() throws {
    let (world, _, _) = try stories.story()
    let nobody = try recalled(world, .member(77))
    #expect(nobody.lines.isEmpty)
    #expect(nobody.outcome.stays == 0)
    #expect(nobody.outcome.gaps.isEmpty)
    let source = SlowSource(world.recording, on: world.loop)
    source.damage(10...12)
    let damaged = try recalled(world, .member(0), from: source)
    #expect(damaged.outcome.stays == 1)
    #expect(damaged.outcome.gaps.count == 1)
    #expect(damaged.lines.first?.heard == .phase(.connecting))
  }
}

/// The time of the callbacks that are told, counted from a begin.
private final class SharedTime: Sendable {
  private let begin: Timestamp
  private let now: Mutex<Timestamp>

  init(_ begin: Timestamp) {
    self.begin = begin
    now = Mutex(begin)
  }

  func set(_ time: Timestamp) { now.withLock { $0 = time } }
  var seconds: Double { Double((now.withLock { $0 } - begin).wholeMilliseconds) / 1_000 }
}
