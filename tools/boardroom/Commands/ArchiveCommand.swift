import ArgumentParser
import BoardroomAccess
import BoardroomHTTP
import BoardroomModel
import BoardroomReplay
import BoardroomServer
import EventLogModel
import Foundation

struct ArchiveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive",
    abstract: "Write one room, whole and signed, to a file.",
    discussion: """
      The file is a tar file with the room's stored blocks, its images, and a proof: how many events there are, the hash of the
      state after the last one, and the SHA-256 of everything. The proof is signed with the data folder's own key (signing.key,
      Ed25519), which is made at the first use. The room is folded from its first event on before that, so a damaged one is
      not archived. A server may be running.

      `boardroom import FILE` checks all of it, brings the room into another folder, and proves that it is the same. Tell its
      receivers your public key by another way; --signer holds them to it.

      Examples:
        boardroom archive 0123456789abcdef0123456789abcdef lesson.tar
        boardroom archive --public-key
        boardroom import lesson.tar --data elsewhere --signer KEY
      """)

  @Argument(help: "The room's uuid, or --room.") var first: String?
  @Argument(help: "The file to write.") var second: String?
  @Option(help: "The room's uuid.") var room: RoomID?
  @Flag(help: "Print the public key of the data folder.") var publicKey = false
  @OptionGroup var folder: FolderOption
  @Flag(help: "The proof on standard output.") var json = false
  @Flag(help: "No progress on standard error.") var quiet = false

  /// The room and the file; nil if they are not named, or a word too many is.
  private var named: (room: RoomID, file: String)? {
    if let room { return second == nil ? first.map { (room, $0) } : nil }
    return first.flatMap { RoomID(argument: $0) }.flatMap { room in second.map { (room, $0) } }
  }

  func validate() throws {
    guard publicKey ? first == nil && room == nil : named != nil else {
      throw ValidationError("Name a room by its uuid and a file, or say --public-key alone.")
    }
  }

  func run() async throws {
    try await answering {
      try folder.requireStore()
      guard let (room, file) = named else {
        let key = try key().publicKey
        return Terminal.line(json ? "{\"publicKey\":\(Text.json(key))}" : key, isJSON: json)
      }
      guard !FileManager.default.fileExists(atPath: file) else {
        throw Failure(.cannotCreate, "\(file) exists already.", "Name a new file.", at: file)
      }
      let proof = try await untilInterrupted(leaving: file + ".part") { try await write(room, to: file) }
      printProof(proof, file)
    }
  }

  private func key() throws -> SigningKey {
    do { return try SigningKey.open(inFolder: folder.folder) } catch let failure as SigningKey.Failure {
      throw Failure(.badInput, sentences: failure.description)
    }
  }

  private func write(_ room: RoomID, to file: String) async throws -> RoomArchive.Proof {
    try await folder.readingWhole { store in
      let key = try key()
      let recording = try await Recording.open(room, in: store)
      guard recording.info.low <= 1 else {
        throw Failure(
          .noInput,
          "\(room) begins at revision \(recording.info.low): retention has removed what came before.",
          "An archive has whole rooms; `boardroom backup` takes what is left.")
      }
      let folding = Progress("Folding", quiet: quiet)
      let found = try await DeepVerify.run(recording) { folding.show($0, of: $1) }
      folding.end()
      guard found.findings.isEmpty, let hash = found.stateHash else {
        let what = found.findings.first.map(String.init(describing:)) ?? "its state cannot be known"
        throw Failure(
          .badInput, "\(room) is damaged (\(what)), and is not archived.", "See `boardroom verify`.")
      }
      let progress = Progress("Writing", quiet: quiet)
      defer { progress.end() }
      return try await RoomArchive.write(
        recording, images: try await images(of: recording, in: store), stateHash: Text.hex(hash), key: key,
        to: file, progress: { progress.show($0 - .zero, of: recording.info.last - .zero) })
    }
  }

  /// The images that the room names and has.
  private func images(
    of recording: Recording, in store: any LogStore
  ) async throws -> [(name: String, bytes: [UInt8])] {
    var named = try await NamedImages(in: store)
    try await named.add(recording)
    let check = try folder.images()
    return try named.all.filter { $0.room == recording.room }.sorted { $0.path < $1.path }.map { image in
      do throws(ImageDamage) { return (image.fileName, try check.read(image)) } catch {
        throw Failure(.badInput, "\(error).", DamagedImages.cure)
      }
    }
  }

  private func printProof(_ proof: RoomArchive.Proof, _ file: String) {
    if json {
      let bytes = (try? proof.bytes) ?? []
      return Terminal.line(String(decoding: bytes.dropLast(), as: UTF8.self), isJSON: true)
    }
    guard !quiet else { return }
    Terminal.note(
      "\(proof.events) events, \(Text.count(proof.images.count, "image")) in \(file), signed by \(proof.signer)."
    )
  }
}
