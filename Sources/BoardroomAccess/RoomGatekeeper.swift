import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel

/// What somebody wants to do, with everything by which a gatekeeper can decide.
public struct AccessRequest: Sendable, Hashable {
  /// What the caller showed: the token of the hello, of the header `token`, or of `Authorization: Bearer`. Empty:
  /// nothing. Any text of any length that one message or one head of a request can have.
  public var credential: String
  /// `joinReadOnly` for a join over the WebSocket and `replay` for watching a replay; over HTTP that of the route.
  public var action: Action
  /// The room; nil if the action is not about one room.
  public var room: RoomID?
  /// For the services with accounts: the account, and the channel if there is one. The room is nil then.
  public var place: Place?
  /// Who the client says that it is, unchecked; nil over HTTP.
  public var uid: String?
  /// The client's IP address; nil if it is not known.
  public var address: String?
  /// The server's time.
  public var time: Timestamp

  public init(
    credential: String, action: Action, room: RoomID? = nil, place: Place? = nil, uid: String? = nil,
    address: String? = nil, time: Timestamp
  ) {
    self.credential = credential
    self.action = action
    self.room = room
    self.place = place
    self.uid = uid
    self.address = address
    self.time = time
  }
}

/// What a gatekeeper allows. It holds for the request that was asked about, and for its room only.
public struct AccessGrant: Sendable, Hashable {
  /// What the caller may do, by the table of `Action`: a reader's grant lets nobody write, whatever was asked.
  public var role: Role
  /// The user that the caller is, in the room's log, too; nil: whoever it says. A caller that says that it is
  /// somebody else is refused. 1 to 1,024 bytes.
  public var uid: String?
  /// Whether the caller has the role in the whole server, as with an SDK token: to make rooms, to list them.
  public var isOfTeam: Bool
  /// When the grant ends; nil: never. A member stays in a room, a login of an account ends.
  public var expires: Timestamp?
  /// What is the same for all uses of one credential, by which limits and bans know a caller without `uid`; not the
  /// credential itself. Empty: nothing is.
  public var id: String
  /// The token of this server that it came from.
  var token: AccessToken?

  public init(
    role: Role, uid: String? = nil, isOfTeam: Bool = false, expires: Timestamp? = nil, id: String = ""
  ) {
    self.role = role
    self.uid = uid
    self.isOfTeam = isOfTeam
    self.expires = expires
    self.id = id
  }
}

/// Decides who may enter and who may ask what: what a back end implements that embeds the server and knows its own
/// users. It is asked for each join and for each request over HTTP that needs a token.
///
/// It can only refuse more than the server does: bans, limits and the table of `Action` hold all the same. An error, of
/// whatever type, is a refusal, and so is no answer within the setting `hello` (5 s). `TokenGatekeeper` is the usual one;
/// another one can pass on to it what it does not know, such as the tokens that `HostedRooms.token` makes.
public protocol RoomGatekeeper: Sendable {
  /// Called in a task of its own, many at once; the task is cancelled when nobody waits for the answer any more.
  ///
  /// - Throws: a `Refusal` that the caller is told as it is; a `TokenError`, likewise; any other error is written to
  ///   the log by its type, and the caller is told nothing of it.
  func grant(_ request: AccessRequest) async throws -> AccessGrant
}

extension TokenGatekeeper: RoomGatekeeper {
  /// What the token of this server allows that was shown.
  public func grant(_ request: AccessRequest) async throws -> AccessGrant {
    if let place = request.place {
      let admission = try admit(request.credential, to: place, at: request.time)
      if request.action == .replay, place.channel != nil { try allowReplay(request.credential) }
      let token = try? AccessToken(request.credential, secret: keys.secret(of:))
      return AccessGrant(
        role: admission.role, isOfTeam: token?.scope == .team, expires: admission.expires,
        id: admission.tokenID)
    }
    let permission = Permission(request.action, room: request.room)
    let token = try keys.admit(request.credential, for: permission, at: request.time)
    var grant = AccessGrant(
      role: token.role, uid: token.uid, isOfTeam: token.scope == .team, expires: token.expires,
      id: token.nonce)
    grant.token = token
    return grant
  }
}

