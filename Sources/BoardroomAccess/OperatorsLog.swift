import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel

/// The log of what concerns the whole server and has to survive restarts: bans, and damage that was found.
/// Nobody can join it.
package struct OperatorsLog: Sendable {
  let engine: RoomServerEngine
  /// What asks another node that owns the log; nil where this one owns all logs.
  let elsewhere: (any OperatorsNode)?

  package init(engine: RoomServerEngine, elsewhere: (any OperatorsNode)? = nil) {
    (self.engine, self.elsewhere) = (engine, elsewhere)
  }

  /// Makes the log, which does not exist before the first event.
  func make() async throws(LogError) {
    do throws(LogError) {
      _ = try await engine.store.create(.operators, at: engine.clock())
    } catch {
      guard case .logExists = error else { throw error }
    }
  }

  /// Carries a decision out. Returns the state after it, once the log holds it.
  package func carryOut(_ deciding: @escaping Deciding) async throws(Refusal) -> RoomState {
    try await engine.carryOut(in: .operators, deciding)
  }

  /// Records damage that was found, for the endpoints of webhooks (LOG-26). If that fails, the log line about
  /// it is all.
  ///
  /// - Parameter place: where it is, in words that hold no content.
  package func note(damage place: String) async {
    do {
      if let elsewhere, let owners = engine.owners {
        switch await owners.settledOwner(of: .operators) {
        case .here: break
        case .at(let node): return try await elsewhere.note(damage: place, at: node)
        case .nobodyYet: return
        }
      }
      try await make()
      let event = MagixEvent(
        name: Self.damageName, payload: JSONValue.object([("where", .string(place))]).text)
      _ = try await carryOut { _ in [Proposed(actor: .server, event: .magix(event))] }
    } catch {
      return
    }
  }

  /// The name of the custom event.
  static let damageName = "damage"
}
