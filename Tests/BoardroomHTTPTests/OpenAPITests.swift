import BoardroomCodec
import BoardroomModel
import EventLogModel
import Foundation
import ServerTestKit
import Testing

@testable import BoardroomHTTP
@testable import BoardroomServer

private let file = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  .appending(path: "docs/openapi.json")

private func operations(_ document: JSONValue) -> Set<String> {
  var found: Set<String> = []
  for (path, methods) in document["paths"]?.object ?? [] {
    for (method, _) in methods.object ?? [] { found.insert("\(method.uppercased()) \(path)") }
  }
  return found
}

@Test("docs/openapi.json is what the server serves: `boardroom serve --openapi` prints it anew")
func descriptionIsServed() async throws {
  let kept = try JSONValue.parse(Array(Data(contentsOf: file)))
  #expect(kept == OpenAPI.document)
  try await RunningServer.with { server in
    let served = try await server.call("GET", "/v5/openapi.json")
    #expect(served.status == 200)
    #expect(served.headers["content-type"]?.hasPrefix("application/json") == true)
    #expect(served.json == kept)
  }
}

@Test("Every route of the server is in docs/openapi.json, and every one of that file answers")
func routesAndDescriptionAgree() async throws {
  let described = operations(try JSONValue.parse(Array(Data(contentsOf: file))))
  let routes = RestRoutes.table.filter { !$0.isForPeople }.map { "\($0.method) \($0.path)" }
  #expect(routes.count == Set(routes).count, "an address stands in the table twice")
  #expect(described == Set(routes))
  try await RunningServer.with { server in
    let room = try await server.room()
    for operation in described {
      let parts = operation.split(separator: " ").map(String.init)
      let path = parts[1].replacing("{uuid}", with: room.description).replacing("{name}", with: "none")
        .replacing("{service}", with: "rtm").replacing("{channel}", with: "none")
        .replacing("{account}", with: "nobody")
      let answer = try await server.call(parts[0], path)
      #expect(answer.status != 405, "\(operation)")
      #expect(answer.status != 404 || parts[1].hasSuffix("{name}"), "\(operation)")
    }
  }
}

@Test("Every schema that is named in the description is one of it")
func schemasAreThere() {
  let text = String(decoding: OpenAPI.bytes, as: UTF8.self)
  let names = Set(OpenAPI.document["components"]?["schemas"]?.object?.map(\.0) ?? [])
  var used: Set<String> = []
  for part in text.components(separatedBy: "\"#/components/schemas/").dropFirst() {
    used.insert(String(part.prefix { $0 != "\"" }))
  }
  #expect(used == names)
}

@Test("docs/HTTP.md names every address of the server, and no other")
func pageNamesEveryAddress() throws {
  let page = try String(
    contentsOf: file.deletingLastPathComponent().appending(path: "HTTP.md"), encoding: .utf8)
  var named: Set<String> = []
  for line in page.split(separator: "\n") where line.hasPrefix("| ") {
    let call = line.dropFirst(2).prefix { $0 != "|" }.trimmingCharacters(in: .whitespaces)
    if ["GET /", "POST /", "PATCH /", "PUT /", "DELETE /"].contains(where: call.hasPrefix) {
      named.insert(call)
    }
  }
  #expect(named == Set(RestRoutes.table.filter { !$0.isForPeople }.map { "\($0.method) \($0.path)" }))
}
