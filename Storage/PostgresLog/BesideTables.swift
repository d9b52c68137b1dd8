import EventLog
import EventLogModel
import Synchronization

/// The tables of what is kept beside logs: images, and how far endpoints of webhooks were told. Calls block. Each has a
/// connection of its own, so that none waits for another's answer; a connection is kept for the next call.
///
/// What is written here may be written twice with the same effect, so a statement whose connection was lost is
/// carried out once more. No incarnation is asked for: what a fenced node writes here harms nobody.
final class BesideTables: Sendable {
  private struct State {
    /// Connections that no call uses.
    var idle: [UnsafeConnection] = []
    /// Since when nobody has answered, on the clock of `PostgresConnection.milliseconds`.
    var silentSince: Int?
  }

  /// A connection is used by one thread at a time: by the one that took it from the idle ones.
  private struct UnsafeConnection: @unchecked Sendable {
    let connection: PostgresConnection
  }

  /// Milliseconds without an answer after which a call is given up.
  static let silence = 5_000
  /// Milliseconds after a call that nobody answered in which others fail at once: each would wait as long, and those who
  /// ask would wait for all before them.
  static let pause = 1_000
  /// Connections that are kept for later calls.
  private static let kept = 2

  private let address: DatabaseAddress
  private let state = Mutex(State())

  var place: String { address.place }

  init(_ address: DatabaseAddress) { self.address = address }

  /// Carries statements out in one transaction, and gives the rows of each. Throws `damaged` where the server cannot read what it
  /// stores.
  func ask(_ queries: Query...) throws(LogError) -> [Rows] { try ask(queries) }

  /// The same.
  func ask(_ queries: [Query]) throws(LogError) -> [Rows] {
    let start = PostgresConnection.milliseconds
    let (known, isSilent) = state.withLock { state -> (UnsafeConnection?, Bool) in
      if let silent = state.silentSince, start - silent < Self.pause { return (nil, true) }
      return (state.idle.popLast(), false)
    }
    guard !isSilent else { throw address.silent }
    if let known {
      do throws(PostgresFailure) { return try ask(queries, by: known.connection) } catch {
        if case .refused = error { throw error.asReadingError(in: place) }
        // A connection that nobody used for a while may have been cut: the database may be there. Others of the same age
        // would be as dead.
        state.withLock { $0.idle = [] }
        guard PostgresConnection.milliseconds - start < Self.silence else { throw unanswered() }
      }
    }
    do throws(PostgresFailure) {
      return try ask(queries, by: try PostgresConnection.reading(address, limit: Self.silence))
    } catch {
      if case .refused = error { throw error.asReadingError(in: place) }
      throw unanswered()
    }
  }

  /// Keeps the connection if it answers.
  private func ask(_ queries: [Query], by open: PostgresConnection) throws(PostgresFailure) -> [Rows] {
    let rows = try open.run(queries) { milliseconds throws(PostgresFailure) in
      if milliseconds >= Self.silence { throw .unknown(reason: "no answer in \(Self.silence) ms") }
    }
    let answering = UnsafeConnection(connection: open)
    state.withLock { state in
      state.silentSince = nil
      if state.idle.count < Self.kept { state.idle.append(answering) }
    }
    return rows
  }

  private func unanswered() -> LogError {
    state.withLock { $0.silentSince = PostgresConnection.milliseconds }
    return address.silent
  }
}
