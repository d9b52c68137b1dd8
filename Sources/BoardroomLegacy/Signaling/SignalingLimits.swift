import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomModel

/// Sizes and names of Signaling (PARITY rows SIGL), checked before anything goes out, as the server does.
enum SignalingLimits {
  /// Of accounts, channels and names of attributes, in bytes.
  static let name = SpaceLimits.of(.signaling).account
  static let value = SpaceLimits.of(.signaling).value
  /// Of a message and of an invitation's extra.
  static let text = SpaceLimits.of(.signaling).text
  static let userList = 200
  static let userListAll = 1_000_000
  /// Seconds that an invitation's `_timeout` can say.
  static let inviteTimeout = 30
  /// What login2 does unless told otherwise.
  static let loginTime = 30
  static let loginTries = 15

  /// Of accounts, channels and attributes: visible characters, no spaces (X-24), 1 to 128 bytes.
  static func obstacle(toName name: String) -> SignalingCode? {
    guard name.utf8.count <= Self.name else { return .largeParam }
    let isVisible = name.unicodeScalars.allSatisfy { scalar in
      scalar.value > 0x20 && scalar.value != 0x7f && !scalar.properties.isWhitespace
    }
    return name.isEmpty || !isVisible ? .wrongParam : nil
  }

  private static let userNames: Set = [BuiltIn.connectionTimeout]
  /// `_member_num` and `_total_member_num` are the system's.
  private static let channelNames: Set = [
    BuiltIn.userNotification, BuiltIn.channelTTL, BuiltIn.autoUpdate, BuiltIn.autoUpdateTotal,
    BuiltIn.messageLimit, BuiltIn.attributeLimit,
  ]

  static func obstacle(toAttribute name: String, value: String?, ofChannel: Bool) -> SignalingCode? {
    if let obstacle = obstacle(toName: name) { return obstacle }
    if BuiltIn.isReserved(name), !(ofChannel ? channelNames : userNames).contains(name) { return .wrongParam }
    return value?.utf8.count ?? 0 <= Self.value ? nil : .largeParam
  }

  static func obstacle(toText text: String) -> SignalingCode? {
    text.utf8.count <= Self.text ? nil : .largeParam
  }

  /// What an invitation or an answer to one brings along: a JSON object, or nothing.
  static func object(_ extra: String) throws(SignalingCode) -> JSONValue? {
    if let obstacle = obstacle(toText: extra) { throw obstacle }
    guard !extra.isEmpty else { return nil }
    guard let parsed = try? JSONValue.parse(Array(extra.utf8)), parsed.object != nil else {
      throw .wrongParam
    }
    return parsed
  }

  static func isTones(_ digits: String) -> Bool {
    (1...AccountPolicy.digits).contains(digits.utf8.count)
      && digits.utf8.allSatisfy { "0123456789*#".utf8.contains($0) }
  }
}

/// What an invitation's extra asks of the server (PARITY rows SIG-I, SIGI).
struct SignalingInviteOptions {
  var needsPeer = false
  var timeout: Duration?

  init() {}

  /// Empty, or a JSON object. Telephone calls do not need the peer (SIG-I8).
  init(_ extra: String) throws(SignalingCode) {
    guard let parsed = try SignalingLimits.object(extra) else { return }
    needsPeer = Self.number(parsed["_require_peer_online"]) == 1 && parsed["srcNum"] == nil
    guard let given = parsed["_timeout"] else { return }
    guard let seconds = Self.number(given), seconds >= 0 else { throw .wrongParam }
    if seconds > 0 { timeout = .seconds(min(seconds, SignalingLimits.inviteTimeout)) }
  }

  /// Apps write numbers as numbers and as texts.
  private static func number(_ value: JSONValue?) -> Int? { value?.int ?? value?.string.flatMap { Int($0) } }
}

/// The version as Signaling counts it: 1, then two digits each of the first three numbers, three of the last (SIG-10).
enum SignalingVersion {
  /// Of this SDK.
  static let own = encode(0, 4, 0, 0)

  static func encode(_ first: Int, _ second: Int, _ third: Int, _ fourth: Int) -> Int {
    (((100 + first) * 100 + second) * 100 + third) * 1_000 + fourth
  }
}
