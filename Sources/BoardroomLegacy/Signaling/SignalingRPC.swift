import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomModel

/// The functions of `invoke` (PARITY rows RPC): a request in JSON becomes a question, its answer becomes JSON.
enum SignalingRPC {
  static let prefix = "io.agora.signal."

  enum RPCCall {
    case ask(Question, (Reply) -> [(String, JSONValue)]?)
    case setOwn(name: String, value: String)
  }

  static func call(_ name: String, _ request: String) throws(SignalingCode) -> RPCCall {
    guard name.hasPrefix(prefix) else { throw .wrongParam }
    guard let fields = try? JSONValue.parse(Array(request.utf8)), fields.object != nil else {
      throw .wrongParam
    }
    return try call(String(name.dropFirst(prefix.count)), Fields(fields))
  }

  private struct Fields {
    let json: JSONValue
    init(_ json: JSONValue) { self.json = json }

    func text(_ key: String) throws(SignalingCode) -> String {
      guard let text = json[key]?.string else { throw .wrongParam }
      return text
    }
    /// Numbers come as numbers and as texts.
    var count: Int? { json["num"]?.int ?? json["num"]?.string.flatMap { Int($0) } }
  }

  private static func call(_ function: String, _ fields: Fields) throws(SignalingCode) -> RPCCall {
    switch function {
    case "user_query_user_status":
      return .ask(.userStatus(account: try fields.text("account"))) { number("status", $0) }
    case "user_set_attr":
      return .setOwn(name: try fields.text("name"), value: try fields.text("value"))
    case "user_get_attr":
      let name = try fields.text("name")
      return .ask(.userAttributes(account: try fields.text("account"))) { value(of: name, $0) }
    case "user_get_attr_all":
      return .ask(.userAttributes(account: try fields.text("account"))) { all($0) }
    case "channel_query_num":
      return .ask(.channelCount(channel: try fields.text("name"))) { number("num", $0) }
    case "channel_query_user_isin":
      let question = Question.isInChannel(
        channel: try fields.text("name"), account: try fields.text("account"))
      return .ask(question) { number("isin", $0) }
    case "channel_query_userlist":
      return .ask(.channelUsers(channel: try fields.text("name"), limit: SignalingLimits.userList)) {
        users($0)
      }
    case "channel_query_userlist_all":
      let limit = fields.count ?? SignalingLimits.userListAll
      guard limit >= 0 else { throw .wrongParam }
      return .ask(.channelUsers(channel: try fields.text("name"), limit: limit)) { users($0) }
    case "channel_clear_attr":
      return .ask(.clearChannelAttributes(channel: try fields.text("channel"))) { done($0) }
    case "channel_del_attr":
      return try set(try fields.text("channel"), try fields.text("name"), nil)
    case "channel_set_attr":
      return try set(try fields.text("channel"), try fields.text("name"), try fields.text("value"))
    default: throw .wrongParam
    }
  }

  private static func set(
    _ channel: String, _ name: String, _ value: String?
  ) throws(SignalingCode) -> RPCCall {
    if let obstacle = SignalingLimits.obstacle(toAttribute: name, value: value, ofChannel: true) {
      throw obstacle
    }
    let set = AttributesSet([.init(name: name, value: value)])
    return .ask(.setChannelAttributes(channel: channel, set)) { done($0) }
  }

  // MARK: Answers

  /// What every answer without an error begins with.
  static func reply(_ fields: [(String, JSONValue)]) -> String {
    JSONValue.object([("result", .string("ok"))] + fields).text.text
  }

  private static func number(_ key: String, _ reply: Reply) -> [(String, JSONValue)]? {
    if case .number(let number) = reply { [(key, JSONValue(number))] } else { nil }
  }

  private static func value(of name: String, _ reply: Reply) -> [(String, JSONValue)]? {
    guard case .attributes(let attributes) = reply else { return nil }
    return [("value", .string(attributes[name] ?? ""))]
  }

  private static func all(_ reply: Reply) -> [(String, JSONValue)]? {
    if case .attributes(let attributes) = reply { [("json", .string(attributes.json))] } else { nil }
  }

  private static func users(_ reply: Reply) -> [(String, JSONValue)]? {
    guard case .users(let accounts, let total) = reply else { return nil }
    let list = accounts.map { JSONValue.array([.string($0), JSONValue(0)]) }
    return [("num", JSONValue(total)), ("list", .array(list))]
  }

  private static func done(_ reply: Reply) -> [(String, JSONValue)]? {
    if case .done = reply { [] } else { nil }
  }
}

extension [String: String] {
  /// A JSON object, in the order of the names.
  var json: String {
    JSONValue.object(sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }).text.text
  }
}

extension SignalingCore {
  typealias InvokeCompletion = (Result<String, SignalingCode>) -> Void

  /// Exactly one answer for each call (PARITY rows RPC; ASK-2).
  func invoke(_ name: String, _ request: String, _ completion: @escaping InvokeCompletion) {
    guard status == .loggedIn else { return completion(.failure(.notLogin)) }
    let call: SignalingRPC.RPCCall
    do throws(SignalingCode) { call = try SignalingRPC.call(name, request) } catch {
      return completion(.failure(error))
    }
    switch call {
    case .setOwn(let name, let value):
      setOwn(name, value) { error in
        completion(
          error.map { .failure(FaceCodes($0.code).signaling.general) } ?? .success(SignalingRPC.reply([])))
      }
    case .ask(let question, let shape):
      session.ask(question) { result in
        switch result {
        case .success(let reply):
          completion(shape(reply).map { .success(SignalingRPC.reply($0)) } ?? .failure(.unknown))
        case .failure(let error): completion(.failure(FaceCodes(error.code).signaling.general))
        }
      }
    }
  }
}
