import BoardroomClient
import BoardroomCodec
import BoardroomVersion
import Foundation
import Testing

@Suite("Command line: the version", .serialized)
struct VersionTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test("OPS-5: the program and each of its commands say the version and nothing else")
  func program() async throws {
    let folder = try Folder()
    for command in [[], ["serve"], ["replay"], ["room"], ["room", "create"], ["token", "room"]] {
      let answer = try await Program.run(command + ["--version"], in: folder)
      #expect(answer.status == 0, "\(answer.errors)")
      #expect(answer.output == ProductVersion.current + "\n", "\(command)")
    }
  }

  @Test("OPS-5: a running server tells the same version to a page, in its metrics and when it is ready")
  func server() async throws {
    let server = LiveServer(in: try Folder())
    try await server.start()
    let door = HTTPReplayDoor(Endpoint(host: "127.0.0.1", port: server.port))
    func body(_ path: String) async throws -> String {
      guard case .status(200, let body) = await door.get(path, headers: []) else {
        throw TookTooLong(description: "no answer from \(path)")
      }
      return String(decoding: body, as: UTF8.self)
    }
    let about = try JSONValue.parse(Array(try await body("/v5/server").utf8))
    #expect(about["version"]?.string == ProductVersion.current)
    let metrics = try await body("/metrics").split(separator: "\n")
    #expect(metrics.contains("boardroom_build_info{version=\"\(ProductVersion.current)\"} 1"))
    #expect(try await body("/readyz").contains("\nversion \(ProductVersion.current)\n"))
    #expect(try await server.interrupt() == 0)
  }

  @Test("OPS-5: the SDK's name has the version; the package for JavaScript reads the same line")
  func clients() throws {
    #expect(WhiteSDK.version == ProductVersion.current)
    let endpoint = Endpoint(host: "127.0.0.1", port: 1)
    let client = WhiteSdkConfiguration(endpoint: endpoint).client
    #expect(client == "boardroom-swift/" + ProductVersion.current)
    #expect(client.utf8.count <= 256)
    let source = try String(
      contentsOf: Self.root.appending(path: "Sources/BoardroomVersion/ProductVersion.swift"), encoding: .utf8)
    #expect(source.contains("static let current = \"\(ProductVersion.current)\""))
    let script = try String(contentsOf: Self.root.appending(path: "tools/page/package.js"), encoding: .utf8)
    #expect(script.contains("\"Sources/BoardroomVersion/ProductVersion.swift\""))
  }
}
