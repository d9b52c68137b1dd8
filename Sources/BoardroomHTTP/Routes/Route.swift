import BoardroomAccess
import BoardroomModel
import HTTPTypes
import Hummingbird

/// One address: what it answers to, who may, what goes in and out. The server, docs/openapi.json and the test of
/// the role matrix are made of the one table of these (`RestRoutes.table`).
package struct Route: Sendable {
  let method: HTTPRequest.Method
  /// With the room as `{uuid}`.
  package let path: String
  /// One sentence.
  let summary: String
  /// What a token must allow; nil: none is asked for, or the route says itself.
  var action: Action?
  var parameters: [Parameter] = []
  var body: RequestBody?
  var answer: ResponseBody
  /// Statuses beyond those that every route has.
  var refusals: [Int] = []
  /// The answer has an ETag, and a client that has it already is told so (304).
  var isValidated = false
  /// Answers whoever is banned, too: what an operator needs in any case, and what tells a browser why.
  var isOpenToBanned = false
  /// Left out of docs/openapi.json: pages for people and what begins other protocols.
  var isForPeople = false
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
  }

  /// The body of success.
  struct ResponseBody: Sendable {
    var status = 200
    let meaning: String
    var types = ["application/json"]
    /// A JSON schema; nil: bytes, or lines.
    var schema: String?
  }

  /// The parts of the path; one in braces stands for anything, two stars at the end for one or more.
  func matches(_ path: String) -> Bool {
    let (own, asked) = (Self.parts(self.path), Self.parts(path))
    if own.last == "**" { return asked.count >= own.count && asked.starts(with: own.dropLast()) }
    return own.count == asked.count && zip(own, asked).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
  }

  private static func parts(_ path: String) -> [Substring] { path.split(separator: "/") }
}

extension Route.RequestBody {
  static func object(
    _ properties: String, required: [String] = [], isRequired: Bool = true
  ) -> Route.RequestBody {
    let names = required.map { "\"\($0)\"" }.joined(separator: ",")
    let needs = required.isEmpty ? "" : ",\"required\":[\(names)]"
    return Route.RequestBody(
      schema: "{\"type\":\"object\",\"properties\":{\(properties)}\(needs)}", isRequired: isRequired)
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

/// A request that may be answered: its token, if the route wants one, has been checked.
package struct RestCall: Sendable {
  let request: Request
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
