import BoardroomAccess
import BoardroomCodec
import BoardroomHTTP
import BoardroomModel
import BoardroomReplay
import BoardroomServer
import BoardroomWebhooks
import EventLogModel
import Foundation
import Synchronization

/// A server over HTTP as the source of a copy (FILE-7).
final class FollowedMachine: FollowSource {
  private let server: FollowedServer
  /// The key pair with which the server sends the files with secrets; nil: a token is used, and these files
  /// are left out.
  private let pair: KeyPair?
  private struct Known {
    var webhooks: (tag: String, copy: WebhookCopy)?
    var hasKeys = false
  }
  private let known = Mutex(Known())

  init(_ server: FollowedServer, pair: KeyPair?) { (self.server, self.pair) = (server, pair) }

  func identity() async throws -> String { try await server.identity() }

  func reading(
    _ work: (any FollowedLogs) async throws -> LogFollower.Pass
  ) async throws -> LogFollower.Pass { try await work(server) }

  // MARK: Files

  func webhooks() async throws -> WebhookCopy {
    let before = known.withLock { $0.webhooks }
    let (tag, body) = try await server.get("/v5/store/webhooks", unless: before?.tag)
    guard let body else { return before?.copy ?? WebhookCopy(files: [:]) }
    let copy = WebhookCopy(files: try Self.files(body))
    if let tag { known.withLock { $0.webhooks = (tag, copy) } }
    return copy
  }

  private static func files(_ body: [UInt8]) throws -> [String: [UInt8]] {
    guard let files = (try? JSONValue.parse(body))?["files"]?.array else {
      throw SourceFailure(RestOptions.strange)
    }
    let pairs = files.compactMap { file -> (String, [UInt8])? in
      guard let name = file["name"]?.string, let text = file["text"]?.string else { return nil }
      return (name, Array(text.utf8))
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// The only files with secrets that a copy takes, whatever a server sends.
  private static let secrets = [KeyFile.name, SigningKey.name, WebhookCopy.secretPath]

  /// Done once, because a server reads its keys only when it starts.
  func updateKeys(in target: String) async throws {
    guard let pair, !known.withLock({ $0.hasKeys }) else { return }
    let body = JSONValue.object([
      ("accessKey", .string(pair.id)), ("secretAccessKey", .string(pair.secret)),
    ])
    let files = try Self.files(try await server.post("/v5/store/keys", body))
    for name in Self.secrets {
      guard let bytes = files[name] else { continue }
      let path = target + "/" + name
      guard FileManager.default.contents(atPath: path).map(Array.init) != bytes else { continue }
      try NewFolder.write(bytes, to: path + ".new")
      guard rename(path + ".new", path) == 0 else {
        throw Failure(.io, "\(path) cannot be written: \(String(cString: strerror(errno)))", at: path)
      }
    }
    known.withLock { $0.hasKeys = true }
  }

  // MARK: Images

  private static let page = 1_000

  /// Calls `work` with each image that the server has.
  private func images(
    from first: String? = nil, _ work: (ImageCheck.Stored, _ bytes: Int) async throws -> Bool
  ) async throws {
    var after = first
    while true {
      let begin = after.map { "&after=\($0)" } ?? ""
      guard let page = try await server.json("/v5/store/images?limit=\(Self.page)\(begin)")["images"]?.array
      else { throw SourceFailure(RestOptions.strange) }
      for image in page {
        try Task.checkCancellation()
        guard let room = image["room"]?.string, let name = image["name"]?.string,
          let bytes = image["bytes"]?.int, let stored = ImageCheck.Stored(room: room, fileName: name)
        else { throw SourceFailure(RestOptions.strange) }
        after = "\(room)/\(name)"
        guard try await work(stored, bytes) else { return }
      }
      guard page.count == Self.page else { return }
    }
  }

  func addImages(to target: String) async throws -> (added: Int, damages: [String]) {
    let copied = ImageCheck(folder: target)
    var (added, damages): (Int, [String]) = (0, [])
    try await images { image, size in
      guard size == 0 || size != copied.size(of: image) else { return true }
      do {
        let bytes = try await server.get("/v5/rooms/\(image.room)/images/\(image.fileName)", of: image.room)
        guard image.stands(for: bytes) else {
          damages.append("the image \(image.path) was damaged on the way")
          return true
        }
        do { try NewFolder.write(bytes, to: target + "/" + image.path) } catch {
          throw Failure(
            .io, "\(target)/\(image.path) cannot be written: \(NewFolder.reason(error))", at: target)
        }
        added += 1
      } catch let refusal as Refusal {
        damages.append("the image \(image.path) cannot be shown by the server: \(refusal.cause)")
      } catch LogError.deleted {
        // An image that was removed since is not damaged.
      }
      return true
    }
    return (added, damages)
  }

  func removeErasedImages(of room: RoomID, in target: String) async throws {
    var here: Set<ImageCheck.Stored> = []
    // A name that sorts before every image of the room.
    try await images(from: "\(room)/\(String(repeating: "0", count: 64)).gif") { image, _ in
      if image.room == room { here.insert(image) }
      return image.room == room
    }
    for image in try ImageCheck(folder: target).all() where image.room == room && !here.contains(image) {
      try FileManager.default.removeItem(atPath: target + "/" + image.path)
    }
  }
}
