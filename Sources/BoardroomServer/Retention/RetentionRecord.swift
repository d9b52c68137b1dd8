import BoardroomAccess
import BoardroomWebhooks
import EventLogModel

/// Since when a data folder's server removes deleted rooms: the file `RETENTION`. A room that was deleted before counts from then
/// on, so that nothing goes at the first start of a server that knows of retention. Without the file, or with
/// another content, the time begins anew: then everything stays for longer.
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

  /// What the folder says; from `now` on if it says nothing, and that is written down. Where it cannot be written it is the
  /// next start that begins.
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
