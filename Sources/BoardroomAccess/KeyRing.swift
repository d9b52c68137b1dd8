import EventLogModel

/// One access key and its secret. Its description leaves the secret out.
public struct KeyPair: Sendable, Hashable, CustomStringConvertible {
  public var id: String
  public var secret: String

  public init(id: String, secret: String) {
    self.id = id
    self.secret = secret
  }

  /// 128 and 256 random bits.
  public static func random() -> KeyPair {
    var generator = SystemRandomNumberGenerator()
    func letters(_ words: Int) -> String {
      Base64URL.encode((0..<words * 8).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
    return KeyPair(id: letters(2), secret: letters(4))
  }

  public var description: String { "key \(id)" }
}

/// The key pairs that a server accepts, and the uuids that it gives for itself. With several pairs an
/// operator can change keys while old tokens stay valid.
public struct KeyRing: Sendable, Hashable {
  /// At least one; the first signs new tokens.
  public var pairs: [KeyPair]
  /// `teamUUID` and `appUUID` of room objects (RE-1).
  public var team: LogID
  public var app: LogID

  public init(pairs: [KeyPair], team: LogID = .random(), app: LogID = .random()) {
    precondition(!pairs.isEmpty, "a key ring holds at least one pair")
    self.pairs = pairs
    self.team = team
    self.app = app
  }

  public var signer: KeyPair { pairs[0] }

  /// A ring with a new random pair in front that is stored nowhere: tokens that it signs end with this run of
  /// the server.
  package func forOneRun() -> KeyRing { KeyRing(pairs: [.random()] + pairs, team: team, app: app) }

  /// The secret of the pair with this access key; nil if there is none.
  public func secret(of id: String) -> String? { pairs.first { $0.id == id }?.secret }

  /// Reads a token, checks its signature, its time and that it allows `permission`.
  @discardableResult
  public func admit(
    _ text: String, for permission: Permission, at now: Timestamp
  ) throws(TokenError) -> AccessToken {
    let token = try AccessToken(text, secret: secret(of:))
    guard !token.hasExpired(at: now) else { throw .expired }
    try permission.check(token)
    return token
  }
}
