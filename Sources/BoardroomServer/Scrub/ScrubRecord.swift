import BoardroomAccess
import BoardroomWebhooks
import EventLogModel
import Synchronization

/// How far the passes of a scrub have come, so that the next start goes on from there. Without it a pass begins anew;
/// nothing else depends on it. In a data folder it is the file `SCRUB`; with another content a pass begins anew, too.
public struct ScrubRecord: Sendable, Hashable {
  static let fileName = "SCRUB"
  private static let title = "boardroom scrub 1"

  /// When the pass under way began, and where it is; nil between two passes.
  public var began: Timestamp?
  public var place = ""
  /// When the last whole pass ended; nil before the first.
  public var finished: Timestamp?

  public init() {}

  init?(_ text: String) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    guard lines.popFirst().map(String.init) == Self.title else { return nil }
    for line in lines where !line.isEmpty {
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      guard words.count == 2 else { return nil }
      switch (words[0], Int64(words[1])) {
      case ("began", let time?): began = Timestamp(milliseconds: time)
      case ("finished", let time?): finished = Timestamp(milliseconds: time)
      case ("place", _): place = words[1]
      default: return nil
      }
    }
  }

  var text: String {
    var lines = [Self.title]
    if let began { lines.append("began \(began.milliseconds)") }
    if !place.isEmpty { lines.append("place \(place)") }
    if let finished { lines.append("finished \(finished.milliseconds)") }
    return lines.map { $0 + "\n" }.joined()
  }

  static func read(inFolder folder: String) -> ScrubRecord {
    guard let bytes = (try? PlainFile.read("\(folder)/\(fileName)")) ?? nil else { return ScrubRecord() }
    return ScrubRecord(String(decoding: bytes, as: UTF8.self)) ?? ScrubRecord()
  }

  /// If the record cannot be written, the next start begins a pass anew; nothing else is lost.
  func write(inFolder folder: String) {
    try? PlainFile.write(Array(text.utf8), to: "\(folder)/\(Self.fileName)")
  }
}

/// Where the record of a scrub is kept. Calls block.
public struct ScrubRecords: Sendable {
  /// The record, and whether this process makes the passes: of several that share a store one does.
  public var read: @Sendable () throws(LogError) -> (record: ScrubRecord, isOurs: Bool)
  /// Throws if the passes are another's now.
  public var write: @Sendable (ScrubRecord) throws(LogError) -> Void

  public init(
    read: @escaping @Sendable () throws(LogError) -> (record: ScrubRecord, isOurs: Bool),
    write: @escaping @Sendable (ScrubRecord) throws(LogError) -> Void
  ) {
    (self.read, self.write) = (read, write)
  }

  /// The file of a data folder, which one process serves. It is read once: on a full disk it may say later what was true before.
  init(inFolder folder: String) {
    let written = WrittenRecord()
    self.init {
      (written.last.withLock { $0 } ?? ScrubRecord.read(inFolder: folder), true)
    } write: { record in
      written.last.withLock { $0 = record }
      record.write(inFolder: folder)
    }
  }
}

/// What this process has last written of a record; nil before that.
private final class WrittenRecord: Sendable {
  let last = Mutex<ScrubRecord?>(nil)
}
