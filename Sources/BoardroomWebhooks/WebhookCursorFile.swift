import BoardroomAccess
import BoardroomModel
import EventLogModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The cursors of one endpoint, on disk: a text file to which lines are appended, and which is written anew
/// from time to time.
///
///     <room> <epoch> <revision> <check>     the endpoint has everything up to and with this revision
///     <room> - <check>                      the room is gone
///     failing <ms since 1970, or -> <check> since when the endpoint has failed
///
/// The check is FNV-1a (32 bits) of the text before it, in hexadecimal. Of two lines about one room the later
/// one counts. A line with a wrong check is left out: some events are then told twice, which is allowed. The
/// file is written before the next request goes out, so that nothing is repeated after `kill -9`. It is
/// synced once a second, so that after a power cut one second's events are repeated.
package struct WebhookCursorFile {
  /// What an earlier run of the server has written.
  struct SavedCursors: Sendable, Equatable {
    var cursors: [RoomID: Cursor] = [:]
    var failingSince: Timestamp?
    /// Whether there was no file, so that the endpoint is new.
    var isNew = true
    var badLines = 0
  }

  package typealias Failure = PlainFile.Failure

  static let syncEvery: Duration = .seconds(1)
  /// When the file has so many more lines than rooms, it is written anew.
  private static let spareLines = 4_096

  let folder: String
  let path: String
  private var file: Int32 = -1
  private var lines = 0
  private var isTorn = false
  /// When the file has to be synced; nil if it is synced.
  private(set) var syncDue: Timestamp?

  init(folder: String, id: String) {
    self.folder = folder
    path = folder + "/" + id + Self.ending
  }

  // MARK: Reading

  func read() throws(Failure) -> SavedCursors {
    guard let bytes = try PlainFile.read(path) else { return SavedCursors() }
    return Self.content(of: bytes)
  }

  static func content(of bytes: [UInt8]) -> SavedCursors {
    var content = SavedCursors()
    content.isNew = false
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if !parse(String(decoding: line, as: UTF8.self), into: &content) { content.badLines += 1 }
    }
    return content
  }

  private static func parse(_ line: String, into content: inout SavedCursors) -> Bool {
    guard let end = line.lastIndex(of: " "), check(line[..<end]) == line[line.index(after: end)...] else {
      return false
    }
    let words = line[..<end].split(separator: " ")
    if words.count == 2, words[0] == "failing" {
      content.failingSince = Int64(words[1]).map { Timestamp(milliseconds: $0) }
      return true
    }
    guard let room = words.first.flatMap({ LogID(String($0)) }) else { return false }
    if words.count == 2, words[1] == "-" {
      content.cursors[room] = nil
      return true
    }
    guard words.count == 3, let epoch = Epoch(String(words[1])), let revision = UInt64(words[2]) else {
      return false
    }
    content.cursors[room] = Cursor(epoch: epoch, revision: Revision(revision))
    return true
  }

  // MARK: Writing

  /// Writes the file anew: whole, synced and in one step, or not at all.
  mutating func rewrite(_ cursors: [RoomID: Cursor], failingSince: Timestamp?) throws(Failure) {
    close()
    try PlainFile.write(Array(Self.text(of: cursors, failingSince: failingSince).utf8), to: path)
    file = try PlainFile.openForAdding(path)
    lines = cursors.count
    (isTorn, syncDue) = (false, nil)
  }

  /// Such a file as a whole.
  package static func text(of cursors: [RoomID: Cursor], failingSince: Timestamp? = nil) -> String {
    var text = failingSince.map { line(failingSince: $0) } ?? ""
    for (room, cursor) in cursors.sorted(by: { $0.key < $1.key }) {
      text += line(WebhookMoves.CursorMove(room: room, cursor: cursor))
    }
    return text
  }

  /// How the names of such files end.
  package static let ending = ".cursors"

  /// Appends lines. They count from then on, also if the process is killed.
  mutating func add(
    _ moves: [WebhookMoves.CursorMove], failingSince: Timestamp??, at now: Timestamp
  ) throws(Failure) {
    var text = isTorn ? "\n" : ""
    for move in moves { text += Self.line(move) }
    if let failingSince { text += Self.line(failingSince: failingSince) }
    guard !text.isEmpty else { return }
    let bytes = Array(text.utf8)
    isTorn = PlainFile.add(bytes, to: file) != bytes.count
    lines += moves.count
    syncDue = syncDue ?? now + Self.syncEvery
    if isTorn { throw .io(operation: "write", path: path, code: errno) }
  }

  /// Whether the file has grown so much that it should be written anew.
  func isLong(for rooms: Int) -> Bool { lines > 2 * rooms + Self.spareLines }

  mutating func sync() throws(Failure) {
    guard syncDue != nil else { return }
    syncDue = nil
    guard fsync(file) == 0 else { throw .io(operation: "fsync", path: path, code: errno) }
  }

  mutating func close() {
    if file >= 0 { PlainFile.close(file) }
    file = -1
  }

  // MARK: Lines

  private static func line(_ move: WebhookMoves.CursorMove) -> String {
    guard let cursor = move.cursor else { return checked("\(move.room) -") }
    return checked("\(move.room) \(cursor.epoch) \(cursor.revision)")
  }

  private static func line(failingSince: Timestamp?) -> String {
    checked("failing " + (failingSince?.description ?? "-"))
  }

  private static func checked(_ text: String) -> String { text + " " + check(text[...]) + "\n" }

  /// FNV-1a, 32 bits (draft-eastlake-fnv).
  private static func check(_ text: Substring) -> String {
    String(text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }, radix: 16)
  }
}
