import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import Crypto
import EventLogModel
import HTTPTypes
import Hummingbird
import NIOCore

/// Who has passed a request on: another node, which has proved it.
package struct RequestSender: Sendable, Hashable {
  /// The client's IP address; nil if that node does not know it.
  package var client: String?

  package init(client: String?) { self.client = client }
}

/// Passes requests on to other nodes, and knows those that other nodes have passed on.
package protocol RequestForwarder: Sendable {
  /// The node that has passed a request on; nil if a client itself has sent it. Throws where another node is named
  /// and this is not proved.
  func sender(of request: Request) throws(RestError) -> RequestSender?

  /// Passes a request on. The answer's body is read from the node while the client takes it. What the node does not
  /// answer throws.
  ///
  /// - Parameter client: the client's IP address; nil if it is not known.
  func answer(
    to request: Request, body: ByteBuffer, of client: String?, by node: NodeAddress
  ) async throws(RestError) -> Response
}

/// Answers the questions of other nodes' spaces.
package protocol QuestionReceiver: Sendable {
  /// The answer to a question, both as they are between nodes. Throws `RestError.notHere` where the space is another node's.
  func answer(to question: [UInt8]) async throws(RestError) -> [UInt8]
}

/// What nodes say to each other. The query names the body's SHA-256, so that the proof of who sends it is good for the
/// body, too. For everybody else these addresses do not exist.
extension RestRoutes {
  package static let questions = "/v5/nodes/questions"
  package static let banMessages = "/v5/nodes/bans"
  package static let roomQuestions = "/v5/nodes/rooms"
  package static let livingQuestions = "/v5/nodes/living"
  package static let listQuestions = "/v5/nodes/lists"
  /// Bytes of a message at most. 1 MiB: some ten thousand logins that come at once.
  package static let longestQuestion = 1 << 20

  static let nodeRoutes: [Route] = [
    Route(
      method: .post, path: questions, summary: "A question of another node's account or channel.",
      body: .object("", limit: longestQuestion),
      answer: Route.ResponseBody(meaning: "The answer."), isOpenToBanned: true, isForPeople: true
    ) { routes, call in
      guard let receiver = routes.receiver else { throw RestRoutes.noAddress }
      return .json(bytes: try await receiver.answer(to: RestRoutes.proved(call)))
    },
    Route(
      method: .post, path: banMessages, summary: "What another node wants of the operators' log.",
      body: .object("", limit: longestQuestion),
      answer: Route.ResponseBody(meaning: "The answer."), isOpenToBanned: true, isForPeople: true
    ) { try await $0.answerBans($1) },
    Route(
      method: .post, path: roomQuestions, summary: "What another node asks for spectators of a room.",
      body: .object("", limit: longestQuestion),
      answer: Route.ResponseBody(meaning: "The answer."), isOpenToBanned: true, isForPeople: true
    ) { try await $0.answerSpectators($1) },
    Route(
      method: .post, path: listQuestions, summary: "What another node asks of the rooms of a list.",
      body: .object("", limit: longestQuestion),
      answer: Route.ResponseBody(meaning: "The answer."), isOpenToBanned: true, isForPeople: true
    ) { routes, call in
      guard let rooms = RoomsQuestion.rooms(in: try await proved(call)) else {
        throw RestError(.malformed, "It is no question that this version knows.")
      }
      return .json(bytes: RoomsQuestion.bytes(of: await routes.registry.factsOfOwn(rooms)))
    },
    Route(
      method: .post, path: livingQuestions, summary: "Whether another node is taken for alive.",
      body: .object("", limit: longestQuestion),
      answer: Route.ResponseBody(meaning: "The answer."), isOpenToBanned: true, isForPeople: true
    ) { routes, call in
      guard let start = Int64(String(decoding: try await proved(call), as: UTF8.self)) else {
        throw RestError(.malformed, "It is no question that this version knows.")
      }
      return .bytes(routes.isLivingNode(start).map { [$0 ? 1 : 0] } ?? [])
    },
  ]

  private static let noAddress = RestError(
    .notFound, "There is no such address.", cure: "See docs/HTTP.md for the addresses.")

  private static func proved(_ call: RestCall) async throws -> [UInt8] {
    guard call.context.sender != nil else { throw noAddress }
    let body = try await RestBody.bytes(of: call.request, limit: longestQuestion)
    guard try call.query("sha256") == SHA256.hash(data: body).hexadecimal else {
      throw RestError(.malformed, "The body is another one than was proved.")
    }
    return body
  }

  private func answerBans(_ call: RestCall) async throws -> Response {
    guard let message = OperatorsMessage(try await Self.proved(call)) else {
      throw RestError(.malformed, "It is no message that this version knows.")
    }
    if let owners = engine.owners, await owners.settledOwner(of: .operators) != .here {
      throw RestError.notHere
    }
    return .json(bytes: await answer(to: message).bytes)
  }

