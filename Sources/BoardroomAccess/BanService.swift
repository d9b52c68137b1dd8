import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel

/// Sets and lifts bans. Each change is an event in the operators' log, so that it survives restarts; once it
/// is durable the index gets it.
package struct BanService: Sendable {
  /// The most bans in force. 100,000: some 20 MB, and a fold of a tenth of a second.
  package static let most = 100_000

  let engine: RoomServerEngine
  package let index: BanIndex

  package init(engine: RoomServerEngine, index: BanIndex) {
    self.engine = engine
    self.index = index
  }

  /// Reads the operators' log at the start. There is no such log before the first ban.
  package func load() async throws(LogError) {
    do throws(LogError) {
      let history = RoomHistory(store: engine.store)
      let revision = try await history.revision(of: .operators, at: nil)
      index.read(try await history.state(of: .operators, at: revision))
    } catch {
      guard case .noSuchLog = error else { throw error }
    }
  }

  /// Sets a ban. If there is one with the same keys, it gets the new end, and keeps its number and its begin.
  package func set(_ wanted: Ban) async throws -> Ban {
    try await OperatorsLog(engine: engine).make()
    let (now, key) = (engine.clock(), BanIndex.BanKey(wanted))
    let ban = try await change { room throws(Refusal) in
      let before = room.state.bans.values.first { BanIndex.BanKey($0) == key }
      var ban = wanted
      ban.since = before.map { $0.since } ?? now
      if before == nil, room.state.bans.count >= Self.most {
        throw Refusal(
          .tooMany, cause: "There are as many bans as there may be.", cure: "Lift some first.",
          actual: room.state.bans.count + 1, allowed: Self.most, limit: "bans")
      }
      let ended = room.liftEndedBans(at: now).filter {
        $0.event != before.map { .room(.banLifted($0.number)) }
      }
      // The number of a new ban is the revision at which it is set, so it is set before ended bans are
      // lifted.
      return try room.setBan(ban, over: before?.number) + ended
    }.bans.values.first { BanIndex.BanKey($0) == key }
    guard let ban else { throw Refusal(.internalFailure) }
    return ban
  }

  /// Gives a ban another end.
  package func set(_ number: UInt64, until: Timestamp) async throws(Refusal) -> Ban {
    guard var ban = ban(number) else { throw Self.noBan }
    ban.until = until
    let wanted = ban
    let state = try await change { room throws(Refusal) in try room.setBan(wanted, over: number) }
    guard let changed = state.bans[number] else { throw Self.noBan }
    return changed
  }

  package func lift(_ number: UInt64) async throws(Refusal) {
    guard ban(number) != nil else { throw Self.noBan }
    _ = try await change { room throws(Refusal) in try room.liftBan(number) }
  }

  /// The bans that have not ended.
  package func bans(at now: Timestamp) -> [Ban] { index.all.filter { $0.until.map { now < $0 } ?? true } }

  package func ban(_ number: UInt64) -> Ban? { bans(at: engine.clock()).first { $0.number == number } }

  package static let noBan = Refusal(.notFound, cause: "There is no such ban.", cure: "See GET /v5/bans.")

  private func change(_ deciding: @escaping Deciding) async throws(Refusal) -> RoomState {
    let state = try await OperatorsLog(engine: engine).carryOut(deciding)
    index.read(state)
    return state
  }
}
