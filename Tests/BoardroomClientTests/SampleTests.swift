import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

/// The seed's sample, line by line: its view controller holds SDK and room, and rejoins once when the phase
/// becomes disconnected.
final class SampleController: WhiteRoomCallbackDelegate, Sendable {
  struct Held {
    var room: WhiteRoom?
    var rooms = 0
    var isReconnecting = false
    var rejoins = 0
  }
  let sdk: WhiteSDK
  let uuid: String
  let held = Mutex(Held())

  init(_ sdk: WhiteSDK, uuid: String) {
    self.sdk = sdk
    self.uuid = uuid
  }

  func join() {
    sdk.joinRoom(with: WhiteRoomConfig(uuid: uuid, roomToken: "token"), callbacks: self) {
      [self] success, room, error in
      if success { take(room) }
    }
  }

  private func take(_ room: WhiteRoom?) {
    held.withLock {
      $0.room = room
      $0.rooms += 1
    }
  }

  // - (void)firePhaseChanged:(WhiteRoomPhase)phase
  func firePhaseChanged(_ phase: WhiteRoomPhase) {
    // if (phase == WhiteRoomPhaseDisconnected && self.sdk && !self.isReconnecting)
    guard phase == .disconnected, held.withLock({ !$0.isReconnecting }) else { return }
    // self.reconnecting = YES;
    held.withLock {
      $0.isReconnecting = true
      $0.rejoins += 1
    }
    // [self.sdk joinRoomWithUuid:self.roomUuid roomToken:self.roomToken completionHandler:^(…)
    sdk.joinRoom(withUuid: uuid, roomToken: "token") { [self] success, room, error in
      // self.reconnecting = NO;
      held.withLock { $0.isReconnecting = false }
      // if (error) NSLog(@"error:%@", [error localizedDescription]); else self.room = room;
      if error == nil { take(room) }
    }
  }
}

@Suite struct SampleTests {
  @Test("S1, S2: the sample: one disconnect, one rejoin, a new room object, the old callbacks")
  func sample() throws {
    let world = World()
    let client = world.client("anna")
    let controller = SampleController(client.sdk, uuid: world.room.description)
    controller.join()
    world.run(to: 5)
    let first = try #require(controller.held.withLock { $0.room })
    client.network.set(.silent)
    world.run(to: 60)
    #expect(controller.held.withLock { $0.rejoins } == 1)
    client.network.set(.clear)
    world.run(to: 80)
    let second = try #require(controller.held.withLock { $0.room })
    #expect(second !== first)
    #expect(second.phase == .connected)
    #expect(first.phase == .disconnected)
    #expect(controller.held.withLock { $0.rooms } == 2)
    #expect(controller.held.withLock { $0.rejoins } == 1)
    #expect(second.roomMemberId != first.roomMemberId)
  }

  @Test(
    "S1, S2, P-8, P-9: the sample in a view controller of the main actor: it hears all of the old room's end")
  @MainActor
  func viewController() throws {
    let world = World()
    let client = world.client("anna")
    let controller = BoardViewController(client.sdk, uuid: world.room.description)
    controller.viewDidLoad()
    world.run(to: 5)
    #expect(controller.told.filter { $0 != "state" } == ["phase 0", "phase 1", "able true", "joined"])
    let first = try #require(controller.room)
    controller.told = []
    client.network.set(.silent)
    world.run(to: 60)
    client.network.set(.clear)
    world.run(to: 120)
    #expect(
      controller.told.filter { !$0.hasPrefix("state") } == [
        "phase 2", "able false", "phase 4", "error true", "phase 0", "phase 1", "able true", "joined",
      ])
    let second = try #require(controller.room)
    #expect(second !== first)
    #expect(first.phase == .disconnected)
    #expect(second.phase == .connected)
  }

  @Test(
    "FACE-8, CB-13, CB-14: a rejoin inside the callback takes nothing of the end from the app, nor from streams"
  )
  func endIsWhole() throws {
    let world = World()
    let client = world.client("anna")
    let room = try client.join()
    let phases = Box<[WhiteRoomPhase]>([])
    let stream = room.phases
    Task(executorPreference: world.tasks) {
      for await phase in stream { phases.change { $0.append(phase) } }
    }
    world.run(for: 1)
    client.recorder.clear()
    let (sdk, config, recorder) = (client.sdk, client.config, client.recorder)
    let rejoins = Box(0)
    client.recorder.whenHeard { heard in
      guard heard == .kicked("kickByAdmin"), rejoins.value == 0 else { return }
      rejoins.value += 1
      sdk.joinRoom(with: config, callbacks: recorder) { _, _, _ in }
    }
    world.kick(try #require(room.roomMemberId))
    world.run(for: 2)
    let heard = client.recorder.heard.filter { if case .state = $0 { false } else { true } }
    #expect(
      heard == [
        .kicked("kickByAdmin"), .phase(.disconnected), .committable(false), .phase(.connecting),
        .phase(.connected), .committable(true),
      ])
    #expect(phases.value == [.connected, .disconnected])
  }

  @Test(
    "FACE-8, P-11, X-51: after a failed first join a rejoin from inside its callback is no second join under way"
  )
  func rejoinAfterFailure() {
    let world = World()
    let client = world.client("anna")
    let answers = Box<[String]>([])
    let (sdk, config) = (client.sdk, client.config)
    client.recorder.whenHeard { heard in
      guard heard == .phase(.disconnected), answers.value.isEmpty else { return }
      answers.value = ["again"]
      sdk.joinRoom(with: config) { success, _, error in
        answers.change { $0.append(success ? "in" : "\(error?.code.rawValue ?? "")") }
      }
    }
    var wrong = client.config
    wrong.uuid = "0123456789abcdef0123456789abcdef"
    sdk.joinRoom(with: wrong, callbacks: client.recorder) { _, _, error in
      answers.change { $0.append(error?.code.rawValue ?? "") }
    }
    world.run(for: 3)
    #expect(answers.value == ["again", "notFound", "in"])
    // That the first one is over does not free the way for a third.
    sdk.joinRoom(with: config) { _, _, _ in }
    let third = Box("")
    sdk.joinRoom(with: config) { _, _, error in third.value = error?.code.rawValue ?? "" }
    world.run(for: 1)
    #expect(third.value == "pending")
  }

  @Test("S1, S2, P-15: the guard of the documentation: no rejoin after a kick nor a leave, one after a loss")
  func documented() throws {
    for (kicks, rejoins) in [(true, 0), (false, 1)] {
      let world = World()
      let client = world.client("anna")
      let example = DocumentedGuard(client.sdk, uuid: world.room.description)
      example.join()
      world.run(to: 5)
      let room = try #require(example.room)
      if kicks {
        world.kick(try #require(room.roomMemberId))
      } else {
        client.network.set(.silent)
        world.run(to: 60)
        client.network.set(.clear)
      }
      world.run(to: 100)
      #expect(example.joins == 1 + rejoins)
      #expect(example.room?.phase == (kicks ? .disconnected : .connected))
      example.room?.disconnect(nil)
      world.run(to: 120)
      #expect(example.joins == 1 + rejoins)
    }
  }
}

