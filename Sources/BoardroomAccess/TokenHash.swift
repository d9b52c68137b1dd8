import BoardroomModel
import Crypto
import EventLogModel
import Foundation

extension Visitor {
  /// The visitor of an HTTP request.
  package init(_ token: AccessToken?, from address: String?) {
    self.init(address: address)
    guard let token else { return }
    makers = token.makers
    switch token.scope {
    case .account(let name): uid = name
    case .team, .room, .task: (uid, self.token) = (token.uid, token.uid == nil ? token.hash : nil)
    }
  }
}

extension AccessToken {
  /// The longest chain of tokens in which each was made with the one before. 8: a link from a link is usual;
  /// for a longer chain somebody needs a new token from the team.
  static let mostMakers = 8

  /// Identifies this token in logs and bans (MOD-9): a hash of all its distinguishing fields, from which the
  /// token cannot be made. 128 bits as 32 hexadecimal digits. Nil for an operator's token, which cannot be
  /// banned.
  var hash: String? {
    if scope == .team, role == .admin { return nil }
    let subject =
      switch scope {
      case .team: ""
      case .room(let room): room.description
      case .account(let name): name
      case .task(let task): task
      }
    let end = expires.map { String($0.milliseconds) } ?? ""
    return Self.hash(
      of: ["boardroom.token.1", keyID, nonce, scope.type.prefix, role.tokenText, end, subject])
  }

  /// Identifies a user in the tokens that it makes. It is the same for all names that a ban compares as equal
  /// (MOD-8).
  static func hash(ofUser uid: String) -> String {
    hash(of: ["boardroom.user.1", UserName.key(uid).decomposedStringWithCanonicalMapping])
  }

  private static func hash(of parts: [String]) -> String {
    TokenText.hex(SHA256.hash(data: Array(parts.joined(separator: "\n").utf8)).prefix(16))
  }

  /// The `makers` of a token that is made with this one: this token's own, and this token itself or the user
  /// to whom it is bound.
  package func makersOfNext() throws(Refusal) -> [String] {
    let own: String? =
      switch scope {
      case .account(let name): Self.hash(ofUser: name)
      case .team, .room, .task: uid.map(Self.hash(ofUser:)) ?? hash
      }
    let all = makers + (makers.last == own ? [] : [own].compactMap(\.self))
    guard all.count <= Self.mostMakers else {
      throw Refusal(
        .tooMany, cause: "This token was made with one that was made with others, as often as may be.",
        cure: "Let somebody make it who has a token of the team.", actual: all.count,
        allowed: Self.mostMakers,
        limit: "makers")
    }
    return all
  }

  /// The field `makers`: hashes, with dots between them.
  static func makers(_ text: String?) throws(TokenError) -> [String] {
    guard let text else { return [] }
    let hashes = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let isHash = { (hash: String) in
      hash.utf8.count == 32
        && hash.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
    guard hashes.count <= mostMakers, hashes.allSatisfy(isHash) else { throw .invalidFormat }
    return hashes
  }
}
