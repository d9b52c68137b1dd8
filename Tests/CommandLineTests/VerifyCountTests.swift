import BoardroomCodec
import Testing

@Suite("Command line: what verify counts", .serialized)
struct VerifyCountTests {
  private func counts(in folder: Folder, _ data: String) async throws -> (text: String, value: JSONValue) {
    let text = try await Program.run("verify", "--data", data, in: folder)
    let json = try await Program.run("verify", "--data", data, "--json", in: folder)
    let value = try JSONValue.parse(Array(try #require(json.lines.first).utf8))
    return (try #require(text.lines.first), value)
  }

  @Test("CLI-2: verify counts events of the journal, with and without --json, each once")
  func journal() async throws {
    let folder = try Folder()
    let server = LiveServer(in: folder)
    try await server.start()
    for name in ["one", "two"] {
      let made = try await Program.run("room", "create", "--name", name, "--server", server.url, in: folder)
      #expect(made.status == 0, "\(made.errors)")
    }
    // A server that ends by itself would seal them.
    try await server.kill()
    let (text, value) = try await counts(in: folder, "data")
    #expect(text == "2 rooms, 0 blocks, 2 events (2 of them in the journal), 0 snapshots")
    #expect(value["logs"]?.int == 2)
    #expect(value["records"]?.int == 0)
    #expect(value["journal"]?.int == 2)
    #expect(value["events"]?.int == 2)
    #expect(try await Program.run("backup", "sealed", in: folder).status == 0)
    let (sealedText, sealed) = try await counts(in: folder, "sealed")
    #expect(sealedText == "2 rooms, 2 blocks, 2 events (0 of them in the journal), 0 snapshots")
    #expect(sealed["records"]?.int == 2)
    #expect(sealed["journal"]?.int == 0)
    #expect(sealed["events"]?.int == 2)
  }
}
