import EventLogModel
import Foundation
import Testing

@testable import BoardroomAccess

/// A folder that is gone afterwards.
func withFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
  let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(LogID.random())").path
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  return try body(folder)
}

@Test("Keys are made at the first use, are the same at the next, and only the owner may read them")
func keysAreMadeOnce() throws {
  try withFolder { folder in
    let made = try KeyFile.open(inFolder: folder)
    #expect(try KeyFile.open(inFolder: folder) == made)
    #expect(made.pairs.count == 1)
    // 256 bits in base64.
    #expect(made.signer.secret.count == 43)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + KeyFile.name)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }
}

@Test("FILE-8: what a first start that was killed left is no key file, and goes")
func aCutKeyFileIsMadeAnew() throws {
  try withFolder { folder in
    let left = "\(folder)/\(KeyFile.name).7.draft"
    try Data("{\"team\":".utf8).write(to: URL(fileURLWithPath: left))
    let made = try KeyFile.open(inFolder: folder)
    #expect(try KeyFile.open(inFolder: folder) == made)
    #expect(try PlainFile.names(in: folder) == [KeyFile.name])
  }
}

@Test("FILE-8: of many that make one file at once, one does, and the others find it whole")
func oneOfManyMakesTheFile() async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(LogID.random())").path
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  let rings = try await withThrowingTaskGroup(of: KeyRing.self) { group in
    for _ in 0..<32 { group.addTask { try KeyFile.open(inFolder: folder) } }
    return try await group.reduce(into: []) { $0.append($1) }
  }
  #expect(Set(rings.map { $0.signer.id }).count == 1)
  #expect(try PlainFile.names(in: folder) == [KeyFile.name])
}

@Test("FILE-8: a folder that is not there has no files; of one that cannot be read that is not said")
func namesOfAFolder() throws {
  try withFolder { folder in
    try Data().write(to: URL(fileURLWithPath: folder + "/b"))
    try Data().write(to: URL(fileURLWithPath: folder + "/a"))
    #expect(try PlainFile.names(in: folder) == ["a", "b"])
    #expect(try PlainFile.names(in: folder + "/none") == [])
    #expect(try PlainFile.names(in: folder + "/a") == [])
    try FileManager.default.createSymbolicLink(atPath: folder + "/loop", withDestinationPath: "loop")
    #expect(throws: PlainFile.Failure.io(operation: "opendir", path: folder + "/loop", code: ELOOP)) {
      _ = try PlainFile.names(in: folder + "/loop")
    }
  }
}

@Test("FILE-8: a file that is written anew has the old bytes or the new; an unfinished one is in no copy")
func filesAreReplacedWhole() throws {
  try withFolder { folder in
    let path = folder + "/record"
    try PlainFile.write([1, 2, 3], to: path)
    try Data([9]).write(to: URL(fileURLWithPath: path + ".new"))
    #expect(try PlainFile.read(path) == [1, 2, 3])
    try PlainFile.write([4], to: path)
    #expect(try PlainFile.read(path) == [4])
    #expect(try PlainFile.names(in: folder) == ["record"])
    #expect(throws: PlainFile.Failure.io(operation: "create", path: path, code: EEXIST)) {
      try PlainFile.create([5], at: path)
    }
    #expect(try PlainFile.read(path) == [4])
    #expect(PlainFile.isUnfinished("secret.7.draft"))
    #expect(PlainFile.isUnfinished("9.cursors.new"))
    #expect(!PlainFile.isUnfinished("9.cursors"))
  }
}

@Test("A key file holds several pairs, and comes back as it was written")
func keyFilesComeBack() {
  let ring = KeyRing(pairs: [.random(), .random(), .random()])
  #expect(KeyFile.ring(KeyFile.bytes(of: ring)) == ring)
}

@Test("A damaged key file is refused, never replaced", arguments: ["", "{}", "{\"keys\":[]}", "nonsense"])
func damagedKeyFilesStay(_ content: String) throws {
  try withFolder { folder in
    let path = folder + "/" + KeyFile.name
    try Data(content.utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: KeyFile.Failure.malformed(path: path)) { try KeyFile.open(inFolder: folder) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(content.utf8))
  }
}

@Test("RIGHT-10: a key file that names one access key twice keeps the server from starting, and says where")
func doubleKeysAreRefused() throws {
  try withFolder { folder in
    let path = folder + "/" + KeyFile.name
    let pairs = ["a", "b", "a"].map { KeyPair(id: $0, secret: "secret of \($0)") }
    try Data(KeyFile.bytes(of: KeyRing(pairs: pairs))).write(to: URL(fileURLWithPath: path))
    #expect(throws: KeyFile.Failure.duplicate(path: path, first: 1, second: 3)) {
      try KeyFile.open(inFolder: folder)
    }
    let text = "\(KeyFile.Failure.duplicate(path: path, first: 1, second: 3))"
    #expect(text.contains("1 and 3"))
    #expect(!text.contains("secret of"))
  }
}

@Test("A key's description leaves its secret out")
func secretsAreNotDescribed() {
  let pair = KeyPair.random()
  #expect(!"\(pair)".contains(pair.secret))
}

@Test(
  "FILE-3: every turned bit of a key file is found, with what helps; one without a check is taken as it is")
func everyFlipOfAKeyFileIsFound() throws {
  try withFolder { folder in
    let made = try KeyFile.open(inFolder: folder)
    let url = URL(fileURLWithPath: folder + "/" + KeyFile.name)
    let sound = [UInt8](try Data(contentsOf: url))
    for bit in 0..<sound.count * 8 {
      var turned = sound
      turned[bit / 8] ^= 1 << (bit % 8)
      try Data(turned).write(to: url)
      #expect(throws: KeyFile.Failure.self, "bit \(bit)") { try KeyFile.open(inFolder: folder) }
    }
    #expect("\(KeyFile.Failure.changed(path: "k"))".contains("`check`"))
    let text = String(decoding: sound, as: UTF8.self)
    let end = try #require(text.range(of: ",\"check\""))
    try Data((text[..<end.lowerBound] + "}\n").utf8).write(to: url)
    #expect(try KeyFile.open(inFolder: folder) == made)
  }
}
