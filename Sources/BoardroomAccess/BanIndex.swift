import BoardroomHosting
import BoardroomModel
import EventLogModel
import Synchronization

/// Who wants to come in, as far as a ban can tell.
package struct Visitor: Sendable, Hashable {
  /// The user, where it is known: what its token names, else what it said.
  var uid: String?
  var address: String?
  /// The hash of a token that names no user.
  var token: String?
  /// With what its token was made: a ban of any of them reaches it.
  var makers: [String] = []
}

/// What becomes of a visitor.
package enum BanAnswer: Sendable, Hashable {
  case open
  /// The link is banned: a stay that began with it may go on.
  case onlyResumes
  case closed
}

/// The bans in force, for joins and for HTTP (MOD-10): what the operators' log says, by what a ban may be keyed by. A look is a few
/// look-ups, however many bans there are.
package final class BanIndex: Sendable {
  /// What makes two bans one: users as MOD-8 compares them.
  package struct BanKey: Hashable, Sendable {
    var room: RoomID?
    var user: String?
    var address: String?
    var token: String?

    init(room: RoomID?, user: String?, address: String?, token: String? = nil) {
      (self.room, self.user, self.address, self.token) = (room, user, address, token)
    }

    package init(_ ban: Ban) {
      self.init(room: ban.room, user: ban.uid.map(UserName.key), address: ban.address, token: ban.token)
    }
  }

  private struct State {
    var bans: [UInt64: Ban] = [:]
    /// Under each key by which it may be found; a person has three at most.
    var numbers: [BanKey: [UInt64]] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// Takes over what the operators' log says now.
  func read(_ room: RoomState) {
    var found = State()
    for ban in room.bans.values {
      found.bans[ban.number] = ban
      for key in Self.keys(of: ban) { found.numbers[key, default: []].append(ban.number) }
    }
    let read = found
    state.withLock { $0 = read }
  }

  private static func keys(of ban: Ban) -> [BanKey] {
    guard ban.namesPerson else { return [BanKey(room: ban.room, user: nil, address: ban.address)] }
    let user = ban.uid.map { BanKey(room: ban.room, user: UserName.key($0), address: ban.address) }
    let tokens = [ban.token, ban.uid.map(AccessToken.hash(ofUser:))].compactMap { hash in
      hash.map { BanKey(room: ban.room, user: nil, address: ban.address, token: $0) }
    }
    return [user].compactMap(\.self) + tokens
  }

  var all: [Ban] { state.withLock { Array($0.bans.values) }.sorted { $0.number < $1.number } }

  /// What becomes of somebody who wants something of a room, or of the whole server (nil). Nobody but those who join is
  /// kept out because the whole room is banned (RP-9).
  package func answer(
    to visitor: Visitor, of room: RoomID?, isJoin: Bool, at now: Timestamp
  ) -> BanAnswer {
    state.withLock { state in
      guard !state.bans.isEmpty else { return .open }
      var answer = BanAnswer.open
      for key in Self.keys(visitor, room)
      where isJoin || key.user != nil || key.address != nil || key.token != nil {
        for number in state.numbers[key] ?? [] {
          guard let ban = state.bans[number] else { continue }
          // Under a hash stands who is meant by it already: the token, or the user that made it.
          let (uid, token) = key.token == nil ? (visitor.uid, visitor.token) : (ban.uid, ban.token)
          let covers = ban.covers(room: room, uid: uid, address: visitor.address, token: token, at: now)
          guard covers else { continue }
          guard key.token != nil else { return .closed }
          answer = .onlyResumes
        }
      }
      return answer
    }
  }

  /// Every key that fits: some of room, person and address, and at least one.
  private static func keys(_ visitor: Visitor, _ room: RoomID?) -> [BanKey] {
    var keys: [BanKey] = []
    for room in Set([room, nil]) {
      for address in Set([visitor.address, nil]) {
        if room != nil || address != nil { keys.append(BanKey(room: room, user: nil, address: address)) }
        if let uid = visitor.uid {
          keys.append(BanKey(room: room, user: UserName.key(uid), address: address))
        }
        for token in [visitor.token].compactMap(\.self) + visitor.makers {
          keys.append(BanKey(room: room, user: nil, address: address, token: token))
        }
      }
    }
    return keys
  }
}

/// Keeps the banned out of rooms and replays; all others come to the gate behind it.
package struct BanGate: Gatekeeper {
  let bans: BanIndex
  let gate: any Gatekeeper

  package init(bans: BanIndex, gate: any Gatekeeper) {
    self.bans = bans
    self.gate = gate
  }

  package func admit(_ hello: Hello, from address: String?, at now: Timestamp) throws(Refusal) -> Admission {
    var admission = try gate.admit(hello, from: address, at: now)
    let visitor = Visitor(
      uid: hello.place?.account ?? admission.uid ?? hello.uid, address: address, token: admission.tokenHash,
      makers: admission.makers)
    switch bans.answer(to: visitor, of: hello.room, isJoin: hello.replay == nil, at: now) {
    case .open: break
    case .onlyResumes where hello.resume != nil && hello.replay == nil: admission.onlyResumes = true
    case .onlyResumes, .closed: throw Refusal(.banned)
    }
    return admission
  }

  package func ticket(for session: SessionID, in room: RoomID) -> String {
    gate.ticket(for: session, in: room)
  }
  package func hostToken(of room: RoomID, at now: Timestamp) -> String? { gate.hostToken(of: room, at: now) }
}
