import BoardroomModel
import Crypto
import EventLogModel

extension Visitor {
  /// Who comes over HTTP.
  init(_ token: AccessToken?, from address: String?) {
    self.init(address: address)
    guard let token else { return }
    switch token.scope {
    case .account(let name): uid = name
    case .team, .room, .task: (uid, self.token) = (token.uid, token.uid == nil ? token.mark : nil)
    }
  }
}

extension AccessToken {
  /// Names this token in logs and bans (MOD-9): a hash of all that sets it apart, from which nothing of it can be made. 128
  /// bits as 32 hexadecimal digits. Nil for an operator's, which no ban is to reach.
  var mark: String? {
    if scope == .team, role == .admin { return nil }
    let subject =
      switch scope {
      case .team: ""
      case .room(let room): room.description
      case .account(let name): name
      case .task(let task): task
      }
    let end = expires.map { String($0.milliseconds) } ?? ""
    let text = ["boardroom.token.1", keyID, nonce, scope.type.prefix, role.tokenText, end, subject].joined(
      separator: "\n")
    return TokenText.hex(SHA256.hash(data: Array(text.utf8)).prefix(16))
  }
}
