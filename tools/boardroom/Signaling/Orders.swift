import BoardroomClient
import BoardroomLegacy

/// A line of standard input: the name of a method of the source system, then its arguments in order. The last
/// argument takes the rest of the line.
struct Order: Sendable {
  struct OrderForm {
    var name: String
    /// Arguments that must be there; those after them may be left out.
    var needs: Int
    var arguments: [String]
    var call: @Sendable (SignalingClient, [String], _ name: () -> String) -> Void

    var usage: String {
      let words = arguments.enumerated().map { $0.offset < needs ? $0.element : "[\($0.element)]" }
      return ([name] + words).joined(separator: " ")
    }
  }

  let form: OrderForm
  let arguments: [String]

  /// Throws a text with the right form.
  init(_ line: Substring) throws {
    let words = line.split(separator: " ", maxSplits: 1)
    guard let name = words.first, let form = Self.forms[String(name)] else {
      throw Failure(.usage, "There is no \(words.first.map { "\($0)" } ?? "order").", "`help` lists all.")
    }
    let rest = words.count > 1 ? words[1] : ""
    let arguments = rest.split(separator: " ", maxSplits: max(0, form.arguments.count - 1)).map(String.init)
    guard arguments.count >= form.needs, arguments.count <= form.arguments.count else {
      throw Failure(.usage, "It is written \(form.usage).")
    }
    (self.form, self.arguments) = (form, arguments)
  }

  /// `{n}` stands for the number of the repetition. `name` makes a new name, for orders that need one.
  func perform(_ client: SignalingClient, number: Int, name: () -> String) {
    form.call(client, arguments.map { $0.replacing("{n}", with: "\(number)") }, name)
  }

  static var help: String { all.map { "  " + $0.usage }.joined(separator: "\n") }

  private static let forms = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  private static let all: [OrderForm] = [
    OrderForm(name: "logout", needs: 0, arguments: []) { client, _, _ in client.logout() },
    OrderForm(name: "setAttr", needs: 2, arguments: ["NAME", "VALUE"]) { client, words, _ in
      client.setAttr(words[0], value: words[1])
    },
    OrderForm(name: "getAttr", needs: 1, arguments: ["NAME"]) { client, words, _ in client.getAttr(words[0])
    },
    OrderForm(name: "getAttrAll", needs: 0, arguments: []) { client, _, _ in client.getAttrAll() },
    OrderForm(name: "getUserAttr", needs: 2, arguments: ["ACCOUNT", "NAME"]) { client, words, _ in
      client.getUserAttr(words[0], name: words[1])
    },
    OrderForm(name: "getUserAttrAll", needs: 1, arguments: ["ACCOUNT"]) { client, words, _ in
      client.getUserAttrAll(words[0])
    },
    OrderForm(name: "queryUserStatus", needs: 1, arguments: ["ACCOUNT"]) { client, words, _ in
      client.queryUserStatus(words[0])
    },
    OrderForm(name: "invoke", needs: 2, arguments: ["NAME", "JSON"]) { client, words, name in
      client.invoke(words[0], req: words[1], callID: name())
    },
    OrderForm(name: "messageInstantSend", needs: 2, arguments: ["ACCOUNT", "TEXT"]) { client, words, name in
      client.messageInstantSend(words[0], msg: words[1], msgID: name())
    },
    OrderForm(name: "messageChannelSend", needs: 2, arguments: ["CHANNEL", "TEXT"]) { client, words, name in
      client.messageChannelSend(words[0], msg: words[1], msgID: name())
    },
    OrderForm(name: "messageChannelSendForce", needs: 2, arguments: ["CHANNEL", "TEXT"]) {
      client, words, name in
      client.messageChannelSendForce(words[0], msg: words[1], msgID: name())
    },
    OrderForm(name: "channelJoin", needs: 1, arguments: ["CHANNEL"]) { client, words, _ in
      client.channelJoin(words[0])
    },
    OrderForm(name: "channelLeave", needs: 1, arguments: ["CHANNEL"]) { client, words, _ in
      client.channelLeave(words[0])
    },
    OrderForm(name: "channelQueryUserNum", needs: 1, arguments: ["CHANNEL"]) { client, words, _ in
      client.channelQueryUserNum(words[0])
    },
    OrderForm(name: "channelSetAttr", needs: 3, arguments: ["CHANNEL", "NAME", "VALUE"]) { client, words, _ in
      client.channelSetAttr(words[0], name: words[1], value: words[2])
    },
    OrderForm(name: "channelDelAttr", needs: 2, arguments: ["CHANNEL", "NAME"]) { client, words, _ in
      client.channelDelAttr(words[0], name: words[1])
    },
    OrderForm(name: "channelClearAttr", needs: 1, arguments: ["CHANNEL"]) { client, words, _ in
      client.channelClearAttr(words[0])
    },
    OrderForm(name: "channelInviteUser", needs: 2, arguments: ["CHANNEL", "ACCOUNT"]) { client, words, _ in
      client.channelInviteUser(words[0], account: words[1])
    },
    OrderForm(name: "channelInviteUser2", needs: 3, arguments: ["CHANNEL", "ACCOUNT", "EXTRA"]) {
      client, words, _ in client.channelInviteUser2(words[0], account: words[1], extra: words[2])
    },
    OrderForm(name: "channelInviteAccept", needs: 2, arguments: ["CHANNEL", "ACCOUNT", "EXTRA"]) {
      client, words, _ in
      client.channelInviteAccept(words[0], account: words[1], extra: words.count > 2 ? words[2] : "")
    },
    OrderForm(name: "channelInviteRefuse", needs: 2, arguments: ["CHANNEL", "ACCOUNT", "EXTRA"]) {
      client, words, _ in
      client.channelInviteRefuse(words[0], account: words[1], extra: words.count > 2 ? words[2] : "")
    },
    OrderForm(name: "channelInviteEnd", needs: 2, arguments: ["CHANNEL", "ACCOUNT"]) { client, words, _ in
      client.channelInviteEnd(words[0], account: words[1])
    },
    OrderForm(name: "channelInviteDTMF", needs: 3, arguments: ["CHANNEL", "ACCOUNT", "TONES"]) {
      client, words, _ in client.channelInviteDTMF(words[0], phoneNum: words[1], dtmf: words[2])
    },
  ]
}
