import Foundation
import Testing

/// A folder whose room's events are sealed, and the room's lines.
private struct SealedData {
  let folder: Folder
  let lines: String

  init() async throws {
    folder = try Folder()
    try folder.write(SampleLog.text, to: "room.jsonl")
    for call in [
      ["import", "room.jsonl", "--room", SampleLog.room, "--data", "made", "--quiet"],
      // A backup is sealed, so that its events lie in the database alone.
      ["backup", "data", "--data", "made", "--quiet"],
    ] {
      let answer = try await Program.run(call, in: folder)
      #expect(answer.status == 0, "\(answer.errors)")
    }
    lines = try await Self.export(from: "data", in: folder)
  }

  static func export(from data: String, in folder: Folder) async throws -> String {
    let answer = try await Program.run("export", SampleLog.room, "--data", data, "--quiet", in: folder)
    #expect(answer.status == 0, "\(answer.errors)")
    return answer.output
  }

  func run(_ arguments: String...) async throws -> Program.Answer {
    try await Program.run(arguments, in: folder)
  }

  /// Changes bytes of the database and gives them all.
  @discardableResult
  func damage(_ change: (inout [UInt8]) throws -> Void) throws -> [UInt8] {
    var bytes = try folder.bytes("data/log.db")
    try change(&bytes)
    try folder.write(bytes, to: "data/log.db")
    return bytes
  }
}

@Suite("Command line: repair of damaged folders")
struct RepairTests {
  @Test(
    "LOG-25: a folder without a readable database is repaired whole; verify says all is well of what was made"
  )
  func fromPages() async throws {
    let data = try await SealedData()
    let damaged = try data.damage { for at in 0..<100 { $0[at] = 0 } }
    #expect(try await data.run("verify", "--quiet").status == 1)
    let answer = try await data.run("repair", "mended", "--quiet")
    #expect(answer.status == 1, "\(answer.output) \(answer.errors)")
    #expect(
      answer.output.contains("1 rooms, \(SampleLog.count) events in mended.\nNothing is known to be lost;"))
    #expect(answer.output.contains("The database could not be opened"))
    #expect(try data.folder.bytes("data/log.db") == damaged, "the damaged folder is not changed")
    let verify = try await data.run("verify", "--level", "deep", "--data", "mended", "--quiet")
    #expect(verify.status == 0, "\(verify.output)")
    #expect(verify.output.contains("earlier: SQLite cannot read"), "\(verify.output)")
    #expect(try await SealedData.export(from: "mended", in: data.folder) == data.lines)
    let report = try data.folder.text("mended/repair.json")
    #expect(report.contains(#""isWhole":false,"isFromPages":true,"hasUnknownLoss":false"#))
    #expect(report.contains(#""events":60"#))
  }

  @Test("LOG-25: what is nowhere is named, the exit status is 1, and verify names it for ever")
  func lost() async throws {
    let data = try await SealedData()
    try data.damage { bytes in
      let magic = Array("BRB1".utf8)
      let start = try #require(bytes.indices.first { bytes[$0...].starts(with: magic) })
      bytes[start + 120] ^= 0xff
    }
    // The events stand in the journal, too: the repair would find them there.
    let journal = data.folder.path + "/data/journal"
    for name in try FileManager.default.contentsOfDirectory(atPath: journal) {
      let bytes = try data.folder.bytes("data/journal/" + name)
      let frames = [UInt8](repeating: 0, count: bytes.count - 4_096)
      try data.folder.write(bytes.prefix(4_096) + frames, to: "data/journal/" + name)
    }
    let answer = try await data.run("repair", "mended", "--quiet", "--json")
    #expect(answer.status == 1, "\(answer.output) \(answer.errors)")
    #expect(answer.output.contains(#""lost":[[1,60]],"isEndKnown":true,"newEpoch":true"#), "\(answer.output)")
    let verify = try await data.run("verify", "--data", "mended", "--quiet")
    #expect(verify.output.contains("earlier: "))
    #expect(verify.output.contains("revisions 1 to 60"))
  }

  @Test("LOG-25: of a folder that is well, repair makes the same, says that nothing is lost, and ends with 0")
  func sound() async throws {
    let data = try await SealedData()
    let answer = try await data.run("repair", "mended", "--quiet")
    #expect(answer.status == 0, "\(answer.output)")
    #expect(answer.output.hasSuffix("Nothing is lost.\n"), "\(answer.output)")
    let verify = try await data.run("verify", "--level", "deep", "--data", "mended", "--quiet")
    #expect(verify.status == 0, "\(verify.output)")
    #expect(verify.output.contains("All is well."), "\(verify.output)")
    #expect(try await SealedData.export(from: "mended", in: data.folder) == data.lines)
  }

  @Test("LOG-25: --in-place puts the damaged folder aside, byte for byte, and the repaired one in its place")
  func inPlace() async throws {
    let data = try await SealedData()
    let damaged = try data.damage { for at in 0..<100 { $0[at] = 0 } }
    let answer = try await data.run("repair", "--in-place")
    #expect(answer.status == 1, "\(answer.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: data.folder.path).sorted()
    let aside = try #require(names.first { $0.hasPrefix("data.damaged-") })
    #expect(!names.contains { $0.hasPrefix("data.repaired") })
    #expect(try data.folder.bytes(aside + "/log.db") == damaged)
    #expect(try await data.run("verify", "--quiet").status == 0)
    #expect(try await SealedData.export(from: "data", in: data.folder) == data.lines)
  }

  @Test("LOG-25: what cannot be repaired, and where: typed errors, and nothing is left")
  func refused() async throws {
    let data = try await SealedData()
    for (call, status) in [
      ([], 64), (["mended", "--in-place"], 64), (["made"], 73), (["mended", "--data", "nowhere"], 66),
    ] as [([String], Int32)] {
      let answer = try await Program.run(["repair"] + call, in: data.folder)
      #expect(answer.status == status, "\(call): \(answer.errors)")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: data.folder.path).filter {
      // Where the test keeps what programs print.
      !$0.hasSuffix(".out") && !$0.hasSuffix(".err")
    }
    #expect(names.sorted() == ["data", "made", "room.jsonl"])
  }
}
