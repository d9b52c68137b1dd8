import EventLogModel

/// The file `SWEEP` in the data folder: how far the search for images that nothing names has come. Without
/// it, or with another content, the search begins anew, and images stay for longer.
struct SweepRecord: Sendable, Equatable {
  static let fileName = "SWEEP"
  private static let title = "boardroom sweep 1"

  /// One pass over all logs.
  struct Pass: Sendable, Equatable {
    var begun: Timestamp
    /// The log that is being read, or was read last, and how far it was read.
    var at: SweepPosition?
    /// `room/name` of each image that is looked for and was not found named yet.
    var left: Set<String>

    struct SweepPosition: Sendable, Equatable {
      var log: LogID
      var revision: Revision
    }
  }

  var pass: Pass?
  /// When the last pass ended.
  var ended: Timestamp?
  /// `room/name` of each image that the last pass found named nowhere.
  var unnamed: Set<String> = []
  /// The last image that a pass has looked for; there may be more images than one pass takes.
  var reached: String?
  /// When this was written. If the clock is behind it, the clock was set back.
  var written: Timestamp = .zero

  init() {}

  init?(_ text: String) {
    let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    // The last line has the number of the others, so that a part of the file is not taken for the whole.
    guard lines.count >= 2, lines[0].joined(separator: " ") == Self.title,
      lines[lines.count - 1] == ["lines", "\(lines.count)"]
    else { return nil }
    for line in lines[1..<lines.count - 1] { guard parse(line) else { return nil } }
  }

  private mutating func parse(_ line: [String]) -> Bool {
    let time = line.count == 2 ? Int64(line[1]).map { Timestamp(milliseconds: $0) } : nil
    switch line.first {
    case "written":
      guard let time else { return false }
      written = time
    case "ended":
      guard let time else { return false }
      ended = time
    case "begun":
      guard let time else { return false }
      pass = Pass(begun: time, left: [])
    case "reached" where line.count == 2: reached = line[1]
    case "unnamed" where line.count == 2: unnamed.insert(line[1])
    case "left" where line.count == 2 && pass != nil: pass?.left.insert(line[1])
    case "at" where line.count == 3 && pass != nil:
      guard let log = LogID(line[1]), let revision = UInt64(line[2]) else { return false }
      pass?.at = .init(log: log, revision: Revision(revision))
    default: return false
    }
    return true
  }

  var text: String {
    var lines = [Self.title, "written \(written.milliseconds)"]
    if let ended { lines.append("ended \(ended.milliseconds)") }
    if let reached { lines.append("reached \(reached)") }
    lines += unnamed.sorted().map { "unnamed \($0)" }
    if let pass {
      lines.append("begun \(pass.begun.milliseconds)")
      if let at = pass.at { lines.append("at \(at.log) \(at.revision)") }
      lines += pass.left.sorted().map { "left \($0)" }
    }
    lines.append("lines \(lines.count + 1)")
    return lines.map { $0 + "\n" }.joined()
  }
}

/// The search of a server for images that nothing names, as commands see it.
public enum ImageSearch {
  /// Its file in the data folder. Commands that bring events into the folder from elsewhere remove it.
  public static let fileName = SweepRecord.fileName
}
