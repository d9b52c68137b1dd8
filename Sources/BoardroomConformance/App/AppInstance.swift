import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization

/// The joins that an app has begun.
final class JoinList: Sendable {
  struct Join: Sendable {
    var second: Double
    /// Whether the SDK accepted it. It does not while another join is under way (X-51).
    var isAccepted: Bool
  }
  private struct State {
    var joins: [Join] = []
    weak var newest: WhiteRoom?
  }
  private let held = Mutex(State())

  func add(at second: Double, _ room: WhiteRoom?) {
    held.withLock { held in
      held.joins.append(Join(second: second, isAccepted: room != nil))
      if let room { held.newest = room }
    }
  }

  func after(_ second: Double) -> [Join] { held.withLock { $0.joins.filter { $0.second >= second } } }
  /// The room of the latest join; the SDK keeps it alive.
  var newest: WhiteRoom? { held.withLock { $0.newest } }
}

/// One instance of an app in a world.
final class AppInstance<App: AnyObject & Sendable> {
  let app: App
  let log: CallbackLog
  let network: SimulatedNetwork
  let joins: JoinList

  init(_ under: AppUnderTest<App>, as uid: String, in world: World) {
    let network = SimulatedNetwork(loop: world.loop, latency: GoldenTimeline.latency) { world.engine }
    let log = CallbackLog(clock: { world.seconds }, isHome: { world.loop.isCurrent })
    let joins = JoinList()
    (self.network, self.log, self.joins) = (network, log, joins)
    let watch = SDKWatch(
      listen: { delegate in
        // The callbacks object of a later join replaces the first one, which is told no more.
        guard let delegate, log.isOwn(delegate) else { return delegate }
        return CallbackRecorder(log, passingTo: delegate)
      },
      joined: { room in
        joins.add(at: world.seconds, room)
        if let room { log.room = room }
      })
    let sdk = WhiteSDK(
      sdkConfiguration: WhiteSdkConfiguration(endpoint: .simulated, client: "app under test"),
      context: world.loop, transport: network, watch: watch)
    let config = WhiteRoomConfig(uuid: world.room.description, roomToken: "token", uid: uid)
    app = under.start(AppStage(sdk: sdk, config: config, tasks: world.tasks))
  }
}

/// One trial of an app: the app, another member in the same room, and a world for both.
final class AppTrial<App: AnyObject & Sendable> {
  let under: AppUnderTest<App>
  let world: World
  let instance: AppInstance<App>
  let remote: WhiteActor

  /// Joins both. Throws a sentence that says why if one is not in the room.
  init(_ under: AppUnderTest<App>, seed: UInt64) throws(AppFailure) {
    self.under = under
    world = World(seed: seed)
    instance = AppInstance(under, as: Party.local.account, in: world)
    remote = WhiteActor(.remote, given: Given(), in: world)
    world.run(for: 2)
    guard let room = instance.joins.newest else { throw AppFailure("It did not join when it was started.") }
    guard room.phase == .connected else {
      throw AppFailure("Its first join failed. \(room.error?.description ?? "")")
    }
    remote.call(.join(.own))
    world.run(for: 1)
  }

  /// The phases that the app's callbacks object was told from a second on.
  func phases(from second: Double) -> [Transcript.Line] {
    instance.log.lines.filter { line in
      guard case .phase = line.heard else { return false }
      return line.second >= second
    }
  }

  /// Plays steps of a timeline in which the app calls nothing itself.
  func play(_ steps: [Step], until end: Double) {
    for step in steps {
      world.run(to: step.second)
      perform(step.act)
    }
    world.run(to: end)
  }

  private func perform(_ act: Act) {
    switch act {
    case .network(let weather, .local): instance.network.become(weather)
    case .network(let weather, _): remote.set(weather)
    case .networkIsBack(.local): instance.joins.newest?.networkIsBack()
    case .networkIsBack: remote.room?.networkIsBack()
    case .speaks(.local):
      instance.joins.newest?.moveCamera(WhiteCameraState(centerX: 1, centerY: 1, scale: 1), completion: nil)
    case .speaks: remote.speak()
    case .server(.kick(.local)):
      if let member = instance.joins.newest?.roomMemberId { world.kick(member) }
    case .server(.misfit):
      if let member = remote.room?.roomMemberId { world.injectMisfit(of: member) }
    case .white(let call, .remote): remote.call(call)
    case .look, .server, .white, .rtc, .rtm, .signaling, .crowd, .replay: break
    }
  }
}

/// What an app did wrong, as a text.
struct AppFailure: Error {
  var words: String
  init(_ words: String) { self.words = words }
}

extension GoldenTimeline {
  /// Whether an app can take the local party's part: in the timeline that party calls nothing, reads nothing,
  /// and stays.
  var suitsApps: Bool {
    let isOver = (expected[.local] ?? []).contains { $0.heard == .phase(.disconnected) }
    return face == .white && expected[.local] != nil && !isOver
      && steps.allSatisfy { step in
        switch step.act {
        case .look(at: _, of: .local), .white(_, by: .local), .white(_, by: .rival): false
        case .look, .white, .network, .networkIsBack, .speaks, .server: true
        case .rtc, .rtm, .signaling, .crowd, .replay: false
        }
      }
  }
}