/// The seed's sample as an app has it: a view controller that holds SDK and room, and lives on the main actor. Its SDK's
/// context runs there too, as a main queue would.
@MainActor
final class BoardViewController: WhiteRoomCallbackDelegate {
  let sdk: WhiteSDK
  let roomUuid: String
  var room: WhiteRoom?
  var isReconnecting = false
  var told: [String] = []

  init(_ sdk: WhiteSDK, uuid: String) {
    self.sdk = sdk
    roomUuid = uuid
  }

  func viewDidLoad() {
    sdk.joinRoom(with: WhiteRoomConfig(uuid: roomUuid, roomToken: "token"), callbacks: self) {
      [self] _, room, error in
      MainActor.assumeIsolated { joined(room, error) }
    }
  }

  private func joined(_ room: WhiteRoom?, _ error: BoardroomError?) {
    isReconnecting = false
    told.append(error.map { "failed \($0.code.rawValue)" } ?? "joined")
    if let room { self.room = room }
  }

  nonisolated func firePhaseChanged(_ phase: WhiteRoomPhase) {
    MainActor.assumeIsolated {
      told.append("phase \(phase.rawValue)")
      guard phase == .disconnected, !isReconnecting else { return }
      isReconnecting = true
      sdk.joinRoom(withUuid: roomUuid, roomToken: "token") { [self] _, room, error in
        MainActor.assumeIsolated { joined(room, error) }
      }
    }
  }

  nonisolated func fireRoomStateChanged(_ modifyState: WhiteRoomState) {
    MainActor.assumeIsolated { told.append("state") }
  }

  nonisolated func fireBeingAbleToCommitChange(_ isAbleToCommit: Bool) {
    MainActor.assumeIsolated { told.append("able \(isAbleToCommit)") }
  }

  nonisolated func fireDisconnectWithError(_ error: String) {
    MainActor.assumeIsolated { told.append("error \(!error.isEmpty)") }
  }
}

/// As Rejoining.md has it.
final class DocumentedGuard: WhiteRoomCallbackDelegate, Sendable {
  private struct Held {
    var room: WhiteRoom?
    var joins = 0
  }
  private let sdk: WhiteSDK
  private let uuid: String
  private let held = Mutex(Held())
  private let rejoining = Mutex(false)

  init(_ sdk: WhiteSDK, uuid: String) { (self.sdk, self.uuid) = (sdk, uuid) }

  var room: WhiteRoom? { held.withLock { $0.room } }
  var joins: Int { held.withLock { $0.joins } }

  func join() {
    held.withLock { $0.joins += 1 }
    sdk.joinRoom(with: WhiteRoomConfig(uuid: uuid, roomToken: "token"), callbacks: self) {
      [self] _, room, _ in
      held.withLock { $0.room = room }
    }
  }

  func firePhaseChanged(_ phase: WhiteRoomPhase) {
    guard phase == .disconnected, let room, !room.disconnectedBySelf, room.error?.kick == nil else { return }
    let isFirst = rejoining.withLock { rejoining in
      defer { rejoining = true }
      return !rejoining
    }
    guard isFirst else { return }
    held.withLock { $0.joins += 1 }
    sdk.joinRoom(withUuid: uuid, roomToken: "token") { [self] success, room, _ in
      rejoining.withLock { $0 = false }
      if success { held.withLock { $0.room = room } }
    }
  }
}
