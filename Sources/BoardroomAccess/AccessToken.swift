import BoardroomHosting
import BoardroomModel
import Crypto
import EventLogModel

/// What a token opens (PARITY rows TK).
public enum TokenScope: Sendable, Hashable {
  /// The whole server, for a backend: `NETLESSSDK_`.
  case team
  /// One room: `NETLESSROOM_`.
  case room(RoomID)
  /// One account and its channels, in every service: `BOARDROOMACCOUNT_`.
  case account(String)
  /// One conversion task: `NETLESSTASK_`. Its form is checked; it opens nothing of this server.
  case task(String)

  var type: TokenType {
    switch self {
    case .team: .sdk
    case .room: .room
    case .account: .account
    case .task: .task
    }
  }
}

/// The type of a token: in the signed field `type`, and, not signed, in its prefix.
enum TokenType: String, Sendable, Hashable, CaseIterable {
  case sdk, room, task, account

  var prefix: String {
    switch self {
    case .sdk: "NETLESSSDK_"
    case .room: "NETLESSROOM_"
    case .task: "NETLESSTASK_"
    case .account: "BOARDROOMACCOUNT_"
    }
  }

  /// Compared byte for byte: canonically equivalent texts are different prefixes.
  static func of(_ text: String) -> TokenType? {
    allCases.first { text.utf8.starts(with: $0.prefix.utf8) }
  }
}

/// A token's content. Its text carries a signature made with the secret of the key pair that `keyID` names.
public struct AccessToken: Sendable, Hashable {
  public var scope: TokenScope
  public var role: Role
  /// The access key (`ak`).
  public var keyID: String
  /// The time from which on it opens nothing; nil: it never expires.
  public var expires: Timestamp?
  /// The token's own id, so that two tokens with equal content differ.
  public var nonce: String
  /// The user to whom a room token is bound: everybody who joins with it is this user (RIGHT-6). Nil: it is
  /// bound to nobody. Only room tokens have one.
  public var uid: String?
  /// The tokens with which it was made, the first one first: their hashes, or the hashes of the users to whom
  /// they were bound (MOD-9). Signed.
  package var makers: [String] = []
  /// Whether the signed part has the token's type. Tokens of this server have it. Those of the published
  /// issuers have not; their type follows from their map (RIGHT-2).
  var isTyped = true

  public init(
    scope: TokenScope, role: Role, keyID: String, expires: Timestamp?, nonce: String, uid: String? = nil
  ) {
    self.scope = scope
    self.role = role
    self.keyID = keyID
    self.expires = expires
    self.nonce = nonce
    self.uid = uid
  }

  /// A new token. `lifespan` in milliseconds; 0: no expiry.
  public init(
    scope: TokenScope, role: Role, keyID: String, lifespan: Int64, at now: Timestamp, uid: String? = nil
  ) {
    let expires = lifespan > 0 ? now + .milliseconds(lifespan) : nil
    self.init(
      scope: scope, role: role, keyID: keyID, expires: expires, nonce: TimeUUID.make(at: now), uid: uid)
  }

  /// The token's text, signed.
  public func signed(with secret: String) -> String {
    var fields = self.fields
    fields["sig"] = TokenText.hex(Self.signature(of: fields, secret))
    return scope.type.prefix + Base64URL.encode(TokenText.query(fields))
  }

  private var fields: [String: String] {
    var fields = ["ak": keyID, "nonce": nonce, "role": role.tokenText]
    if isTyped { fields["type"] = scope.type.rawValue }
    if !makers.isEmpty { fields["makers"] = makers.joined(separator: ".") }
    if let expires { fields["expireAt"] = String(expires.milliseconds) }
    switch scope {
    case .team: break
    case .room(let room):
      fields["uuid"] = room.description
      if let uid { fields["uid"] = uid }
    case .account(let name): fields["account"] = name
    case .task(let task): fields["uuid"] = task
    }
    return fields
  }

  private static func signature(
    of fields: [String: String], _ secret: String
  ) -> HMAC<SHA256>.MAC {
    HMAC<SHA256>.authenticationCode(
      for: TokenText.json(fields), using: SymmetricKey(data: Array(secret.utf8)))
  }
}

