import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel

/// Sets and lifts bans. Each change is an event in the operators' log, so that it survives restarts; once it
/// is durable the index gets it. With other nodes the one that owns that log carries it out, and all hear of it.
package struct BanService: Sendable {
  /// The most bans in force. 100,000: some 20 MB, and a fold of a tenth of a second.
  package static let most = 100_000

  /// How often a node asks the owner of the operators' log for bans. 1 s: a banned client that comes back in between is
  /// removed then.
  static let askEvery = Duration.seconds(1)

  let engine: RoomServerEngine
  package let index: BanIndex
  /// The way to other nodes; nil: there are none.
  let operators: (any OperatorsNode)?

  package init(engine: RoomServerEngine, index: BanIndex, operators: (any OperatorsNode)? = nil) {
    self.engine = engine
    self.index = index
    self.operators = operators
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
    guard let ban = try await decide(.set(wanted)) else { throw Refusal(.internalFailure) }
    return ban
  }

  /// Gives a ban another end.
  package func set(_ number: UInt64, until: Timestamp) async throws -> Ban {
    guard let ban = try await decide(.end(number, until: until)) else { throw Self.noBan }
    return ban
  }

  package func lift(_ number: UInt64) async throws { _ = try await decide(.lift(number)) }

  private func decide(_ decision: BanDecision) async throws -> Ban? {
    guard let operators, let owners = engine.owners else { return try await carryOut(decision) }
    switch await owners.settledOwner(of: .operators) {
    case .here: return try await carryOut(decision)
    case .at(let node):
      let ban = try await operators.carryOut(decision, at: node)
      await take(from: node, operators)
      return ban
    case .nobodyYet: throw Refusal(.goingAway)
    }
  }

  /// Carries a decision out in the log, which must be this node's. Nil for a ban that was lifted.
  package func carryOut(_ decision: BanDecision) async throws -> Ban? {
    switch decision {
    case .set(let wanted): return try await setHere(wanted)
    case .end(let number, let until):
      guard var ban = ban(number) else { throw Self.noBan }
      ban.until = until
      let wanted = ban
      let state = try await change { room throws(Refusal) in try room.setBan(wanted, over: number) }
      guard let changed = state.bans[number] else { throw Self.noBan }
      return changed
    case .lift(let number):
      guard ban(number) != nil else { throw Self.noBan }
      _ = try await change { room throws(Refusal) in try room.liftBan(number) }
      return nil
    }
  }

  private func setHere(_ wanted: Ban) async throws -> Ban {
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

  // MARK: Other nodes

  /// Keeps the bans as the node has them that owns the operators' log, until the task is cancelled. Whoever is inside and
  /// is banned at another node goes.
  package func follow() async {
    guard let operators, let owners = engine.owners else { return }
    var isRead = true
    while !Task.isCancelled {
      switch await owners.owner(of: .operators) {
      case .at(let node):
        await take(from: node, operators)
        isRead = false
      case .nobodyYet: isRead = false
      // The last owner is gone, and may have decided more than was heard of it. What cannot be read is read with the next look.
      case .here where !isRead: isRead = (try? await load()) != nil
      case .here: break
      }
      try? await Task.sleep(for: Self.askEvery)
    }
  }

  private func take(from node: NodeAddress, _ operators: any OperatorsNode) async {
    guard let list = await operators.bans(since: index.list.revision, at: node) else { return }
    let now = engine.clock()
    // One that ended before it was heard of here removes nobody: whoever is inside came in by right.
    for ban in index.take(list) where ban.until.map({ now < $0 }) ?? true { await engine.banish(under: ban) }
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
