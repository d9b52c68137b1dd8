import Foundation
import Testing

@Suite("Command line: one room in a signed file")
struct ArchiveTests {
  private static let room = SampleLog.room
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
  /// SHA-256 of these bytes.
  private static let image = "7f47b756761a46e6d4a4d96f0d8a4448f8449235009d1f3ad1493f5c773c19e8.png"

  private func folder() async throws -> Folder {
    let folder = try Folder()
    let line =
      #"{"rev":61,"t":1700000006000,"by":0,"n":59,"kind":"magix","body":{"event":"image","payload":{"src":""#
      + "/v5/rooms/\(Self.room)/images/\(Self.image)" + "\"}}}\n"
    try folder.write(SampleLog.text + line, to: "room.jsonl")
    #expect(try await Program.run("import", "room.jsonl", "--room", Self.room, in: folder).status == 0)
    try FileManager.default.createDirectory(
      atPath: folder.path + "/data/images/\(Self.room)", withIntermediateDirectories: true)
    try folder.write(Self.png, to: "data/images/\(Self.room)/\(Self.image)")
    return folder
  }

  private func key(_ folder: Folder) async throws -> String {
    let answer = try await Program.run("archive", "--public-key", in: folder)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.lines.count == 1, "\(answer.errors)")
    return answer.lines.first ?? ""
  }

  @Test("FILE-6: what was archived is imported elsewhere as the same room, images too, and that is proved")
  func sameRoom() async throws {
    let folder = try await folder()
    let made = try await Program.run("archive", Self.room, "room.tar", "--json", in: folder)
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.output.contains("\"events\" : 61"), "\(made.errors)")
    let key = try await key(folder)
    #expect(made.output.contains(key))
    #expect(key.count == 64)
    let imported = try await Program.run(
      "import", "room.tar", "--data", "other", "--signer", key, "--json", in: folder)
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(imported.output.contains(key), "\(imported.errors)")
    let (ours, theirs) = (
      try await Program.run("export", Self.room, "--data", "other", in: folder),
      try await Program.run("export", Self.room, in: folder)
    )
    #expect(ours.status == 0, "\(ours.errors)")
    #expect(ours.output == theirs.output, "\(ours.errors)")
    let verified = try await Program.run(
      "verify", "--level", "deep", "--data", "other", "--quiet", in: folder)
    #expect(verified.status == 0, "\(verified.output)")
    let again = try await Program.run("archive", Self.room, "room.tar", in: folder)
    #expect(again.status == 73, "\(again.errors)")
    #expect(again.errors.contains("exists already"), "\(again.errors)")
  }

  @Test(
    "FILE-6: a changed byte anywhere in it, another signer, and a part of it are refused, and nothing is imported"
  )
  func changed() async throws {
    let folder = try await folder()
    #expect(try await Program.run("archive", Self.room, "room.tar", in: folder).status == 0)
    let whole = try Array(Data(contentsOf: URL(filePath: folder.path + "/room.tar")))
    let (end, step) = (whole.count - 1_024, whole.count / 23)
    // The two empty blocks at the end, and what fills an entry up, say nothing.
    let named = stride(from: 3, to: end, by: step).filter { whole[$0] != 0 }
    #expect(named.count > 4)
    for place in named {
      var bytes = whole
      bytes[place] ^= 1
      try folder.write(bytes, to: "bad.tar")
      let answer = try await Program.run("import", "bad.tar", "--data", "other", in: folder)
      let text = "\(place): \(answer.status) \(answer.errors)"
      // A time or a right in a tar header is nobody's.
      #expect(answer.status == 65 || answer.status == 66, "\(text)")
    }
    try folder.write(Array(whole[..<(whole.count / 2)]), to: "bad.tar")
    #expect(try await Program.run("import", "bad.tar", "--data", "other", in: folder).status == 65)
    let other = String(repeating: "0a", count: 32)
    let signer = try await Program.run(
      "import", "room.tar", "--data", "other", "--signer", other, in: folder)
    #expect(signer.status == 77, "\(signer.errors)")
    #expect(signer.errors.contains("was signed by"), "\(signer.errors)")
    let plain = try await Program.run(
      "import", "room.jsonl", "--data", "other", "--signer", other, in: folder)
    #expect(plain.status == 65, "\(plain.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/other/log.db"))
  }

  @Test("FILE-6: other programs look into it: tar lists it, and its proof is JSON")
  func isPlain() async throws {
    let folder = try await folder()
    #expect(try await Program.run("archive", Self.room, "room.tar", in: folder).status == 0)
    let bytes = try Data(contentsOf: URL(filePath: folder.path + "/room.tar"))
    #expect(bytes.count % 512 == 0)
    let rights = try FileManager.default.attributesOfItem(atPath: folder.path + "/room.tar")
    #expect(rights[.posixPermissions] as? Int == 0o600)
    let keyRights = try FileManager.default.attributesOfItem(atPath: folder.path + "/data/signing.key")
    #expect(keyRights[.posixPermissions] as? Int == 0o600)
    for name in ["room.blocks", "images/\(Self.image)", "proof.json", "proof.sig"] {
      #expect(bytes.range(of: Data(name.utf8)) != nil, "\(name)")
    }
    // A damaged key signs nothing.
    try folder.write("boardroom signing key 1\nzz\n", to: "data/signing.key")
    let damaged = try await Program.run("archive", Self.room, "again.tar", in: folder)
    #expect(damaged.status == 65, "\(damaged.errors)")
    #expect(damaged.errors.contains("signing.key"), "\(damaged.errors)")
  }
}
