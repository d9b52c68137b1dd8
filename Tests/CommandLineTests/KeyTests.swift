import Foundation
import Testing

@Suite("Command line: the keys of a folder")
struct KeyTests {
  private static let words = "a new key was made for rooms that were there"

  @Test(
    "FILE-3: a missing key file beside rooms is said at the start, once, and not at the first start of a folder"
  )
  func missing() async throws {
    let folder = try Folder()
    let server = LiveServer(in: folder)
    try await server.start()
    #expect(!server.log.contains(Self.words), "\(server.log)")
    #expect(try await server.interrupt() == 0)
    try folder.write(SampleLog.text, to: "room.jsonl")
    #expect(try await Program.run("import", "room.jsonl", "--room", SampleLog.room, in: folder).status == 0)
    for (isGone, isSaid) in [(false, false), (true, true), (false, false)] {
      if isGone { try FileManager.default.removeItem(atPath: folder.path + "/data/keys.json") }
      try await server.start()
      #expect(server.log.contains(Self.words) == isSaid, "\(server.log)")
      #expect(try await server.interrupt() == 0)
    }
  }
}
