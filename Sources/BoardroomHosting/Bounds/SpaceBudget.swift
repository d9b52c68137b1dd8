import BoardroomModel
import EventLogModel
import Synchronization

/// A space that is made if it is not there.
struct NewSpace: Sendable {
  var name: SpaceName
  /// Nil: the server itself wants it.
  var payer: SpaceBudget.Payer?
}

/// How many accounts and channels somebody has made lately. Their logs stay, so nobody makes them without end. Shared by
/// all loops; a restart begins anew.
package final class SpaceBudget: Sendable {
  /// Who has a space made.
  package struct Payer: Sendable, Hashable, Codable {
    package var account: String
    /// Nil where it is not known.
    package var address: String?

    package init(account: String, address: String?) {
      (self.account, self.address) = (account, address)
    }
  }

  private enum QuotaKey: Hashable {
    case account(String)
    case address(ClientAddress)
  }

  private struct CreationMinute {
    var began: Timestamp
    var count = 0
  }

  private static let minute = Duration.seconds(60)
  /// So many are kept before those of past minutes are forgotten. 10,000: a megabyte.
  private static let kept = 10_000

  private let ofAccount: Int
  private let ofAddress: Int
  private let minutes = Mutex<[QuotaKey: CreationMinute]>([:])

  /// Spaces a minute; 0: no limit.
  init(ofAccount: Int, ofAddress: Int) {
    self.ofAccount = ofAccount
    self.ofAddress = ofAddress
  }

  /// Takes one; why not, if it is one too many. This machine's own addresses are not counted, as with connections.
  func refusal(_ payer: Payer, at now: Timestamp) -> Refusal? {
    let place = payer.address.flatMap { ClientAddress($0) }.flatMap { $0.isThisMachine ? nil : $0.place }
    return minutes.withLock { minutes in
      if minutes.count >= Self.kept { minutes = minutes.filter { now < $0.value.began + Self.minute } }
      if !Self.take(.account(payer.account), ofAccount, &minutes, at: now) {
        return Self.tooMany(ofAccount, "spaces.account")
      }
      if let place, !Self.take(.address(place), ofAddress, &minutes, at: now) {
        return Self.tooMany(ofAddress, "spaces.address")
      }
      return nil
    }
  }

  private static func take(
    _ key: QuotaKey, _ allowed: Int, _ minutes: inout [QuotaKey: CreationMinute], at now: Timestamp
  ) -> Bool {
    guard allowed > 0 else { return true }
    var minute = minutes[key] ?? CreationMinute(began: now)
    // A clock that stepped back begins anew, too.
    if now >= minute.began + Self.minute || now < minute.began { minute = CreationMinute(began: now) }
    guard minute.count < allowed else { return false }
    minute.count += 1
    minutes[key] = minute
    return true
  }

  private static func tooMany(_ allowed: Int, _ limit: String) -> Refusal {
    Refusal(
      .rateLimited, cause: "Too many accounts and channels were made within a minute.",
      cure: "Use those that are there, or wait.", actual: allowed + 1, allowed: allowed, limit: limit)
  }
}
