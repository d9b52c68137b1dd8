import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel

/// The log of what concerns the server as a whole and has to outlast it: bans, and damage that was found. Nobody joins it.
package struct OperatorsLog: Sendable {
  let engine: RoomServerEngine

  package init(engine: RoomServerEngine) {
    self.engine = engine
  }

  /// There is none before the first event.
  func make() async throws(LogError) {
    do throws(LogError) {
      _ = try await engine.store.create(.operators, at: engine.clock())
    } catch {
      guard case .logExists = error else { throw error }
    }
  }

  /// The state that the decision leads to, once the log holds it.
  package func carryOut(_ deciding: @escaping Deciding) async throws(Refusal) -> RoomState {
    try await engine.carryOut(in: .operators, deciding)
  }

  /// Writes found damage down, for the endpoints of webhooks (LOG-26). What cannot be written was told by a line.
  ///
  /// - Parameter place: where it is, in words that hold no content.
  package func note(damage place: String) async {
    do {
      try await make()
      let event = MagixEvent(
        name: Self.damageName, payload: JSONValue.object([("where", .string(place))]).text)
      _ = try await carryOut { _ in [Proposed(actor: .server, event: .magix(event))] }
    } catch {
      return
    }
  }

  /// What the custom event is called.
  static let damageName = "damage"
}
