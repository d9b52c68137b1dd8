import BoardroomAccess
import BoardroomModel
import HTTPTypes
import Hummingbird

/// One route: method and path, who may call it, its body and its answer. The server, docs/openapi.json and
/// the test of the role matrix are made from the one table of routes (`RestRoutes.table`).
package struct Route: Sendable {
  let method: HTTPRequest.Method
  /// With the room as `{uuid}`.
  package let path: String
  /// One sentence.
  let summary: String
  /// What the token must allow; nil: no token is needed, or the route checks it itself.
  var action: Action?
  var parameters: [Parameter] = []
  var body: RequestBody?
  var answer: ResponseBody
  /// Statuses beyond those that every route has.
  var refusals: [Int] = []
  /// Whether the answer has an ETag, so that a client that has it already gets 304.
  var isValidated = false
  /// Whether banned callers get an answer, too: for routes that an operator needs in any case, and for the
  /// page that tells a person why.
  var isOpenToBanned = false
  /// Whether it is left out of docs/openapi.json: pages for people, and addresses of other protocols.
  var isForPeople = false
  /// Whether any of several nodes can answer, whatever the request is about: what it shows is kept for all of them
  /// where images are in a database.
  var isOfAnyNode = false
  package let handle: @Sendable (RestRoutes, RestCall) async throws -> Response

  /// A query parameter.
  struct Parameter: Sendable {
    let name: String
    let meaning: String
    /// A JSON schema.
    let schema: String
    var isRequired = false
  }

  /// A body that a request has.
  struct RequestBody: Sendable {
    var types = ["application/json"]
    /// A JSON schema.
    let schema: String
    var isRequired = true
    /// Bytes that are read at most of a JSON body.
    var limit = RestBody.limit

    /// Whether it is a file, and no JSON.
    var isFile: Bool { !types.contains("application/json") }
  }

  /// The body of a successful answer.
  struct ResponseBody: Sendable {
    var status = 200
    let meaning: String
    var types = ["application/json"]
    /// A JSON schema; nil: bytes, or lines.
    var schema: String?
  }

  /// Whether the path matches. A part in braces stands for any part, two stars at the end for one or more
  /// parts.
  func matches(_ path: String) -> Bool {
    let (own, asked) = (Self.parts(self.path), Self.parts(path))
    if own.last == "**" { return asked.count >= own.count && asked.starts(with: own.dropLast()) }
    return own.count == asked.count && zip(own, asked).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
  }

  private static func parts(_ path: String) -> [Substring] { path.split(separator: "/") }
}

extension Route.RequestBody {
  static func object(
    _ properties: String, required: [String] = [], isRequired: Bool = true, limit: Int = RestBody.limit
  ) -> Route.RequestBody {
    let names = required.map { "\"\($0)\"" }.joined(separator: ",")
    let needs = required.isEmpty ? "" : ",\"required\":[\(names)]"
    return Route.RequestBody(
      schema: "{\"type\":\"object\",\"properties\":{\(properties)}\(needs)}", isRequired: isRequired,
      limit: limit)
  }
}

extension Route.ResponseBody {
  /// A JSON value of a schema of `OpenAPI.schemas`.
  static func one(_ name: String, _ meaning: String, status: Int = 200) -> Route.ResponseBody {
    Route.ResponseBody(status: status, meaning: meaning, schema: OpenAPI.schema(name))
  }

  static func many(_ name: String, _ meaning: String) -> Route.ResponseBody {
    Route.ResponseBody(meaning: meaning, schema: "{\"type\":\"array\",\"items\":\(OpenAPI.schema(name))}")
  }
}

/// A request whose token has been checked, if the route needs one.
package struct RestCall: Sendable {
  var request: Request
  let context: RestContext
  let token: AccessToken?

  package init(request: Request, context: RestContext, token: AccessToken? = nil) {
    self.request = request
    self.context = context
    self.token = token
  }

  func room() throws(RestError) -> RoomID { try context.room() }

  func body() async throws(RestError) -> RestBody { try await RestBody(request) }

  func query(_ name: String) throws(RestError) -> String? {
    let values = request.uri.queryParameters[values: name[...]]
    guard values.count < 2 else { throw RestBody.wrong(name, "is given more than once") }
    return values.first.map(String.init)
  }

  func number(_ name: String, _ range: ClosedRange<UInt64>) throws(RestError) -> UInt64? {
    guard let text = try query(name) else { return nil }
    let isPlain = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard isPlain, let value = UInt64(text), range.contains(value) else {
      throw RestBody.wrong(name, "is not a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }
}
