import BoardroomAccess
import BoardroomWebhooks
import EventLogModel

/// The file `RETENTION`: since when the folder's server removes deleted rooms. For a room that was deleted
/// before, the time counts from then on, so that nothing is removed at the first start of a server that has
/// retention. Without the file, or with another content, the time begins anew, and everything stays for
/// longer.
struct RetentionRecord: Sendable, Equatable {
  static let fileName = "RETENTION"
  private static let title = "boardroom retention 1"

  var since: Timestamp

  init(since: Timestamp) { self.since = since }

  init?(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count >= 2, lines[0] == Self.title, lines[1].hasPrefix("since "),
      let time = Int64(lines[1].dropFirst(6)), time >= 0
    else { return nil }
    since = Timestamp(milliseconds: time)
  }

  var text: String { "\(Self.title)\nsince \(since.milliseconds)\n" }

  /// The record of the folder. If there is none, it begins at `now` and is written; if that fails, the time
  /// begins with the next start.
  static func taken(inFolder folder: String, at now: Timestamp) -> RetentionRecord {
    let path = "\(folder)/\(fileName)"
    if let bytes = (try? PlainFile.read(path)) ?? nil,
      let known = RetentionRecord(String(decoding: bytes, as: UTF8.self)),
      known.since <= now
    {
      return known
    }
    let record = RetentionRecord(since: now)
    try? PlainFile.write(Array(record.text.utf8), to: path)
    return record
  }
}
