import BoardroomAccess
import BoardroomModel
import BoardroomReplay
import BoardroomServer
import EventLogModel
import Foundation

/// One room in one file: `room.blocks` (docs/FORMAT.md, "Block files"), its images, `proof.json`, and `proof.sig`, the
/// Ed25519 signature of `proof.json`.
enum RoomArchive {
  static let blocks = "room.blocks"
  static let proof = "proof.json"
  static let signature = "proof.sig"
  static let images = "images/"

  /// The content of `proof.json`, which is signed.
  struct Proof: Codable, Equatable {
    var format = "boardroom archive 1"
    var room: String
    var epoch: String
    /// Events of the log, which begins with its first.
    var events: UInt64
    /// Of the state after the last event: 64 hexadecimal digits.
    var stateHash: String
    /// SHA-256 of `room.blocks`.
    var blocks: String
    /// Names of the images, each the SHA-256 of its content and its kind.
    var images: [String]
    var made: String
    /// The public key of the folder that it was made from.
    var signer: String

    var bytes: [UInt8] {
      get throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return Array(try encoder.encode(self)) + [0x0A]
      }
    }
  }

  // MARK: Writing

  /// Writes the archive under another name and renames it when it is complete. If that fails, the unfinished
  /// file is removed.
  static func write(
    _ recording: Recording, images: [(name: String, bytes: [UInt8])], stateHash: String, key: SigningKey,
    to path: String, progress: (Revision) -> Void
  ) async throws -> Proof {
    let part = path + ".part"
    guard FileManager.default.createFile(atPath: part, contents: nil, attributes: [.posixPermissions: 0o600]),
      let file = FileHandle(forWritingAtPath: part)
    else { throw Failure(.cannotCreate, "\(part) cannot be made.", "Choose another place.", at: part) }
    do {
      let now = Date()
      let proof = try await fill(
        file, recording, images, stateHash, key, now: now, progress: progress)
      try file.synchronize()
      try file.close()
      guard rename(part, path) == 0 else {
        throw Failure(.cannotCreate, "\(path) cannot be made: \(String(cString: strerror(errno))).", at: path)
      }
      return proof
    } catch {
      try? file.close()
      unlink(part)
      throw error
    }
  }

  private static func fill(
    _ file: FileHandle, _ recording: Recording, _ images: [(name: String, bytes: [UInt8])],
    _ stateHash: String, _ key: SigningKey, now: Date, progress: (Revision) -> Void
  ) async throws -> Proof {
    let seconds = Int(now.timeIntervalSince1970)
    func write(_ bytes: [UInt8]) throws { try file.write(contentsOf: Data(bytes)) }
    func add(_ name: String, _ bytes: [UInt8]) throws {
      try write(TarFile.header(name: name, size: bytes.count, seconds: seconds) + bytes)
      try write(TarFile.padding(after: bytes.count))
    }
    // The header is written again later, because the length of the blocks is known only after writing them.
    try write([UInt8](repeating: 0, count: TarFile.blockBytes))
    var (digest, size) = (ContentDigest(), 0)
    let events = try await BlockExport.write(recording, progress: progress) { bytes in
      digest.add(bytes)
      size += bytes.count
      try write(bytes)
    }
    try write(TarFile.padding(after: size))
    for image in images { try add(Self.images + image.name, image.bytes) }
    let made = Timestamp(milliseconds: Int64(now.timeIntervalSince1970 * 1_000)).iso8601
    let proof = Proof(
      room: recording.room.description, epoch: recording.info.epoch.description, events: UInt64(events),
      stateHash: stateHash, blocks: digest.text, images: images.map(\.name), made: made,
      signer: key.publicKey)
    let bytes = try proof.bytes
    try add(Self.proof, bytes)
    try add(signature, try key.signature(of: bytes))
    try write(TarFile.end)
    try file.seek(toOffset: 0)
    try write(TarFile.header(name: blocks, size: size, seconds: seconds))
    return proof
  }

  // MARK: Reading

  /// An archive of which every byte was checked.
  struct CheckedArchive: Sendable {
    var room: RoomID
    var proof: Proof
    /// Where the blocks are in the file.
    var blocks: TarFile.TarEntry
    var images: [TarFile.TarEntry]
  }

  /// Checks signature, blocks and images. Throws `Failure` with what is wrong.
  ///
  /// - Parameter signer: the public key that must have signed it; nil: the one that the archive names.
  static func check(_ path: String, signer: String?) throws -> CheckedArchive {
    let entries = try TarFile.entries(of: path)
    func entry(_ name: String) throws -> TarFile.TarEntry {
      guard let entry = entries.first(where: { $0.name == name }) else {
        throw Failure(.badInput, "\(path) has no \(name): it is no archive of a room.", at: path)
      }
      return entry
    }
    let bytes = try content(of: try entry(proof), in: path, upTo: 64 << 20)
    guard let proof = try? JSONDecoder().decode(Proof.self, from: Data(bytes)),
      proof.format == "boardroom archive 1",
      let room = RoomID(proof.room)
    else {
      throw Failure(
        .badInput, "\(path): \(Self.proof) is not one of this version.", "Use a newer build.", at: path)
    }
    let signed = try content(of: try entry(signature), in: path, upTo: 64)
    guard SigningKey.isSigned(bytes, signature: signed, by: proof.signer) else {
      throw Failure(
        .badInput, "\(path): the signature is not that of \(Self.proof).", "It was changed, or is damaged.",
        at: path)
    }
    if let signer, signer.lowercased() != proof.signer {
      throw Failure(.forbidden, "\(path) was signed by \(proof.signer), and not by \(signer).", at: path)
    }
    let blocks = try entry(blocks)
    try requireDigest(proof.blocks, of: blocks, in: path)
    let images = try proof.images.map { name in
      let image = try entry(Self.images + name)
      guard let digest = name.split(separator: ".").first else {
        throw Failure(.badInput, "\(path): \(Self.proof) names an image that cannot be one.", at: path)
      }
      try requireDigest(String(digest), of: image, in: path)
      return image
    }
    return CheckedArchive(room: room, proof: proof, blocks: blocks, images: images)
  }

  private static func requireDigest(_ digest: String, of entry: TarFile.TarEntry, in path: String) throws {
    let input = try InputFile(path, from: entry.offset, bytes: entry.size)
    var found = ContentDigest()
    while let piece = try input.next() { found.add(piece) }
    guard found.text == digest else {
      throw Failure(
        .badInput, "\(path): \(entry.name) is not what was signed.", "It was changed, or is damaged.",
        at: path)
    }
  }

  static func content(of entry: TarFile.TarEntry, in path: String, upTo limit: Int) throws -> [UInt8] {
    guard entry.size <= limit else {
      throw Failure(
        .badInput, "\(path): \(entry.name) has \(entry.size) bytes, and may have \(limit).", at: path)
    }
    let input = try InputFile(path, from: entry.offset, bytes: entry.size)
    var bytes: [UInt8] = []
    while let piece = try input.next() { bytes += piece }
    return bytes
  }
}
