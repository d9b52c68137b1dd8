import BoardroomModel
import Crypto
import EventLogModel

/// What a token is good for (specification 4.3).
public enum TokenScope: Sendable, Hashable {
  /// The whole server, as a backend uses it: `NETLESSSDK_`.
  case team
  /// One room: `NETLESSROOM_`.
  case room(RoomID)
  /// One account and its channels, in every service: `BOARDROOMACCOUNT_`.
  case account(String)
  /// One conversion task: `NETLESSTASK_`. Checked for its form; nothing here is opened by it.
  case task(String)

  var prefix: String {
    switch self {
    case .team: "NETLESSSDK_"
    case .room: "NETLESSROOM_"
    case .account: "BOARDROOMACCOUNT_"
    case .task: "NETLESSTASK_"
    }
  }
}

/// A token's content. Its text carries a signature made with the secret of the key pair that `keyID` names.
public struct AccessToken: Sendable, Hashable {
  public var scope: TokenScope
  public var role: Role
  /// The access key (`ak`).
  public var keyID: String
  /// From then on it opens nothing; nil: it never expires.
  public var expires: Timestamp?
  /// Makes two tokens of equal content differ: the token's own id.
  public var nonce: String

  public init(scope: TokenScope, role: Role, keyID: String, expires: Timestamp?, nonce: String) {
    self.scope = scope
    self.role = role
    self.keyID = keyID
    self.expires = expires
    self.nonce = nonce
  }

  /// A new token. `lifespan` in milliseconds; 0: no expiry.
  public init(scope: TokenScope, role: Role, keyID: String, lifespan: Int64, at now: Timestamp) {
    let expires = lifespan > 0 ? now + .milliseconds(lifespan) : nil
    self.init(scope: scope, role: role, keyID: keyID, expires: expires, nonce: TimeUUID.make(at: now))
  }

  /// The token's text, signed.
  public func signed(with secret: String) -> String {
    var fields = self.fields
    fields["sig"] = TokenText.hex(Self.signature(of: fields, secret))
    return scope.prefix + Base64URL.encode(TokenText.query(fields))
  }

  private var fields: [String: String] {
    var fields = ["ak": keyID, "nonce": nonce, "role": role.tokenText]
    if let expires { fields["expireAt"] = String(expires.milliseconds) }
    switch scope {
    case .team: break
    case .room(let room): fields["uuid"] = room.description
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
  /// The longest text that is looked at. 2 KiB: five times what an issuer writes.
  static let maximumLength = 2_048

  /// Reads a token and checks its signature, and nothing else: neither time nor role.
  /// Compares the signature in constant time, also where the key is not known.
  public init(_ text: String, secret: (String) -> String?) throws(TokenError) {
    guard text.utf8.count <= Self.maximumLength, let split = text.firstIndex(of: "_"),
      let bytes = Base64URL.decode(text[text.index(after: split)...]),
      var fields = TokenText.fields(ofQuery: bytes)
    else { throw .invalidFormat }
    guard let given = fields.removeValue(forKey: "sig").flatMap(Self.bytes(ofHex:)) else {
      throw .invalidFormat
    }
    try self.init(prefix: text[...split], fields: fields)
    let found = secret(keyID)
    let mac = Self.signature(of: fields, found ?? "no such key")
    let equal = Self.areEqual(Array(mac), given)
    guard equal, found != nil else { throw .invalidSignature }
  }

  private init(prefix: Substring, fields: [String: String]) throws(TokenError) {
    guard let keyID = fields["ak"], let nonce = fields["nonce"],
      let role = fields["role"].flatMap(Role.init(tokenText:))
    else { throw .invalidFormat }
    var expires: Timestamp?
    if let text = fields["expireAt"] {
      guard let milliseconds = Int64(text), milliseconds >= 0 else { throw .invalidFormat }
      expires = Timestamp(milliseconds: milliseconds)
    }
    let scope = try Self.scope(prefix: prefix, fields)
    self.init(scope: scope, role: role, keyID: keyID, expires: expires, nonce: nonce)
  }

  private static func scope(
    prefix: Substring, _ fields: [String: String]
  ) throws(TokenError) -> TokenScope {
    if prefix == "BOARDROOMACCOUNT_" {
      guard let account = fields["account"] else { throw .invalidFormat }
      return .account(account)
    }
    switch (prefix, fields["uuid"]) {
    case ("NETLESSSDK_", _): return .team
    case ("NETLESSROOM_", let uuid?):
      guard let room = RoomID(uuid) else { throw .invalidFormat }
      return .room(room)
    case ("NETLESSTASK_", let uuid?): return .task(uuid)
    default: throw .invalidFormat
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

  /// Takes as long for a first byte that differs as for a last one, so that answers' times tell nothing.
  static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

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

  /// Whether this role may do all that `other` may.
  public func includes(_ other: Role) -> Bool { tokenText <= other.tokenText }
}
