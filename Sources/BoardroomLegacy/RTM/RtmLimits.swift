import BoardroomClient
import BoardroomCore
import BoardroomModel
import EventLogModel

/// How often RTM lets an app call (PARITY rows RTML, RTMX), and its sizes. Checked before anything goes out.
struct RtmLimits {
  private static let space = SpaceLimits.of(.rtm)
  static let channels = AccountPolicy.channels(of: .rtm)
  static let idBytes = space.account
  static let messageBytes = space.text
  static let invitationBytes = space.extra
  static let attributeBytes = space.value
  static let keyBytes = space.name
  static let items = AccountPolicy.attributes(of: .rtm).count
  static let userAttributes = AccountPolicy.attributes(of: .rtm).bytes
  static let channelAttributes = space.total
  static let statusIds = 256
  /// Above it who comes and goes is not told.
  static let noticedMembers = 512

  var login = RateWindow(2, in: .seconds(1))
  var join = RateWindow(50, in: .seconds(3))
  /// Of each channel.
  var joinSame: [String: RateWindow] = [:]
  var send = RateWindow(180, in: .seconds(3))
  var members = RateWindow(5, in: .seconds(2))
  var set = RateWindow(10, in: .seconds(5))
  var get = RateWindow(40, in: .seconds(5))

  mutating func mayJoin(_ channel: String, at now: Timestamp) -> Bool {
    var same = joinSame[channel] ?? RateWindow(2, in: .seconds(5))
    let may = same.takeOne(at: now) && join.takeOne(at: now)
    joinSame = joinSame.filter { !$0.value.isQuiet(at: now) }
    joinSame[channel] = same
    return may
  }

  static func isGoodId(_ id: String) -> Bool {
    (1...idBytes).contains(id.utf8.count) && id.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }

  /// Why these attributes are too much, if they are.
  static func obstacle(_ attributes: [String: String?], total: Int) -> RtmErrorCode? {
    guard attributes.count <= items else { return .tooMany }
    var bytes = 0
    for (key, value) in attributes {
      let (keyBytes, valueBytes) = (key.utf8.count, value?.utf8.count ?? 0)
      guard (1...Self.keyBytes).contains(keyBytes) else { return .invalidArgument }
      guard valueBytes <= attributeBytes else { return .messageTooLong }
      bytes += keyBytes + valueBytes
    }
    return bytes <= total ? nil : .messageTooLong
  }
}

/// So many in any stretch of this length.
struct RateWindow {
  private let limit: Int
  private let length: Duration
  private var times: [Timestamp] = []

  init(_ limit: Int, in length: Duration) { (self.limit, self.length) = (limit, length) }

  /// Takes one if there is one left.
  mutating func takeOne(at now: Timestamp) -> Bool {
    times.removeAll { $0 + length <= now }
    guard times.count < limit else { return false }
    times.append(now)
    return true
  }

  func isQuiet(at now: Timestamp) -> Bool { times.allSatisfy { $0 + length <= now } }
}
