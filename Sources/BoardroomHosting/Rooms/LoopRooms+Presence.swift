import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import Synchronization

/// The special channels that tell of everything (SIG-C6, SIG-C7): what happens in the spaces of a loop is gathered
/// for one turn of its loop, and goes to the loop of the special channel as one batch.
extension LoopRooms {
  /// The log holds this.
  func note(_ presence: Presence) {
    presences.append(presence)
    guard presences.count == 1 else { return }
    let me = Confined(self, to: loop)
    loop.execute { me.value.passPresencesOn() }
  }

  private func passPresencesOn() {
    let batch = presences
    presences = []
    for (special, isOfChannels) in [(SpaceName.userOnline, false), (.channelEvents, true)] {
      let part = batch.filter { ($0.channel != nil) == isOfChannels }
      guard !part.isEmpty else { continue }
      reach.loopRooms(for: special.log)?.run { $0.record(part, in: special) }
    }
  }

  /// The channel is made if it is not there. What cannot be recorded is not told: it stands in the log that it
  /// happened in.
  private func record(_ presences: [Presence], in special: SpaceName) {
    withHost(special.log, making: NewSpace(name: special)) { [clock] result in
      guard case .success(let host) = result else { return }
      host.carryOut(
        at: clock(), removing: nil,
        deciding: { _ in presences.map { Proposed(actor: .server, event: .space(.presence($0))) } },
        reading: { _ in () }, done: { _ in })
    }
  }
}

/// Leads from one loop's rooms to those of another: the engine, once there is one, and as long as there is.
final class EngineReference: Sendable {
  private struct WeakEngine { weak var engine: RoomServerEngine? }
  private let way = Mutex(WeakEngine())

  func lead(to engine: RoomServerEngine) { way.withLock { $0.engine = engine } }

  func loopRooms(for log: LogID) -> LoopRoomsAddress? { way.withLock { $0.engine }?.loopRooms(for: log) }
}
