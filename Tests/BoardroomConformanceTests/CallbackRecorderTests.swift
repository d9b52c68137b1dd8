import BoardroomClient
import BoardroomModel
import Synchronization
import Testing

@testable import BoardroomConformance

@Suite struct CallbackRecorderTests {
  private final class Target: WhiteRoomCallbackDelegate, Sendable {
    private let held = Mutex<[String]>([])
    var heard: [String] { held.withLock { $0 } }
    private func add(_ name: String = #function) {
      held.withLock { $0.append(name.prefix { $0 != "(" }.description) }
    }
    func firePhaseChanged(_ phase: WhiteRoomPhase) { add() }
    func fireRoomStateChanged(_ modifyState: WhiteRoomState) { add() }
    func fireBeingAbleToCommitChange(_ isAbleToCommit: Bool) { add() }
    func fireDisconnectWithError(_ error: String) { add() }
    func fireKickedWithReason(_ reason: String) { add() }
    func fireCatchErrorWhenAppendFrame(_ userId: UInt64, error: String) { add() }
    func fireMagixEvent(_ event: WhiteEvent) { add() }
    func fireHighFrequencyEvent(_ events: [WhiteEvent]) { add() }
    func fireCanUndoStepsUpdate(_ canUndoSteps: Int) { add() }
    func fireCanRedoStepsUpdate(_ canRedoSteps: Int) { add() }
    func fireElementsChanged() { add() }
    func firePointerMoved(_ pointer: WhitePointer) { add() }
    func fireReaction(_ reaction: WhiteReaction) { add() }
  }

  private func log(isHome: Bool = true) -> CallbackLog { CallbackLog(clock: { 1 }, isHome: { isHome }) }

  @Test("CONF-5, CB-4: a room that does not show what its callback tells breaks a contract")
  func stale() throws {
    let world = World()
    let anna = world.client("anna")
    let room = try anna.join()
    let log = log()
    log.room = room
    CallbackRecorder(log).fireRoomStateChanged(room.state)
    #expect(log.lines.count == 1)
    var other = WhiteRoomState()
    other.globalState = ["k": JSONText(unchecked: "1")]
    CallbackRecorder(log).fireRoomStateChanged(other)
    #expect(
      log.lines.dropFirst().map(\.heard) == [
        .broken(contract: "CB-4", "room.state has another globalState than the callback"),
        .state([.globalState: "k=1"]),
      ])
  }

  @Test("CONF-5, CB-6: a callback away from the SDK's context breaks a contract")
  func away() {
    let log = log(isHome: false)
    CallbackRecorder(log).firePhaseChanged(.connected)
    #expect(
      log.lines.map(\.heard) == [
        .broken(contract: "CB-6", "a callback came away from the SDK's context"), .phase(.connected),
      ])
  }

  @Test("CONF-5: every callback is passed on")
  func passedOn() {
    let target = Target()
    let ear = CallbackRecorder(log(), passingTo: target)
    ear.firePhaseChanged(.connected)
    ear.fireRoomStateChanged(WhiteRoomState())
    ear.fireBeingAbleToCommitChange(true)
    ear.fireDisconnectWithError("")
    ear.fireKickedWithReason("")
    ear.fireCatchErrorWhenAppendFrame(1, error: "")
    ear.fireHighFrequencyEvent([])
    ear.fireCanUndoStepsUpdate(1)
    ear.fireCanRedoStepsUpdate(1)
    ear.fireElementsChanged()
    #expect(
      target.heard == [
        "firePhaseChanged", "fireRoomStateChanged", "fireBeingAbleToCommitChange", "fireDisconnectWithError",
        "fireKickedWithReason", "fireCatchErrorWhenAppendFrame", "fireHighFrequencyEvent",
        "fireCanUndoStepsUpdate", "fireCanRedoStepsUpdate", "fireElementsChanged",
      ])
  }
}
