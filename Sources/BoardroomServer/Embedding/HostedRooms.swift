import BoardroomAccess
import BoardroomCodec
import BoardroomHTTP
import BoardroomHosting
import BoardroomModel
import EventLogModel
import Synchronization

/// The rooms of a server, for the program that embeds it: what REST does with a token, in the server's own name. The
/// routes of REST call the same code.
///
/// Every method may be called from any task, and throws a `Refusal` with the codes of docs/PROTOCOL.md, section 9:
/// `goingAway` before the server listens and after its end, `notFound` for a room that is not there. What a method
/// returns is durable: the log holds it.
public final class HostedRooms: Sendable {
  private let routes = Mutex<RestRoutes?>(nil)

  init() {}

  /// The server listens, or it has ended (nil).
  func serve(by routes: RestRoutes?) { self.routes.withLock { $0 = routes } }

  /// Makes a room (RE-1).
  ///
  /// - Parameters:
  ///   - name: for people, up to 2,048 bytes.
  ///   - writers: how many members may write at once; 0: as many as there are.
  ///   - isRecorded: whether members may look at the past of the room.
  public func create(
    name: String = "", writers: Int = 0, isRecorded: Bool = true
  ) async throws(Refusal) -> RoomID {
    let created = RoomCreated(name: name, limit: writers, isRecord: isRecorded)
    return try await ask { try await $0.create(created).room }
  }

  /// Makes a room token, signed with the server's own key (RE-11). A gatekeeper of one's own has to know such tokens:
  /// `TokenGatekeeper` does.
  ///
  /// - Parameters:
  ///   - room: the room that it opens.
  ///   - role: what its holder may do there.
  ///   - lifespan: how long it opens the room; nil: for ever. In whole milliseconds; at most a century.
  ///   - uid: the user that its holder is; nil: whoever it says.
  public func token(
    of room: RoomID, role: Role, lifespan: Duration? = nil, uid: String? = nil
  ) async throws(Refusal) -> String {
    let milliseconds = try lifespan.map { (lifespan: Duration) throws(Refusal) -> Int in
      // Less than a millisecond must not become 0, which is no end at all.
      guard lifespan >= .milliseconds(1), lifespan < .seconds(1 << 40) else {
        throw Refusal(
          .badParameter, cause: "The lifespan is shorter than a millisecond, or longer than a century.",
          cure: "Leave it out for a token without end.")
      }
      return Int(lifespan.components.seconds) * 1_000
        + Int(lifespan.components.attoseconds / 1_000_000_000_000_000)
    }
    return try await ask(room) {
      try await $0.token(of: room, role: role, lifespan: milliseconds ?? 0, uid: uid)
    }
  }

  /// Removes a member, or everyone of a uid (RE-21). They may come back, if the gatekeeper lets them in.
  ///
  /// - Returns: who was removed. Throws `notMember` if nobody is meant.
  @discardableResult
  public func kick(
    _ person: PersonInRoom, from room: RoomID, reason: KickReason = .kickByAdmin
  ) async throws(Refusal) -> [MemberID] {
    try await ask(room) { try await $0.kick(person, from: room, reason: reason) }
  }

  /// Sends a custom event in the server's own name (RE-23): members hear it as a magix event.
  ///
  /// - Returns: its revision.
  @discardableResult
  public func say(
    _ name: String, _ payload: JSONValue = .null, in room: RoomID
  ) async throws(Refusal) -> Revision {
    try await ask(room) { routes in
      let limits = routes.engine.policy.limits
      // Members' clients read no deeper than this. The room itself says what is too large for it.
      let whole = JSONValue.object([("event", .string(name)), ("payload", payload)]).compact
      do throws(JSONError) {
        _ = try JSONValue.parse(whole, limits: JSONLimits(depth: limits.jsonDepth, bytes: whole.count))
      } catch {
        throw CodecError.json(error).refusal
      }
      return try await routes.say(name, payload, in: room)
    }
  }

  /// The state of the durable log, which is what every member sees. From memory if the room is open.
  public func state(of room: RoomID) async throws(Refusal) -> RoomState {
    try await ask(room) { try await $0.state(of: room) }
  }

  /// Keeps somebody out of the room, and removes them (MOD-7). With `.user`, they may be away.
  ///
  /// - Parameters:
  ///   - person: the member, or the user.
  ///   - room: the room that they are kept out of.
  ///   - seconds: 10 to 86,430, as over REST.
  public func keepOut(_ person: PersonInRoom, of room: RoomID, seconds: Int) async throws(Refusal) {
    guard RestRoutes.banSecondsRange.contains(seconds) else {
      throw Refusal(
        .badParameter, cause: "seconds is not a whole number from 10 to 86430.", cure: "Choose one of these.")
    }
    _ = try await ask(room) { try await $0.keepOut(person, of: room, seconds: seconds) }
  }

  /// Removes everybody and keeps everybody out, until the ban is lifted (RE-4).
  public func ban(_ room: RoomID) async throws(Refusal) {
    try await ask(room) { try await $0.setBan(true, of: room) }
  }

  /// Lets members in again.
  public func liftBan(of room: RoomID) async throws(Refusal) {
    try await ask(room) { try await $0.setBan(false, of: room) }
  }

  /// Closes a room for good: everybody is removed, and nobody comes in again. Its log stays readable for as long as the
  /// server keeps it (`keep.deleted`).
  public func close(_ room: RoomID) async throws(Refusal) {
    try await ask(room) { try await $0.delete(room) }
  }

  /// Any error of the work as a refusal, as HTTP answers it.
  private func ask<Value: Sendable>(
    _ room: RoomID? = nil, _ work: @Sendable (RestRoutes) async throws -> Value
  ) async throws(Refusal) -> Value {
    guard let routes = routes.withLock({ $0 }) else {
      throw Refusal(
        .goingAway, cause: "The server does not run.",
        cure: "Use its rooms from whenListening on, and until it ends.")
    }
    do {
      if let room { try await routes.refuseSpace(room) }
      return try await work(routes)
    } catch {
      throw RestError(of: error)?.refusal ?? Refusal(.internalFailure)
    }
  }
}
