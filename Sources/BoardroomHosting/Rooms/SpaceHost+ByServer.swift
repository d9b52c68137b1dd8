import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// What operators want of a room, as the events that it comes to.
public typealias Deciding = @Sendable (inout Room) throws(Refusal) -> [Proposed]

/// What is known of an open room without asking its log.
public struct RoomSummary: Sendable {
  public var durable: Revision
  public var epoch: Epoch
  public var connections: Int
  public var state: RoomState
}

/// What is done to a room from outside of it, in the server's own name (REST).
extension SpaceHost {
  /// Removes a member for `reason`; `done` hears the revision once the log holds it. A full log refuses, and
  /// the member stays.
  func kick(
    _ member: MemberID, _ reason: KickReason, by actor: Actor, at now: Timestamp,
    done: @escaping @Sendable (Result<Revision, Refusal>) -> Void
  ) {
    do throws(Refusal) {
      let events = try room.kick(member, reason, by: actor)
      guard let session = sessions[member] else { throw Refusal(.notMember) }
      let revision = try recordOrRefuse(events, at: now)
      _ = session.machine.end(.kicked)
      forget(session)
      partLater(
        session, Farewell(Refusal(Self.code(of: reason)), kick: reason, comeBack: false), code: nil,
        at: revision)
      afterCommit(.tell(done), at: revision)
      sessions.noteIfEmpty(at: now)
      behaviour?.recordDue(at: now)
      performDue(at: now)
      dispatch()
    } catch {
      done(.failure(error))
    }
  }

  /// Nothing is told before the log holds it; what it does not take is refused, and a full log costs nobody
  /// the room.
  func recordOrRefuse(_ proposals: [Proposed], at now: Timestamp) throws(Refusal) -> Revision {
    switch recordUnlessFull(proposals, at: now) {
    case .at(let revision): return revision
    case .full: throw Refusal(.logFull)
    case .failed(let refusal): throw refusal
    }
  }

  /// Removes a member even where the log does not take it: the connection ends, and the stay with its grace.
  func banish(_ member: MemberID, at now: Timestamp) {
    guard let session = sessions[member] else { return }
    let line = session.line
    kick(member, .kickByAdmin, by: .server, at: now) { _ in }
    guard !isClosed, sessions[member] != nil, let connection = line?.connection else { return }
    sendAway(connection, Farewell(Refusal(.banned), kick: .kickByAdmin, comeBack: false), at: now)
  }

  /// Removes everyone; then the room closes. Whom a full log cannot show as removed is parted from all the same.
  func expel(_ reason: KickReason, at now: Timestamp, done: @escaping @Sendable () -> Void) {
    for session in sessions.inOrder where !isClosed {
      kick(session.member, reason, by: .server, at: now) { _ in }
    }
    guard !isClosed else { return done() }
    let me = Confined(self, to: loop)
    let farewell = Farewell(Refusal(Self.code(of: reason)), kick: reason, comeBack: false)
    afterCommit(
      .tell { _ in
        me.value.close(with: farewell)
        done()
      }, at: room.state.revision)
    performDue(at: now)
  }

  /// A command in the server's own name. `check` may refuse it, seeing the state in which it would be decided;
  /// `reading` takes the answer from the state that it leads to, which `done` hears once the log holds it.
  func carryOut<Value: Sendable>(
    serverCommand command: Command, at now: Timestamp, check: @Sendable (RoomState) -> Refusal?,
    reading: @Sendable (RoomState) -> Value,
    done: @escaping @Sendable (Result<Value, Refusal>) -> Void
  ) {
    carryOut(
      at: now, removing: nil,
      deciding: { (room: inout Room) throws(Refusal) in
        if let refusal = check(room.state) { throw refusal }
        switch room.decide(serverCommand: command, at: now) {
        case .events(let events): return events
        case .refused(let refusal, _): throw refusal
        case .duplicate, .later: return []
        }
      }, reading: reading, done: done)
  }

  /// What operators decide about the room. Where the events remove everybody, `reason` is what they are told.
  func carryOut<Value: Sendable>(
    at now: Timestamp, removing reason: KickReason?, deciding: Deciding,
    reading: @Sendable (RoomState) -> Value, done: @escaping @Sendable (Result<Value, Refusal>) -> Void
  ) {
    behaviour?.recordDue(at: now)
    do throws(Refusal) {
      let events = try deciding(&room)
      var revision = room.state.revision
      if !events.isEmpty {
        revision = try recordOrRefuse(events, at: now)
        if let reason { partFromEverybody(reason, at: revision) }
      }
      let value = reading(room.state)
      afterCommit(.tell { result in done(result.map { _ in value }) }, at: revision)
      performDue(at: now)
      dispatch()
    } catch {
      done(.failure(error))
    }
  }

  private func partFromEverybody(_ reason: KickReason, at revision: Revision) {
    let farewell = Farewell(Refusal(Self.code(of: reason)), kick: reason, comeBack: false)
    for session in sessions.inOrder {
      _ = session.machine.end(.kicked)
      forget(session)
      partLater(session, farewell, code: nil, at: revision)
    }
  }

  var summary: RoomSummary {
    RoomSummary(
      durable: durable, epoch: appender.epoch, connections: sessions.connections, state: room.state)
  }

  private static func code(of reason: KickReason) -> RefusalCode {
    switch reason {
    case .kickByAdmin, .roomZombie: .kicked
    case .roomDelete: .notFound
    case .roomBan: .banned
    case .GatewayAdjust: .goingAway
    case .replaceByOther: .replaced
    case .crash: .internalFailure
    }
  }
}