  private func answerSpectators(_ call: RestCall) async throws -> Response {
    guard let question = SpectatingQuestion(try await Self.proved(call)), let room = question.room else {
      throw RestError(.malformed, "It is no question that this version knows.")
    }
    if let owners = engine.owners, await owners.settledOwner(of: room) != .here { throw RestError.notHere }
    switch question {
    case .takesSpectators: return .bytes(await engine.takesSpectators(room).map { [$0 ? 1 : 0] } ?? [])
    case .news(_, let after, let limit):
      let news = try await engine.news(of: room, after: Revision(after), limit: limit)
      return .bytes(
        try news.bytes { stored throws(LogError) in try engine.store.unpack(stored, of: room) })
    }
  }

  private func answer(to message: OperatorsMessage) async -> OperatorsMessage.NodeAnswer {
    switch message {
    case .list(let since):
      let list = bans.index.list
      return list.revision.rawValue == since ? .unchanged : .list(OperatorsMessage.List(list))
    case .set, .end, .lift:
      guard let decision = message.decision else { return .unchanged }
      do {
        let ban = try await bans.carryOut(decision)
        if let ban { await engine.banish(under: ban) }
        return .done(ban.map(OperatorsMessage.Fields.init))
      } catch { return .refused((RestError(of: error) ?? RestError(.internalFailure)).refusal) }
    case .damage(let place):
      await OperatorsLog(engine: engine).note(damage: place)
      return .done(nil)
    }
  }
}

extension SHA256Digest {
  /// In lower case.
  package var hexadecimal: String {
    var text = ""
    for byte in self {
      for digit in [byte >> 4, byte & 15] {
        text.append(Character(UnicodeScalar(digit < 10 ? 48 + digit : 87 + digit)))
      }
    }
    return text
  }
}

/// Several nodes: requests about one log are answered by the node that owns it, which alone has what was just committed
/// and may append (FWD-1 to FWD-6).
extension RestRoutes {
  /// Files are at the node that was given them; what a database keeps is the same everywhere.
  private func isOfAnyNode(_ route: Route) -> Bool { route.isOfAnyNode && images.folder == nil }

  /// The answer of the node that owns what the request is about; nil if this one does.
  func ownersAnswer(to call: inout RestCall, by route: Route) async throws -> Response? {
    guard let forwarder, let owners = engine.owners, !route.isForPeople, !isOfAnyNode(route),
      let log = try route.log(of: call)
    else {
      return nil
    }
    var body: ByteBuffer?
    for attempt in 1...2 {
      switch await owners.settledOwner(of: log) {
      case .here: return nil
      case .nobodyYet: throw RestError.moving
      case .at(let node):
        // The sender looks again; it was told something else by the tables.
        guard call.context.sender == nil else { throw RestError.notHere }
        let whole = if let body { body } else { try await collected(call, of: route) }
        body = whole
        call.request.body = RequestBody(buffer: whole)
        do {
          return try await forwarder.answer(
            to: call.request, body: whole, of: address(of: call.request, call.context), by: node)
        } catch {
          owners.forget(log)
          guard attempt == 1, error.isSafeToRepeat(call.request.method) else {
            throw error.name == RestError.notHere.name ? .moving : error
          }
        }
      }
    }
    throw RestError.moving
  }

  /// The whole body, because it may have to be sent twice.
  private func collected(_ call: RestCall, of route: Route) async throws(RestError) -> ByteBuffer {
    guard let body = route.body else { return ByteBuffer() }
    return ByteBuffer(
      bytes: try await RestBody.bytes(of: call.request, limit: body.isFile ? largestImage : body.limit))
  }
}

extension Route {
  /// The log that a request is about: a room's, an account's, a channel's or the operators'; nil: each node
  /// can answer it.
  fileprivate func log(of call: RestCall) throws(RestError) -> LogID? {
    if path.contains("{uuid}") { return try call.room() }
    if path.contains("{log}") { return call.context.parameters.get("log").flatMap { LogID($0) } }
    if path.hasPrefix("/v5/bans") { return .operators }
    return try call.space()?.log
  }
}

extension RestError {
  /// The log has no owner for the moment, or its owner cannot be reached. Nothing was done.
  package static let moving = RestError(
    Refusal(
      .goingAway, cause: "What the request is about is going to another node of the server.",
      cure: "Ask again in a few seconds."))

  /// A node's answer to another one that has passed a request on: the log is not this node's.
  package static let notHere = RestError(
    Refusal(.goingAway, cause: "This node does not have it.", cure: "Look for its owner again."),
    status: .misdirectedRequest, name: "notHere")

  /// A node that owns a log did not answer, and may have carried the request out.
  package static let noAnswer = RestError(
    Refusal(
      .goingAway,
      cause: "The server's node that has the room did not answer. What was asked may have been done.",
      cure: "Look whether it was, and ask again if not."), status: .badGateway, name: "noAnswer")

  /// Whether nothing was done, or nothing is changed by doing it twice.
  fileprivate func isSafeToRepeat(_ method: HTTPRequest.Method) -> Bool {
    name != Self.noAnswer.name || method == .get || method == .head
  }
}
