import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization
import Testing

@testable import BoardroomConformance

@Suite struct AppTests {
  @Test(
    "CONF-4: an app without a mistake passes every row that it can be asked for, whatever the seed",
    arguments: UInt64(1)...4)
  func faultless(_ seed: UInt64) {
    let report = Conformance.check(FaultyApp.underTest(.none), seed: seed)
    #expect(report.isOk, "\(report)")
    #expect(report.rows.prefix(7).map(\.outcome) == Array(repeating: .ok, count: 7))
    #expect(report.rows.count >= 14)
  }

  @Test("CONF-4: a wrong app is caught, in its row and in words", arguments: FaultyApp.Fault.allCases)
  func wrong(_ fault: FaultyApp.Fault) {
    guard let row = fault.row else { return }
    let report = Conformance.check(FaultyApp.underTest(fault), only: [row])
    #expect(report.failed.map(\.id) == [row], "\(report)")
    #expect(report.failed.first?.outcome.detail?.contains(fault.said) == true, "\(report)")
  }

  @Test("CONF-4: what an app does not promise, and what cannot be seen, is left out and said to be")
  func leftOut() {
    let report = Conformance.check(
      AppUnderTest("quiet", start: { FaultyApp(.neverRejoins, $0) }),
      only: ["APP-1", "APP-2", "APP-3", "APP-4", "APP-5", "APP-6", "APP-7"])
    #expect(report.isOk, "\(report)")
    #expect(report.passed.map(\.id) == ["APP-1"], "\(report)")
  }

  @Test("CONF-4: an app that never joins is told so in every row")
  func idle() {
    final class Idle: Sendable {}
    let report = Conformance.check(AppUnderTest("idle", start: { _ in Idle() }), only: ["APP-1", "CB-4"])
    #expect(report.failed.map(\.id) == ["APP-1", "CB-4"])
    #expect("\(report)".contains("It did not join when it was started."))
  }

  /// Counts what it hears.
  private final class Counter: WhiteRoomCallbackDelegate, Sendable {
    private let held = Mutex((heard: 0, page: "-"))
    var heard: Int { held.withLock { $0.heard } }
    var page: String { held.withLock { $0.page } }
    func firePhaseChanged(_ phase: WhiteRoomPhase) { held.withLock { $0.heard += 1 } }
    func fireRoomStateChanged(_ modifyState: WhiteRoomState) {
      held.withLock { held in
        held.heard += 1
        if let scene = modifyState.sceneState { held.page = scene.scenePath }
      }
    }
  }

  @Test("CONF-5: a callbacks object alone can be checked, and hears everything that the kit hears")
  func delegateAlone() {
    let made = Mutex<[Counter]>([])
    let report = Conformance.check(
      "counter",
      delegate: {
        let counter = Counter()
        made.withLock { $0.append(counter) }
        return counter
      })
    #expect(report.isOk, "\(report)")
    #expect(made.withLock { $0.count } > 5)
    #expect(made.withLock { $0.allSatisfy { $0.heard > 0 } })
  }

  /// Holds what it was started with.
  private final class Keeper: Sendable {
    let sdk: WhiteSDK
    init(_ stage: AppStage, _ recorder: Recorder) {
      sdk = stage.sdk
      sdk.joinRoom(with: stage.config, callbacks: recorder) { _, _, _ in }
    }
  }

  @Test("CONF-5: an app's object hears under the kit what it hears without it, to the millisecond")
  func sameAsWithout() throws {
    func heard(_ join: (World, Recorder) -> (SimulatedNetwork, AnyObject)) -> [Transcript.Line] {
      let world = World(seed: 11)
      let recorder = Recorder { world.seconds }
      let (network, holder) = join(world, recorder)
      world.run(to: 5)
      let ben = WhiteActor(.remote, given: Given(), in: world)
      ben.call(.join(.own))
      world.run(to: 10)
      ben.call(.setGlobalState("k", json: "1"))
      network.set(.silent)
      world.run(to: 20)
      ben.call(.setScenePath("/nowhere"))
      ben.call(.putScenes("/book", ["one"]))
      network.set(.clear)
      world.run(to: 40)
      world.kick(0)
      world.run(to: 50)
      withExtendedLifetime(holder) {}
      return recorder.all.map { Transcript.Line($0.second, $0.heard.worded) }
    }
    let with = heard { world, recorder in
      let app = AppUnderTest("keeper", start: { Keeper($0, recorder) })
      let seat = AppInstance(app, as: "anna", in: world)
      return (seat.network, seat)
    }
    let without = heard { world, recorder in
      let network = SimulatedNetwork(loop: world.loop, latency: GoldenTimeline.latency) { world.engine }
      let sdk = WhiteSDK(
        sdkConfiguration: WhiteSdkConfiguration(endpoint: .simulated, client: "app under test"),
        context: world.loop, transport: network)
      let config = WhiteRoomConfig(uuid: world.room.description, roomToken: "token", uid: "anna")
      sdk.joinRoom(with: config, callbacks: recorder) { _, _, _ in }
      return (network, sdk)
    }
    #expect(with.count > 8)
    #expect(with == without)
    #expect(with.contains { $0.heard == .kicked("kickByAdmin") })
  }

  @Test("CONF-4: an object that shows only what it was told, and not what was there when it came, is caught")
  func showsTooLittle() {
    let report = Conformance.check(
      "counter", delegate: { Counter() }, visible: { ($0 as? Counter)?.page ?? "" }, only: ["APP-7"])
    #expect(report.failed.map(\.id) == ["APP-7"], "\(report)")
  }
}

extension Recorder.Heard {
  /// In the kit's words: two worlds give sessions other names.
  var worded: Heard {
    switch self {
    case .phase(let phase): .phase(phase)
    case .state(let state): .state(state.worded)
    case .committable(let able): .committable(able)
    case .disconnect(let text): .disconnect(text)
    case .kicked(let reason): .kicked(reason)
    case .misfit(let author, let text): .misfit(of: "\(author)", text)
    case .magix(let event): .magix(name: event.eventName, payload: event.payload.text)
    }
  }
}