/// Asks a back end's gatekeeper, for joins and for HTTP, and lets nobody in without its word.
package struct AskingGate: Gatekeeper {
  private let gatekeeper: any RoomGatekeeper
  /// Signs tickets.
  private let tickets: TokenGatekeeper
  private let patience: Duration
  private let failed: @Sendable (any Error) -> Void

  /// - Parameters:
  ///   - keys: by which tickets are signed.
  ///   - patience: how long an answer may take.
  ///   - failed: hears of errors that are no refusals.
  package init(
    _ gatekeeper: any RoomGatekeeper, keys: KeyRing, patience: Duration,
    failed: @escaping @Sendable (any Error) -> Void
  ) {
    self.gatekeeper = gatekeeper
    tickets = TokenGatekeeper(keys: keys)
    self.patience = patience
    self.failed = failed
  }

  /// Refuses: only `decide` can ask.
  package func admit(_ hello: Hello, from address: String?, at now: Timestamp) throws(Refusal) -> Admission {
    throw Self.noAnswer
  }

  package func decide(_ hello: Hello, from address: String?, at now: Timestamp) -> EntryDecision {
    .pending { () async throws(Refusal) in try await admission(hello, from: address, at: now) }
  }

  package func ticket(for session: SessionID, in room: RoomID) -> String {
    tickets.ticket(for: session, in: room)
  }

  /// What a request over HTTP may do, as a token that is good for this request.
  package func token(for request: AccessRequest) async throws(Refusal) -> AccessToken {
    try token(of: try await ask(request), for: request)
  }

  private func admission(
    _ hello: Hello, from address: String?, at now: Timestamp
  ) async throws(Refusal) -> Admission {
    let action: Action = hello.replay == nil ? .joinReadOnly : .replay
    let request = AccessRequest(
      credential: hello.token, action: action, room: hello.place == nil ? hello.room : nil,
      place: hello.place, uid: hello.uid, address: address, time: now)
    let grant = try await ask(request)
    var admission = Admission(role: grant.role, uid: grant.uid, tokenID: grant.id, expires: grant.expires)
    if let place = hello.place {
      // ACC-17: only administrators may read what was said in a channel.
      guard action != .replay || place.channel == nil || (grant.isOfTeam && grant.role == .admin) else {
        throw TokenError.teamForbidden.refusal
      }
      // An account has no user beside it.
      admission.uid = nil
      return admission
    }
    // Rooms do not mind the end of a token (PARITY rows TK).
    admission.expires = nil
    let token = try token(of: grant, for: request)
    admission.tokenHash = grant.uid == nil && !grant.id.isEmpty ? token.hash : nil
    admission.makers = token.makers
    return admission
  }

  /// The grant as a token: the rest of the server knows callers by theirs. Throws if the table of `Action` does not
  /// allow with it what was asked.
  private func token(of grant: AccessGrant, for request: AccessRequest) throws(Refusal) -> AccessToken {
    let id = grant.id.isEmpty ? TimeUUID.make(at: request.time) : grant.id
    do throws(TokenError) {
      let scope = try Self.scope(of: grant, for: request)
      var token = AccessToken(
        scope: scope, role: grant.role, keyID: grant.token?.keyID ?? "", expires: grant.expires, nonce: id,
        uid: grant.uid)
      token.makers = grant.token?.makers ?? []
      try Permission(request.action, room: request.room).check(token)
      return token
    } catch {
      throw error.refusal
    }
  }

  private static func scope(
    of grant: AccessGrant, for request: AccessRequest
  ) throws(TokenError) -> TokenScope {
    if grant.isOfTeam { return .team }
    // A token is for the room that it names, also where a gatekeeper answers with one that it got for another room.
    if let token = grant.token, token.scope != .team { return token.scope }
    guard let room = request.room else { throw .teamForbidden }
    return .room(room)
  }

  // MARK: Asking

  private func ask(_ request: AccessRequest) async throws(Refusal) -> AccessGrant {
    let grant: AccessGrant
    do {
      grant = try await firstAnswer(to: request).get()
      guard grant.expires.map({ request.time < $0 }) ?? true else { throw TokenError.expired }
      if let uid = grant.uid { try BoundUser.check(uid) }
      try TokenGatekeeper.check(grant.uid, against: request.uid)
    } catch let refusal as Refusal {
      throw refusal
    } catch let error as TokenError {
      throw error.refusal
    } catch {
      failed(error)
      throw Refusal(
        .internalFailure, cause: "The gatekeeper of this server failed.",
        cure: "Try again later; its operator finds the error in the log.")
    }
    return grant
  }

  private static let noAnswer = Refusal(
    .timeout, cause: "It was not decided in time whether this is allowed.", cure: "Try again later.")

  /// What the gatekeeper says, or that the time is over. A gatekeeper that never answers keeps nobody waiting.
  private func firstAnswer(to request: AccessRequest) async -> Result<AccessGrant, any Error> {
    let (answers, answer) = AsyncStream<Result<AccessGrant, any Error>>.makeStream()
    let asking = Task { [gatekeeper] in
      do {
        answer.yield(.success(try await gatekeeper.grant(request)))
      } catch {
        answer.yield(.failure(error))
      }
    }
    let waiting = Task { [patience] in
      try await Task.sleep(for: patience)
      answer.yield(.failure(Self.noAnswer))
    }
    defer {
      asking.cancel()
      waiting.cancel()
    }
    // Nil: the caller itself was cancelled.
    return await answers.first { _ in true } ?? .failure(Self.noAnswer)
  }
}
