import BoardroomAccess
import BoardroomModel
import EventLogModel
import Foundation

/// What a copy of a data folder takes along of its webhooks: how far each endpoint was told, the secret that the server made,
/// and what endpoints will never be told. Without them a restored server would take each endpoint for a new one, which
/// begins at the present end, and would sign with a secret that no receiver knows.
public struct WebhookCopy: Sendable, Equatable {
  /// One room in both folders.
  public struct Life: Sendable, Hashable {
    /// The room's epoch in the folder that is copied.
    public var epoch: Epoch
    /// Its epoch and last revision in the copy.
    public var copied: Cursor
    public init(epoch: Epoch, copied: Cursor) {
      self.epoch = epoch
      self.copied = copied
    }
  }

  /// Where in a data folder the secret is that a server has made for signing what it tells.
  public static let secretPath = "\(Webhooks.folder)/\(Webhooks.secretName)"

  private var cursors: [String: WebhookCursorFile.SavedCursors] = [:]
  private var files: [String: [UInt8]] = [:]

  /// Reads what there is in the data folder `data`; to be called before rooms are copied, so that no endpoint counts as told
  /// what is not in the copy. Throws an error that says call, path and the system's number.
  public init(of data: String) throws {
    let folder = data + "/" + Webhooks.folder
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names.sorted() {
      if name.hasSuffix(Self.suffix) {
        let id = String(name.dropLast(Self.suffix.count))
        cursors[id] = try WebhookCursorFile(folder: folder, id: id).read()
      } else if !PlainFile.isUnfinished(name), let bytes = try PlainFile.read(folder + "/" + name) {
        files[name] = bytes
      }
    }
  }

  /// Of what a server has sent of its own folder: names in the folder of webhooks, and what the files hold.
  public init(files sent: [String: [UInt8]]) {
    for (name, bytes) in sent where Self.isPlain(name) {
      if name.hasSuffix(Self.suffix) {
        cursors[String(name.dropLast(Self.suffix.count))] = WebhookCursorFile.content(of: bytes)
      } else {
        files[name] = bytes
      }
    }
  }

  /// Whether it names a file of the folder itself, wherever it came from.
  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".")
      && name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2E || byte == 0x2D
      }
  }

  private static let suffix = ".cursors"

  /// Lines of cursors that do not check: their rooms' events are told again.
  public var badLines: Int { cursors.values.reduce(0) { $0 + $1.badLines } }

  /// Writes it to the data folder of the copy. An endpoint is where it was in each room's new life; rooms that are not in
  /// `lives` are left out.
  public func write(to data: String, lives: [RoomID: Life]) throws {
    guard !cursors.isEmpty || !files.isEmpty else { return }
    let folder = data + "/" + Webhooks.folder
    try PlainFile.makeFolder(folder)
    for (name, bytes) in files { try PlainFile.write(bytes, to: folder + "/" + name) }
    for (id, content) in cursors {
      var file = WebhookCursorFile(folder: folder, id: id)
      let moved = content.cursors.compactMap { room, cursor -> (RoomID, Cursor)? in
        guard let life = lives[room], life.epoch == cursor.epoch else { return nil }
        let revision = min(cursor.revision, life.copied.revision)
        return (room, Cursor(epoch: life.copied.epoch, revision: revision))
      }
      try file.rewrite(Dictionary(uniqueKeysWithValues: moved), failingSince: content.failingSince)
      file.close()
    }
  }
}
