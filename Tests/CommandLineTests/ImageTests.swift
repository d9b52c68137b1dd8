import Foundation
import Testing

/// A folder with one room that names one image, which is there.
private struct ImageFolder {
  static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
  /// SHA-256 of these bytes.
  static let name = "7f47b756761a46e6d4a4d96f0d8a4448f8449235009d1f3ad1493f5c773c19e8.png"
  static let path = "data/images/\(SampleLog.room)/\(name)"

  let folder: Folder

  init() async throws {
    folder = try Folder()
    let room = SampleLog.room
    let line =
      #"{"rev":61,"t":1700000006000,"by":0,"n":59,"kind":"magix","body":{"event":"image","payload":{"src":""#
      + "/v5/rooms/\(room)/images/\(Self.name)" + "\"}}}\n"
    try folder.write(SampleLog.text + line, to: "room.jsonl")
    let made = try await Program.run("import", "room.jsonl", "--room", room, "--quiet", in: folder)
    #expect(made.status == 0, "\(made.errors)")
    try FileManager.default.createDirectory(
      atPath: folder.path + "/data/images/\(room)", withIntermediateDirectories: true)
    try folder.write(Self.png, to: Self.path)
  }

  func run(_ arguments: String...) async throws -> Program.Answer {
    try await Program.run(arguments, in: folder)
  }

  func flip(_ bit: Int) throws {
    var bytes = Self.png
    bytes[bit / 8] ^= 1 << (bit % 8)
    try folder.write(bytes, to: Self.path)
  }
}

@Suite("Command line: images of boards are checked")
struct ImageTests {
  @Test("IMG-2: verify reads every image at full, looks for those of the boards at quick, and names each")
  func verify() async throws {
    let images = try await ImageFolder()
    for level in ["quick", "full", "deep"] {
      let sound = try await images.run("verify", "--level", level, "--quiet")
      #expect(sound.status == 0, "\(level): \(sound.output)")
      #expect(sound.output.contains("1 images"), "\(level): \(sound.output)")
    }
    for bit in [0, 29, 87] {
      try images.flip(bit)
      let answer = try await images.run("verify", "--quiet")
      #expect(answer.status == 1, "\(answer.output)")
      #expect(answer.output.contains("\(ImageFolder.name) is damaged"), "\(answer.output)")
      #expect(!answer.output.contains("All is well"))
    }
    try images.folder.write([], to: ImageFolder.path)
    let empty = try await images.run("verify", "--level", "quick", "--quiet", "--json")
    #expect(empty.status == 1, "\(empty.output)")
    #expect(empty.output.contains("it is empty"), "\(empty.output)")
    try FileManager.default.removeItem(atPath: images.folder.path + "/" + ImageFolder.path)
    for level in ["quick", "full"] {
      let gone = try await images.run("verify", "--level", level, "--quiet")
      #expect(gone.status == 1, "\(gone.output)")
      #expect(gone.output.contains("\(ImageFolder.name) is missing"), "\(gone.output)")
    }
    try FileManager.default.removeItem(atPath: images.folder.path + "/data/images")
    let bare = try await images.run("verify", "--level", "quick", "--quiet")
    #expect(bare.status == 1, "\(bare.output)")
    #expect(bare.output.contains("the folder data/images is missing"), "\(bare.output)")
  }

  @Test("IMG-2, IMG-3: a folder of images that cannot be listed is no empty one")
  func unlistable() async throws {
    let images = try await ImageFolder()
    // A folder that leads to itself: nobody can read it, also not who may read everything.
    let room = String(repeating: "e", count: 32)
    try FileManager.default.createSymbolicLink(
      atPath: images.folder.path + "/data/images/\(room)", withDestinationPath: room)
    let verified = try await images.run("verify", "--quiet")
    #expect(verified.status == 1, "\(verified.output)")
    #expect(verified.output.contains("data/images cannot be read"), "\(verified.output)")
    let copied = try await images.run("backup", "copy", "--quiet")
    #expect(copied.status != 0, "\(copied.output)")
  }

  @Test(
    "IMG-3: backup and export fail and name an image that is damaged or missing, and leave nothing; or say what is left"
  )
  func copies() async throws {
    let images = try await ImageFolder()
    let room = SampleLog.room
    #expect(try await images.run("backup", "good", "--quiet").status == 0)
    #expect(try images.folder.bytes("good/images/\(room)/\(ImageFolder.name)") == ImageFolder.png)
    for isMissing in [false, true] {
      try images.flip(40)
      if isMissing { try FileManager.default.removeItem(atPath: images.folder.path + "/" + ImageFolder.path) }
      let word = isMissing ? "is missing" : "is damaged"
      for arguments in [["backup", "copy"], ["export", room, "--output", "out.jsonl"], ["export", room]] {
        let answer = try await Program.run(arguments, in: images.folder)
        #expect(answer.status == 65, "\(arguments): \(answer.errors)")
        #expect(answer.errors.contains("\(ImageFolder.name) \(word)"), "\(answer.errors)")
        #expect(answer.output.isEmpty)
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: images.folder.path)
      #expect(left.allSatisfy { !$0.hasPrefix("copy") && !$0.hasPrefix("out.jsonl") }, "\(left)")
      let target = "lossy-\(isMissing)"
      let lossy = try await images.run("backup", target, "--accept-loss")
      #expect(lossy.status == 1, "\(lossy.errors)")
      #expect(lossy.errors.contains(word), "\(lossy.errors)")
      #expect(try await images.run("export", room, "--data", target, "--accept-loss").status == 1)
    }
  }
}

