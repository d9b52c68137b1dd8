import BoardroomModel
import Crypto
import EventLogModel
import Foundation

extension Visitor {
  /// Who comes over HTTP.
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
  /// A token may be made with a token that was made with a token, so many times. 8: a link of a link is usual; whoever
  /// passes on a longer chain asks for a new beginning.
  static let mostMakers = 8

  /// Names this token in logs and bans (MOD-9): a hash of all that sets it apart, from which nothing of it can be made. 128
  /// bits as 32 hexadecimal digits. Nil for an operator's, which no ban is to reach.
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

  /// Names a user in the tokens that it makes: of all names that a ban compares as one (MOD-8) the same.
  static func hash(ofUser uid: String) -> String {
    hash(of: ["boardroom.user.1", UserName.key(uid).decomposedStringWithCanonicalMapping])
  }

  private static func hash(of parts: [String]) -> String {
    TokenText.hex(SHA256.hash(data: Array(parts.joined(separator: "\n").utf8)).prefix(16))
  }

  /// The `makers` of a token that is made with this one: its own, and itself, or the user that it is bound to.
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
