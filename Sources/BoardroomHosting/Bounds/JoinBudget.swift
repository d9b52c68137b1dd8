import BoardroomModel
import EventLogModel
import Synchronization

/// Whoever shows a token, as bounds count it: the token's holder, and the place of the connection's address.
struct Claimant: Sendable, Hashable {
  /// Nothing is said of who it is: whatever shows no token of ours is one holder.
  var holder: Int
  /// Nil where it is not known, and for this machine's own addresses, which are not counted.
  var place: ClientAddress?

  init(_ entry: JoinAttempt) {
    self.init(holder: entry.admission.tokenID.hashValue, address: entry.connection.address)
  }

  init(holder: Int, address: String?) {
    self.holder = holder
    place = address.flatMap { ClientAddress($0) }.flatMap { $0.isThisMachine ? nil : $0.place }
  }
}

/// How many members came in lately, by token and by address (BOUND-4). Shared by all loops; a restart begins anew. The
/// tables have a fixed size: two tokens may share an entry, and nobody makes it grow.
final class JoinBudget: Sendable {
  private struct Minute {
    var began = Timestamp.zero
    var count = 0
  }

  private static let minute = Duration.seconds(60)

  private let ofToken: Int
  private let ofAddress: Int
  private let tokens: Mutex<SharedTable<Minute>>
  private let addresses: Mutex<SharedTable<Minute>>

  /// Members a minute; 0: no limit.
  init(ofToken: Int, ofAddress: Int) {
    self.ofToken = ofToken
    self.ofAddress = ofAddress
    tokens = Mutex(SharedTable(empty: Minute()))
    addresses = Mutex(SharedTable(empty: Minute()))
  }

  /// Takes one; why not, if it is one too many.
  func refusal(_ claimant: Claimant, at now: Timestamp) -> Refusal? {
    guard tokens.withLock({ Self.take(ofToken, &$0[claimant.holder], at: now) }) else {
      return Self.tooMany(ofToken, "joins.token")
    }
    guard let place = claimant.place else { return nil }
    guard addresses.withLock({ Self.take(ofAddress, &$0[place.hashValue], at: now) }) else {
      return Self.tooMany(ofAddress, "joins.address")
    }
    return nil
  }

  private static func take(_ allowed: Int, _ minute: inout Minute, at now: Timestamp) -> Bool {
    guard allowed > 0 else { return true }
    // A clock that stepped back begins anew, too.
    if now >= minute.began + Self.minute || now < minute.began { minute = Minute(began: now) }
    guard minute.count < allowed else { return false }
    minute.count += 1
    return true
  }

  private static func tooMany(_ allowed: Int, _ limit: String) -> Refusal {
    Refusal(
      .rateLimited, cause: "Too many members came in within a minute.",
      cure: "Come back later, with the session if there was one: going on with a stay costs nothing.",
      actual: allowed + 1, allowed: allowed, limit: limit)
  }
}

/// How many replays somebody has open (BOUND-5). Shared by all loops.
final class ReplayShares: Sendable {
  private struct Counts {
    var tokens = SharedTable(empty: 0)
    var addresses = SharedTable(empty: 0)
  }

  private let ofToken: Int
  private let ofAddress: Int
  private let counts = Mutex(Counts())

  /// Replays at once; 0: no limit.
  init(ofToken: Int, ofAddress: Int) {
    self.ofToken = ofToken
    self.ofAddress = ofAddress
  }

  /// Takes one; why not, if it is one too many. What was taken has to be given back.
  func refusal(_ claimant: Claimant) -> Refusal? {
    counts.withLock { counts in
      if ofToken > 0, counts.tokens[claimant.holder] >= ofToken {
        return Self.tooMany(ofToken, "replay.token")
      }
      if ofAddress > 0, let place = claimant.place, counts.addresses[place.hashValue] >= ofAddress {
        return Self.tooMany(ofAddress, "replay.address")
      }
      counts.tokens[claimant.holder] += 1
      if let place = claimant.place { counts.addresses[place.hashValue] += 1 }
      return nil
    }
  }

  func giveBack(_ claimant: Claimant) {
    counts.withLock { counts in
      counts.tokens[claimant.holder] -= 1
      if let place = claimant.place { counts.addresses[place.hashValue] -= 1 }
    }
  }

  private static func tooMany(_ allowed: Int, _ limit: String) -> Refusal {
    Refusal(
      .rateLimited, cause: "There are as many replays of this token or address as the limit allows.",
      cure: "Close those that are not watched, watch one as a group, or come back later.",
      actual: allowed + 1, allowed: allowed, limit: limit)
  }
}

/// Entries found by the hash of what they are of: 16,384 of them, however many ask.
struct SharedTable<Entry> {
  private static var size: Int { 16_384 }
  private var entries: [Entry]

  init(empty: Entry) { entries = Array(repeating: empty, count: Self.size) }

  subscript(hash: Int) -> Entry {
    get { entries[Self.place(hash)] }
    _modify { yield &entries[Self.place(hash)] }
  }

  private static func place(_ hash: Int) -> Int {
    Int(truncatingIfNeeded: UInt(bitPattern: hash) % UInt(size))
  }
}
