import EventLogModel
import Foundation
import Testing

@testable import BoardroomAccess
@testable import BoardroomServer

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
