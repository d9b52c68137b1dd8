import EventLog
import EventLogModel
import Synchronization

/// A connection to the tables of what is kept beside logs: images, and how far endpoints of webhooks were told. Calls block,
/// and come one after the other.
///
/// What is written here may be written twice with the same effect, so a statement whose connection was lost is
/// carried out once more. No incarnation is asked for: what a fenced node writes here harms nobody.
final class BesideTables: Sendable {
  private struct State {
    var connection: UnsafeConnection?
    /// Since when nobody has answered, on the clock of `PostgresConnection.milliseconds`.
    var silentSince: Int?
  }

  /// A connection is used by one thread at a time: by the one that has the lock of `state`.
  private struct UnsafeConnection: @unchecked Sendable {
    let connection: PostgresConnection
  }

  /// Milliseconds without an answer after which a call is given up.
  static let silence = 5_000
  /// Milliseconds after a call that nobody answered in which others fail at once: each would wait as long, and those who
  /// ask would wait for all before them.
  static let pause = 1_000

  private let address: DatabaseAddress
  private let state = Mutex(State())

  var place: String { address.place }

  init(_ address: DatabaseAddress) { self.address = address }

  /// Carries statements out in one transaction, and gives the rows of each.
  func ask(_ queries: Query...) throws(LogError) -> [Rows] { try ask(queries) }

  /// The same.
  func ask(_ queries: [Query]) throws(LogError) -> [Rows] {
    let answer = state.withLock { state -> Result<AskedRows, LogError> in
      let now = PostgresConnection.milliseconds
      if let silent = state.silentSince, now - silent < Self.pause { return .failure(unanswered) }
      let wasOpen = state.connection != nil
      do throws(PostgresFailure) { return .success(try answers(to: queries, &state)) } catch {
        state.connection = nil
        if case .refused = error { return .failure(error.asLogError(in: place)) }
        // A connection that nobody used for a while may have been cut: the database may be there.
        guard wasOpen, PostgresConnection.milliseconds - now < Self.silence else {
          state.silentSince = PostgresConnection.milliseconds
          return .failure(unanswered)
        }
      }
      do throws(PostgresFailure) { return .success(try answers(to: queries, &state)) } catch {
        state.connection = nil
        if case .refused = error { return .failure(error.asLogError(in: place)) }
        state.silentSince = PostgresConnection.milliseconds
        return .failure(unanswered)
      }
    }
    return try answer.get().rows
  }

  /// Rows are read by the thread that asked for them, and by no other.
  private struct AskedRows: @unchecked Sendable {
    let rows: [Rows]
  }

  private func answers(to queries: [Query], _ state: inout State) throws(PostgresFailure) -> AskedRows {
    let open: PostgresConnection
    if let known = state.connection?.connection {
      open = known
    } else {
      open = try PostgresConnection.reading(address, limit: Self.silence)
      state.connection = UnsafeConnection(connection: open)
    }
    let rows = try open.run(queries) { milliseconds throws(PostgresFailure) in
      if milliseconds >= Self.silence { throw .unknown(reason: "no answer in \(Self.silence) ms") }
    }
    state.silentSince = nil
    return AskedRows(rows: rows)
  }

  private var unanswered: LogError { .full(place: "\(place), which does not answer") }
}
