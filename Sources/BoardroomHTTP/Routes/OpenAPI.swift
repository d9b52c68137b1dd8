import BoardroomAccess
import BoardroomCodec
import HTTPTypes

/// The description of the HTTP interface for tools, made from the table of routes. The server serves it, and
/// docs/openapi.json has the same bytes, which a test compares.
public enum OpenAPI {
  /// The version of OpenAPI. 3.1, because it can say that a field may be null.
  static let version = "3.1.0"

  /// As one line of JSON.
  public static let bytes: [UInt8] = document.compact

  static var document: JSONValue {
    .object([
      ("openapi", .string(version)),
      (
        "info",
        .object([
          ("title", .string("Boardroom")), ("version", .string("5")),
          ("description", .string("For backends and operators; docs/HTTP.md explains it.")),
        ])
      ),
      ("paths", paths),
      (
        "components",
        .object([("schemas", read("{\(schemas)}")), ("securitySchemes", read(security))])
      ),
    ])
  }

  /// A schema of the components, by its name.
  static func schema(_ name: String) -> String { "{\"$ref\":\"#/components/schemas/\(name)\"}" }

  private static let security = """
    {"token":{"type":"apiKey","in":"header","name":"token"},"bearer":{"type":"http","scheme":"bearer"}}
    """

  private static var paths: JSONValue {
    let routes = RestRoutes.table.filter { !$0.isForPeople }
    var order: [String] = []
    for route in routes where !order.contains(route.path) { order.append(route.path) }
    return .object(
      order.map { path in
        (
          path,
          .object(
            routes.filter { $0.path == path }.map {
              ($0.method.rawValue.lowercased(), operation($0))
            })
        )
      })
  }

  private static func operation(_ route: Route) -> JSONValue {
    var fields: [(String, JSONValue)] = [("summary", .string(route.summary))]
    if let action = route.action {
      fields.append(("description", .string(description(action))))
      fields.append(("security", read(#"[{"token":[]},{"bearer":[]}]"#)))
    }
    let parameters = inPath(route) + route.parameters.map(parameter)
    if !parameters.isEmpty { fields.append(("parameters", .array(parameters))) }
    if let body = route.body {
      fields.append(
        (
          "requestBody",
          .object([
            ("required", .bool(body.isRequired)), ("content", content(body.types, schema: body.schema)),
          ])
        ))
    }
    fields.append(("responses", responses(route)))
    return .object(fields)
  }

  private static func description(_ action: Action) -> String {
    "Who may (SDK token's admin, writer, reader; the room's own token's): \(action.row)."
  }

  private static func inPath(_ route: Route) -> [JSONValue] {
    route.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { part in
      let name = part.dropFirst().dropLast()
      return read(
        #"{"name":"\#(name)","in":"path","required":true,"schema":\#(pathSchema(String(name)))}"#)
    }
  }

  private static func pathSchema(_ name: String) -> String {
    switch name {
    case "uuid", "log": schema("UUID")
    case "service": #"{"enum":["rtc","rtm","signaling"]}"#
    // Other visible characters are allowed, too; limits are in bytes.
    case "channel", "account": #"{"type":"string","pattern":"^[!-~]{1,64}$"}"#
    // The user of a token, as exactly as a schema can describe it.
    case "subject":
      #"{"type":"string","minLength":1,"maxLength":128,"pattern":"^[^\\s\\x00-\\x20\\x7f-\\x9f]+$"}"#
    case "moment": #"{"type":"string","minLength":1,"maxLength":64,"pattern":"^[!-~]+$"}"#
    case "id": #"{"type":"integer","minimum":1}"#
    case "revision": #"{"type":"integer","minimum":0,"maximum":\#(RestBody.largestNumber)}"#
    default: #"{"type":"string","minLength":1,"pattern":"^[0-9a-zA-Z.-]+$"}"#
    }
  }

  private static func parameter(_ parameter: Route.Parameter) -> JSONValue {
    .object([
      ("name", .string(parameter.name)), ("in", .string("query")), ("required", .bool(parameter.isRequired)),
      ("description", .string(parameter.meaning)), ("schema", read(parameter.schema)),
    ])
  }

  private static func content(_ types: [String], schema: String?) -> JSONValue {
    let media = JSONValue.object(schema.map { [("schema", read($0))] } ?? [])
    return .object(types.map { ($0, media) })
  }

  private static func responses(_ route: Route) -> JSONValue {
    let success = JSONValue.object([
      ("description", .string(route.answer.meaning)),
      ("content", content(route.answer.types, schema: route.answer.schema)),
    ])
    var statuses: Set<Int> = Set(route.refusals)
    if route.path.hasPrefix("/v5") { statuses.formUnion([400, 500]) }
    if route.action != nil { statuses.formUnion([401, 403]) }
    if route.path.hasPrefix("/v5"), !route.isOpenToBanned { statuses.insert(403) }
    if route.path.contains("{") { statuses.insert(404) }
    let refusal = read(schema("Error"))
    let unchanged: [(String, JSONValue)] =
      route.isValidated
      ? [("304", .object([("description", .string("It is what If-None-Match says that the client has."))]))]
      : []
    return .object(
      [(String(route.answer.status), success)] + unchanged
        + statuses.sorted().map { status in
          (
            String(status),
            .object([
              ("description", .string(RestError.meaning(of: status))),
              ("content", .object([("application/json", .object([("schema", refusal)]))])),
            ])
          )
        })
  }

  /// Schemas are written in the table as JSON. Text that is not JSON is a mistake in this code, which every
  /// test of OpenAPI shows.
  private static func read(_ text: String) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue.parse(Array(text.utf8))
    } catch {
      preconditionFailure("a schema in the table of routes is not JSON: \(text)")
    }
  }
}
