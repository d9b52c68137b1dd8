import BoardroomClient
import Synchronization
import TestKit

/// Two members whose recorders have just been cleared.
func pair(
  _ change: (inout WhiteRoomConfig) -> Void = { _ in }
) throws -> (world: World, anna: SimulatedClient, ben: SimulatedClient, a: WhiteRoom, b: WhiteRoom) {
  let world = World(seed: 3)
  let (anna, ben) = (world.client("anna"), world.client("ben"))
  let (a, b) = (try anna.join(change), try ben.join())
  world.run(for: 2)
  anna.recorder.clear()
  ben.recorder.clear()
  return (world, anna, ben, a, b)
}

/// A callbacks object for what the recorder of TestKit does not keep.
final class Ears: WhiteRoomCallbackDelegate, WhiteCommonCallbackDelegate, Sendable {
  struct Heard {
    var states: [WhiteRoomState] = []
    var batches: [[WhiteEvent]] = []
    var magix: [WhiteEvent] = []
    var undo: [Int] = []
    var redo: [Int] = []
    var boards = 0
    var pointers: [WhitePointer] = []
    var reactions: [WhiteReaction] = []
    var errors: [BoardroomError] = []
    var lines: [WhiteLogLine] = []
    var kicks: [String] = []
    var disconnects: [String] = []
    var phases: [WhiteRoomPhase] = []
    /// What `urlInterrupter` puts behind an address.
    var suffix = ""
  }
  let held = Mutex(Heard())
  var heard: Heard { held.withLock { $0 } }
  func clear() { held.withLock { $0 = Heard() } }

  func fireRoomStateChanged(_ state: WhiteRoomState) { held.withLock { $0.states.append(state) } }
  func fireHighFrequencyEvent(_ events: [WhiteEvent]) { held.withLock { $0.batches.append(events) } }
  func fireMagixEvent(_ event: WhiteEvent) { held.withLock { $0.magix.append(event) } }
  func fireCanUndoStepsUpdate(_ steps: Int) { held.withLock { $0.undo.append(steps) } }
  func fireCanRedoStepsUpdate(_ steps: Int) { held.withLock { $0.redo.append(steps) } }
  func fireElementsChanged() { held.withLock { $0.boards += 1 } }
  func firePointerMoved(_ pointer: WhitePointer) { held.withLock { $0.pointers.append(pointer) } }
  func fireReaction(_ reaction: WhiteReaction) { held.withLock { $0.reactions.append(reaction) } }
  func fireKickedWithReason(_ reason: String) { held.withLock { $0.kicks.append(reason) } }
  func fireDisconnectWithError(_ error: String) { held.withLock { $0.disconnects.append(error) } }
  func firePhaseChanged(_ phase: WhiteRoomPhase) { held.withLock { $0.phases.append(phase) } }
  func throwError(_ error: BoardroomError) { held.withLock { $0.errors.append(error) } }
  func logger(_ line: WhiteLogLine) { held.withLock { $0.lines.append(line) } }
  func urlInterrupter(_ url: String) -> String { url + held.withLock { $0.suffix } }
}

/// A member with listeners of its own, and an SDK as `sdk` has it.
struct Listener {
  let ears = Ears()
  let client: SimulatedClient
  let sdk: WhiteSDK
  let room: WhiteRoom

  init(
    _ world: World, _ name: String = "anna", _ change: (inout WhiteRoomConfig) -> Void = { _ in },
    sdk: (inout WhiteSdkConfiguration) -> Void = { _ in }
  ) throws {
    client = world.client(name)
    var configuration = client.sdk.configuration
    sdk(&configuration)
    let own = WhiteSDK(
      sdkConfiguration: configuration, context: world.loop, transport: client.network,
      commonCallbackDelegate: ears)
    self.sdk = own
    var config = client.config
    change(&config)
    room = try world.perform { [ears, config] in
      await asResult { () async throws(BoardroomError) in try await own.joinRoom(config, callbacks: ears) }
    }.get()
    world.run(for: 1)
    ears.clear()
  }
}

/// Answers once the room has seen all that was in the log before.
func seen(_ room: WhiteRoom) async { _ = try? await room.moveCamera(room.cameraState) }

/// A value that some callback sets.
final class Box<Value: Sendable>: Sendable {
  private let held: Mutex<Value>
  init(_ value: Value) { held = Mutex(value) }
  var value: Value {
    get { held.withLock { $0 } }
    set { held.withLock { $0 = newValue } }
  }
  func change(_ body: @Sendable (inout Value) -> Void) {
    var value = self.value
    body(&value)
    self.value = value
  }
}
