import EventLogModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// When the token of a link ends, and when another one is asked for. Pure: it is given the time.
public struct TokenRenewal: Sendable {
  /// How long before its end a token is replaced; at half of the time that is left, if that is less than twice as long.
  /// 60 s: time for several answers of a backend, and little of a usual token's life.
  public static let margin = Duration.seconds(60)
  /// The least time between two questions to one provider.
  public static let pause = Duration.seconds(1)

  /// By the server's clock; nil: the token does not say, or never ends.
  private var expires: Timestamp?
  /// By how much the server's clock is ahead of ours.
  private var serverAhead = Duration.zero
  private var renewalDue: Timestamp?
  /// When the token is to be taken to the server over another socket; nil: the next attempt is early enough.
  var carryingDue: Timestamp?
  /// Whether the app was told that the present token is about to end.
  var isToldOf = false
  private(set) var isAsking = false
  private var nextAsk = Timestamp.zero

  init() {}

  var due: Timestamp? { [renewalDue, carryingDue].compactMap(\.self).min() }

  /// Another token counts, or the same one again.
  mutating func plan(_ token: String, isNew: Bool, at now: Timestamp) {
    if isNew { isToldOf = false }
    expires = Self.expiry(of: token)
    renewalDue = nextRenewal(at: now)
  }

  /// The server has said what time it is.
  mutating func follow(serverTime: Timestamp, at now: Timestamp) {
    serverAhead = serverTime - now
    if renewalDue != nil { renewalDue = nextRenewal(at: now) }
  }

  /// Whether it is time to ask for another token.
  mutating func takeRenewal(at now: Timestamp) -> Bool {
    guard let time = renewalDue, time <= now else { return false }
    renewalDue = now < nextAsk ? nextAsk : nil
    return renewalDue == nil
  }

  /// False: an answer is under way, or the last question was a moment ago.
  mutating func beginAsking(at now: Timestamp) -> Bool {
    guard !isAsking, now >= nextAsk else { return false }
    isAsking = true
    nextAsk = now + Self.pause
    return true
  }

  /// An answer has come. If it was none, what is left of the present token's life is halved.
  mutating func noteAnswer(at now: Timestamp) {
    isAsking = false
    renewalDue = nextRenewal(at: now)
  }

  /// The stay is over.
  mutating func stop() { (expires, renewalDue, carryingDue) = (nil, nil, nil) }

  private func nextRenewal(at now: Timestamp) -> Timestamp? {
    guard let expires else { return nil }
    let left = expires - now - serverAhead
    guard left > Self.pause else { return nil }
    return now + max(left - Self.margin, left / 2)
  }

  // MARK: What a token says

  /// The longest token that is read: as long as the server reads.
  private static let longestToken = 6_144

  /// When it ends, as its text says; nil: it does not. Only the server checks whether that is true.
  static func expiry(of token: String) -> Timestamp? {
    guard token.utf8.count <= longestToken, let mark = token.firstIndex(of: "_") else { return nil }
    var text = token[token.index(after: mark)...].replacing("-", with: "+").replacing("_", with: "/")
    text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard let query = Data(base64Encoded: String(text)) else { return nil }
    for field in String(decoding: query, as: UTF8.self).split(separator: "&") {
      let parts = field.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0] == "expireAt" else { continue }
      guard let milliseconds = Int64(parts[1]), (0...latest).contains(milliseconds) else { return nil }
      return Timestamp(milliseconds: milliseconds)
    }
    return nil
  }

  /// 1 January 10000: what is later is no time.
  private static let latest: Int64 = 253_402_300_800_000
}
