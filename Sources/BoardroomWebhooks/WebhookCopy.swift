import BoardroomAccess
import BoardroomModel
import EventLogModel
import Foundation

/// The part of webhooks in a copy of a data folder: the cursor of each endpoint, the secret that the server
/// made, and the events that endpoints will never be told. Without it a restored server would take each
/// endpoint for a new one, which begins at the present end, and would sign with a secret that no receiver
/// has.
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

  /// The path, in a data folder, of the secret that the server has made for signing.
  public static let secretPath = "\(Webhooks.folder)/\(Webhooks.secretName)"

  private var cursors: [String: WebhookCursorFile.SavedCursors] = [:]
  private var files: [String: [UInt8]] = [:]

  /// Reads the files in the data folder `data`. Call it before rooms are copied, so that no cursor goes
  /// beyond the copy. Throws an error with call, path and `errno`.
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

  /// The same of a store whose cursors are for all nodes; the files in the folder are those of one of them.
  ///
  /// - Parameter cursors: how far each endpoint was told, by its id.
  public init(of data: String, cursors known: [String: [RoomID: Cursor]]) throws {
    try self.init(of: data)
    cursors = known.mapValues { cursors in
      var saved = WebhookCursorFile.SavedCursors()
      (saved.cursors, saved.isNew) = (cursors, false)
      return saved
    }
  }

  /// From files that a server has sent: their names in the folder of webhooks, and their content.
  public init(files sent: [String: [UInt8]]) {
    for (name, bytes) in sent where Self.isPlain(name) {
      if name.hasSuffix(Self.suffix) {
        cursors[String(name.dropLast(Self.suffix.count))] = WebhookCursorFile.content(of: bytes)
      } else {
        files[name] = bytes
      }
    }
  }

  /// Whether it is a plain file name without a path, because the names come from outside.
  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".")
      && name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2E || byte == 0x2D
      }
  }

  private static let suffix = WebhookCursorFile.ending

  /// Lines of cursors with a wrong check: events of these rooms are told again.
  public var badLines: Int { cursors.values.reduce(0) { $0 + $1.badLines } }

  /// Writes it to the data folder of the copy. The cursors get the epochs of the copied rooms; rooms that are
  /// not in `lives` are left out.
  public func write(to data: String, lives: [RoomID: Life]) throws {
    guard !cursors.isEmpty || !files.isEmpty else { return }
    let folder = data + "/" + Webhooks.folder
    try PlainFile.makeFolder(folder)
    try writeFiles(to: data)
    for (id, content) in cursors {
      var file = WebhookCursorFile(folder: folder, id: id)
      try file.rewrite(Self.moved(content.cursors, lives), failingSince: content.failingSince)
      file.close()
    }
  }

  /// The cursors of each endpoint as they are to be in a copy.
  public func cursors(lives: [RoomID: Life]) -> [String: [RoomID: Cursor]] {
    cursors.mapValues { Self.moved($0.cursors, lives) }
  }

  private static func moved(_ cursors: [RoomID: Cursor], _ lives: [RoomID: Life]) -> [RoomID: Cursor] {
    let moved = cursors.compactMap { room, cursor -> (RoomID, Cursor)? in
      guard let life = lives[room], life.epoch == cursor.epoch else { return nil }
      let revision = min(cursor.revision, life.copied.revision)
      return (room, Cursor(epoch: life.copied.epoch, revision: revision))
    }
    return Dictionary(uniqueKeysWithValues: moved)
  }

  /// Without cursors: for a copy whose cursors are kept elsewhere.
  public func writeFiles(to data: String) throws {
    guard !files.isEmpty else { return }
    let folder = data + "/" + Webhooks.folder
    try PlainFile.makeFolder(folder)
    for (name, bytes) in files { try PlainFile.write(bytes, to: folder + "/" + name) }
  }
}
