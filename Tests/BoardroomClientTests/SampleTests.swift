import BoardroomClient
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

/// The seed's sample, line by line: its view controller holds SDK and room, and rejoins once when the phase
/// becomes disconnected.
final class SampleController: WhiteRoomCallbackDelegate {
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
    #expect(second !== first && second.phase == .connected && first.phase == .disconnected)
    #expect(controller.held.withLock { $0.rooms } == 2)
    #expect(controller.held.withLock { $0.rejoins } == 1)
    #expect(second.roomMemberId != first.roomMemberId)
  }
}
