import BoardroomHosting
import BoardroomModel
import EventLogModel
import Synchronization

/// The facts about a visitor that bans are compared with.
package struct Visitor: Sendable, Hashable {
  /// The user, if known: the uid of its token, else the uid that it claims.
  var uid: String?
  var address: String?
  /// The hash of a token that names no user.
  var token: String?
  /// The makers of its token: a ban of any of them bans the visitor.
  var makers: [String] = []
}

/// Whether a visitor may come in.
package enum BanAnswer: Sendable, Hashable {
  case open
  /// Its link is banned: it may not join, but may resume a stay that began with the link.
  case onlyResumes
  case closed
}

/// The bans in force, for joins and for HTTP (MOD-10), from the operators' log. They are indexed by their
/// keys, so that a check costs a few look-ups, however many bans there are.
package final class BanIndex: Sendable {
  /// The key of a ban; two bans with the same key are one. Users are compared as MOD-8 says.
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
    /// That of the operators' log.
    var revision = Revision.zero
    var bans: [UInt64: Ban] = [:]
    /// Numbers of bans by key; a person has at most three keys.
    var numbers: [BanKey: [UInt64]] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// Reads the bans of the operators' log again.
  func read(_ room: RoomState) { take(BanList(revision: room.revision, bans: Array(room.bans.values))) }

  /// All bans, as the operators' log has them at a revision. Returns those that are new, or have another end.
  @discardableResult
  func take(_ list: BanList) -> [Ban] {
    var found = State(revision: list.revision)
    for ban in list.bans {
      found.bans[ban.number] = ban
      for key in Self.keys(of: ban) { found.numbers[key, default: []].append(ban.number) }
    }
    let read = found
    let before = state.withLock { state in
      defer { state = read }
      return state.bans
    }
    return list.bans.filter { before[$0.number] != $0 }
  }

  package var list: BanList { state.withLock { BanList(revision: $0.revision, bans: Array($0.bans.values)) } }

  private static func keys(of ban: Ban) -> [BanKey] {
    guard ban.namesPerson else { return [BanKey(room: ban.room, user: nil, address: ban.address)] }
    let user = ban.uid.map { BanKey(room: ban.room, user: UserName.key($0), address: ban.address) }
    let tokens = [ban.token, ban.uid.map(AccessToken.hash(ofUser:))].compactMap { hash in
      hash.map { BanKey(room: ban.room, user: nil, address: ban.address, token: $0) }
    }
    return [user].compactMap(\.self) + tokens
  }

  var all: [Ban] { state.withLock { Array($0.bans.values) }.sorted { $0.number < $1.number } }

  /// Whether a visitor may use a room, or the whole server (`room` nil). A ban of the whole room keeps only
  /// joins out (RP-9).
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
          // A hash as key already says who is meant: the token, or the user that made it.
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

  /// All keys that can fit: any combination of room, person and address, with at least one of them.
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

/// Keeps banned visitors out of rooms and replays. All others go on to the next gatekeeper.
package struct BanGate: Gatekeeper {
  let bans: BanIndex
  let gate: any Gatekeeper

  package init(bans: BanIndex, gate: any Gatekeeper) {
    self.bans = bans
    self.gate = gate
  }

  package func admit(_ hello: Hello, from address: String?, at now: Timestamp) throws(Refusal) -> Admission {
    try screen(try gate.admit(hello, from: address, at: now), of: hello, from: address, at: now)
  }

  /// Bans are looked up when the next gatekeeper has decided: one that is set meanwhile counts.
  package func decide(_ hello: Hello, from address: String?, at now: Timestamp) -> EntryDecision {
    switch gate.decide(hello, from: address, at: now) {
    case .refused(let refusal): return .refused(refusal)
    case .pending(let work):
      return .pending { () async throws(Refusal) in
        try screen(try await work(), of: hello, from: address, at: now)
      }
    case .admitted(let admission):
      do throws(Refusal) {
        return .admitted(try screen(admission, of: hello, from: address, at: now))
      } catch {
        return .refused(error)
      }
    }
  }

  private func screen(
    _ admission: Admission, of hello: Hello, from address: String?, at now: Timestamp
  ) throws(Refusal) -> Admission {
    var admission = admission
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