@Suite("Command line: copies are for their owner, and whole or not there")
struct CopyTests {
  /// Every file and folder below a folder whose rights are more than its owner's.
  private func open(_ path: String) throws -> [String] {
    let all = try FileManager.default.subpathsOfDirectory(atPath: path).map { path + "/" + $0 } + [path]
    return try all.filter {
      let rights = try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
      return (rights ?? 0o777) & 0o077 != 0
    }
  }

  @Test("FILE-1: what import, backup and export make nobody but its owner can read")
  func rights() async throws {
    let images = try await ImageFolder()
    let (folder, room) = (images.folder, SampleLog.room)
    let data = try open(folder.path + "/data").filter { !$0.contains("/images") }
    #expect(data.isEmpty, "import: \(data)")
    #expect(try await images.run("backup", "copy", "--quiet").status == 0)
    #expect(try await images.run("export", room, "-o", "out.jsonl").status == 0)
    #expect(try await images.run("verify", "--salvage", "rescued").status == 0)
    for name in ["copy", "out.jsonl", "rescued"] {
      let found =
        try name == "out.jsonl" ? Self.file(folder.path + "/out.jsonl") : open(folder.path + "/" + name)
      #expect(found.isEmpty, "\(name): \(found)")
    }
  }

  private static func file(_ path: String) throws -> [String] {
    let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    return rights == 0o600 ? [] : [path]
  }

  @Test(
    "FILE-2: a damaged journal is no source of a backup or an export: status 65, and nothing is left behind")
  func damagedJournal() async throws {
    let images = try await ImageFolder()
    let (folder, room) = (images.folder, SampleLog.room)
    // Both copies of the header.
    try Self.damageJournal(of: folder, at: [20, 2_068])
    for arguments in [["backup", "copy"], ["export", room, "-o", "out.jsonl"]] {
      let answer = try await Program.run(arguments, in: folder)
      #expect(answer.status == 65, "\(arguments): \(answer.status) \(answer.errors)")
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(left.allSatisfy { !$0.hasPrefix("copy") && !$0.hasPrefix("out.jsonl") }, "\(left)")
  }

  private static func damageJournal(of folder: Folder, at places: [Int]) throws {
    let journal = folder.path + "/data/journal"
    for name in try FileManager.default.contentsOfDirectory(atPath: journal)
    where name.hasSuffix(".brj") && !name.hasPrefix("spare-") {
      var bytes = try folder.bytes("data/journal/" + name)
      for place in places { bytes[place] ^= 0x10 }
      try folder.write(bytes, to: "data/journal/" + name)
    }
  }

  @Test("FILE-2: damage that takes nothing away is said, and the copy is whole: status 0")
  func harmlessDamage() async throws {
    let images = try await ImageFolder()
    let (folder, room) = (images.folder, SampleLog.room)
    let before = try await Program.run("export", room, in: folder).output
    try Self.damageJournal(of: folder, at: [20])
    for arguments in [["backup", "copy"], ["export", room, "-o", "out.jsonl"]] {
      let answer = try await Program.run(arguments, in: folder)
      #expect(answer.status == 0, "\(arguments): \(answer.status) \(answer.errors)")
      #expect(answer.errors.contains("one of the two copies"), "\(answer.errors)")
    }
    #expect(try folder.text("out.jsonl") == before)
  }

  @Test("FILE-2: a target that fills up is an end with status 74 that leaves nothing, wherever it is full")
  func fullTarget() async throws {
    let images = try await ImageFolder()
    // Files may be so large: what is larger fails as on a full disk, without one.
    for kibibytes in [8, 512, 12_000] {
      let answer = try await Self.limited(
        kibibytes, "backup copy --quiet", Program.url.path, in: images.folder.path)
      #expect(answer == 74, "\(kibibytes) KiB: \(answer)")
      let left = try FileManager.default.contentsOfDirectory(atPath: images.folder.path)
      #expect(left.allSatisfy { !$0.hasPrefix("copy") }, "\(left)")
    }
  }

  private static func limited(
    _ kibibytes: Int, _ arguments: String, _ program: String, in folder: String
  ) async throws -> Int32 {
    let program = try await StartedProgram(
      "/bin/sh", ["-c", "trap '' XFSZ; ulimit -f \(kibibytes * 2); exec '\(program)' \(arguments)"],
      in: folder,
      output: StartedProgram.file("/dev/null"), errors: StartedProgram.file("/dev/null"))
    return await program.ended()
  }
}
