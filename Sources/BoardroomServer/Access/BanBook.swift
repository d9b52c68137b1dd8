import BoardroomModel
import EventLogModel
import Synchronization

extension RoomID {
  /// The log of the operators' own decisions. A name that no room has: it cannot be joined, and is not listed.
  public static let operators = RoomID(high: 0, low: 0)
}

extension Ban {
  /// Whether it is about this one at all, whatever the time.
  func keys(room: RoomID, uid: String?, address: String?) -> Bool {
    var lasting = self
    lasting.until = nil
    return lasting.covers(room: room, uid: uid, address: address, at: .zero)
  }
}

/// The bans in force, for the door: what the operators' log says, by what a ban may be keyed by. A look is a few
/// look-ups, however many bans there are.
final class BanBook: Sendable {
  struct Key: Hashable, Sendable {
    var room: RoomID?
    var uid: String?
    var address: String?
  }

  private let bans = Mutex<[Key: Ban]>([:])

  /// Takes over what the operators' log says now.
  func read(_ state: RoomState) {
    let found = state.bans.values.map { (Key($0), $0) }
    bans.withLock { $0 = Dictionary(found) { $0.number > $1.number ? $0 : $1 } }
  }

  /// The ban of exactly these keys, if there is one.
  func ban(_ key: Key) -> Ban? { bans.withLock { $0[key] } }

  var all: [Ban] { bans.withLock { Array($0.values) }.sorted { $0.number < $1.number } }

  /// Whether someone is kept out now.
  func keepsOut(_ uid: String?, from address: String?, of room: RoomID, at now: Timestamp) -> Bool {
    bans.withLock { bans in
      guard !bans.isEmpty else { return false }
      return Key.all(room: room, uid: uid, address: address).contains { key in
        bans[key]?.covers(room: room, uid: uid, address: address, at: now) ?? false
      }
    }
  }
}

extension BanBook.Key {
  init(_ ban: Ban) { self.init(room: ban.room, uid: ban.uid, address: ban.address) }

  /// Every key that fits: some of room, uid and address, and at least one.
  fileprivate static func all(room: RoomID, uid: String?, address: String?) -> [Self] {
    var keys: [Self] = []
    for room in [room, nil] {
      for uid in Set([uid, nil]) {
        for address in Set([address, nil]) where room != nil || uid != nil || address != nil {
          keys.append(Self(room: room, uid: uid, address: address))
        }
      }
    }
    return keys
  }
}

/// Keeps the banned out; all others come to the gate behind it.
struct BanGate: Gatekeeper {
  let bans: BanBook
  let gate: any Gatekeeper

  func admit(_ hello: Hello, from address: String?, at now: Timestamp) throws(Refusal) -> Admission {
    let admission = try gate.admit(hello, from: address, at: now)
    let user = hello.place?.account ?? admission.uid ?? hello.uid
    guard !bans.keepsOut(user, from: address, of: hello.room, at: now) else {
      throw Refusal(.banned)
    }
    return admission
  }

  func ticket(for session: SessionID, in room: RoomID) -> String { gate.ticket(for: session, in: room) }
}
