import BoardroomHTTP
import BoardroomModel
import BoardroomReplay
import BoardroomServer
import BoardroomWebhooks
import EventLog
import EventLogModel
import Foundation

/// The source of a copy: a data folder of this machine, or a server over HTTP. Besides the logs it has
/// images, webhooks and keys.
protocol FollowSource: Sendable {
  /// The identity of the store.
  func identity() async throws -> String
  /// Calls `work` with the logs as they are now.
  func reading(_ work: (any FollowedLogs) async throws -> LogFollower.Pass) async throws -> LogFollower.Pass
  /// The cursors of endpoints. Called before the logs are read.
  func webhooks() async throws -> WebhookCopy
  /// Adds the images that the copy does not have.
  func addImages(to target: String) async throws -> (added: Int, damages: [String])
  /// Removes from the copy the images of a room that the source no longer has.
  func removeErasedImages(of room: RoomID, in target: String) async throws
  func updateKeys(in target: String) async throws
}

/// A data folder that is opened for reading, while its server may run.
struct FollowedFolder: FollowSource {
  let folder: FolderOption
  private func beside() throws -> PartsBesideLog { try PartsBesideLog(of: folder) }

  /// Empty if the store cannot be read at present; the pass then reports why.
  func identity() async throws -> String {
    do {
      return try await folder.readingWhole { $0.identity }
    } catch is LogError {
      return ""
    }
  }

  func reading(
    _ work: (any FollowedLogs) async throws -> LogFollower.Pass
  ) async throws -> LogFollower.Pass {
    try await folder.readingWhole { try await work(StoredLogs($0)) }
  }

  func webhooks() async throws -> WebhookCopy { try folder.webhooks() }

  func addImages(to target: String) async throws -> (added: Int, damages: [String]) {
    let (added, damages) = try beside().addImages(to: target)
    return (added, damages.map(\.description))
  }

  func removeErasedImages(of room: RoomID, in target: String) async throws {
    try beside().removeErasedImages(of: room, in: target)
  }

  func updateKeys(in target: String) async throws { try beside().updateKey(in: target) }
}

/// The file `FOLLOWS` in a copy: which store it follows, so that a copy of one server never gets the logs of
/// another.
struct FollowRecord {
  static let name = "FOLLOWS"
  private static let title = "boardroom follows 1"

  /// Compares the copy's record with the source, or writes it.
  static func check(_ target: String, follows identity: String, adopting: Bool) throws {
    guard !identity.isEmpty else { return }
    let path = target + "/" + name
    if let bytes = FileManager.default.contents(atPath: path) {
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      if lines.count == 2, lines[0] == title, lines[1] == "store \(identity)" { return }
      guard adopting else {
        throw Failure(
          .badInput,
          "\(target) follows another store than this one.",
          "Make a new copy; or, if this server goes on from a backup or a repair of that store, say --adopt.",
          at: target)
      }
    }
    try NewFolder.write(Array("\(title)\nstore \(identity)\n".utf8), to: path + ".new")
    guard rename(path + ".new", path) == 0 else {
      throw Failure(.io, "\(path) cannot be written: \(String(cString: strerror(errno)))", at: path)
    }
  }
}