extension AccessToken {
  /// The longest token that is read. 6 KiB: a uid of 1,024 bytes takes 4 KiB if every byte is escaped, 8
  /// makers take 350 bytes, and the other fields 400.
  static let maximumLength = 6_144

  /// Reads a token and checks its signature, but neither time nor role. Compares the signature in constant
  /// time, also if the key is not known.
  public init(_ text: String, secret: (String) -> String?) throws(TokenError) {
    guard text.utf8.count <= Self.maximumLength, let type = TokenType.of(text),
      let bytes = Base64URL.decode(Substring(text.utf8.dropFirst(type.prefix.utf8.count))),
      var fields = TokenText.fields(ofQuery: bytes), Self.isPlain(bytes, fields)
    else { throw .invalidFormat }
    guard let given = fields.removeValue(forKey: "sig").flatMap(Self.bytes(ofHex:)) else {
      throw .invalidFormat
    }
    try self.init(prefix: type, fields: fields)
    let found = secret(keyID)
    let mac = Self.signature(of: fields, found ?? "no such key")
    let equal = SecretBytes.areEqual(Array(mac), given)
    guard equal, found != nil else { throw .invalidSignature }
  }

  /// One content has one text (RIGHT-3). A token with a type was made by this server, so it must be written
  /// as this server writes it. Published issuers differ in the order of the fields and in a few escapes.
  private static func isPlain(_ bytes: [UInt8], _ fields: [String: String]) -> Bool {
    fields["type"] == nil ? TokenText.isPlain(query: bytes) : TokenText.query(fields) == bytes
  }

  private init(prefix: TokenType, fields: [String: String]) throws(TokenError) {
    guard let keyID = fields["ak"], let nonce = fields["nonce"],
      let role = fields["role"].flatMap(Role.init(tokenText:))
    else { throw .invalidFormat }
    var expires: Timestamp?
    if let text = fields["expireAt"] {
      guard let milliseconds = Int64(text), milliseconds >= 0 else { throw .invalidFormat }
      expires = Timestamp(milliseconds: milliseconds)
    }
    let (type, uid) = (fields["type"], fields["uid"])
    let scope = try Self.scope(prefix, fields)
    guard type == nil || type == prefix.rawValue, uid == nil || prefix == .room, uid != "" else {
      throw .invalidFormat
    }
    self.init(scope: scope, role: role, keyID: keyID, expires: expires, nonce: nonce, uid: uid)
    makers = try Self.makers(fields["makers"])
    isTyped = type != nil
  }

  /// The scope from the signed map: a room or task, an account, or, if it names none of them, the whole team.
  /// The prefix is not signed, so it can never widen that scope.
  private static func scope(
    _ prefix: TokenType, _ fields: [String: String]
  ) throws(TokenError) -> TokenScope {
    switch (prefix, fields["uuid"], fields["account"]) {
    case (.sdk, nil, nil): return .team
    case (.room, let uuid?, nil):
      guard let room = RoomID(uuid) else { throw .invalidFormat }
      return .room(room)
    case (.task, let uuid?, nil): return .task(uuid)
    case (.account, nil, let account?): return .account(account)
    case (.sdk, _, _), (.room, _, _), (.task, _, _), (.account, _, _): throw .invalidFormat
    }
  }

  /// 64 lower-case hexadecimal digits.
  private static func bytes(ofHex text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count == 64, !digits.contains(where: { (0x41...0x5A).contains($0) }) else { return nil }
    let values = digits.compactMap(TokenText.hexDigit)
    guard values.count == 64 else { return nil }
    return stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  /// Whether the token has expired at this time; false if it never expires.
  public func hasExpired(at now: Timestamp) -> Bool { expires.map { $0 <= now } ?? false }
}

extension Role {
  /// `"0"` admin, `"1"` writer, `"2"` reader.
  public var tokenText: String {
    switch self {
    case .admin: "0"
    case .writer: "1"
    case .reader: "2"
    }
  }

  public init?(tokenText: String) {
    switch tokenText {
    case "0": self = .admin
    case "1": self = .writer
    case "2": self = .reader
    default: return nil
    }
  }
}
