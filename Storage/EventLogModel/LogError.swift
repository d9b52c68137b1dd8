/// What a log store refuses or fails at: what, where, and what to do. Never holds a payload.
public enum LogError: Error, Sendable, Hashable {
  /// No log of this name. Create it first.
  case noSuchLog(LogID)
  /// A log of this name is there already.
  case logExists(LogID)
  /// The log was deleted; its name is not used again.
  case deleted(LogID)
  /// An import of the log was begun and not finished. Import the same file again, or discard what is there.
  case unfinished(LogID, last: Revision, of: Revision)
  /// Another writer has opened this log since, or the epoch is of another life. Open it again.
  case fenced(LogID)
  /// The log is not at the revision that the writer expected. Read on and decide again.
  case conflict(LogID, expected: Revision, actual: Revision)
  /// The events asked for are below the first one kept. Start from a snapshot or from `low`.
  case trimmed(LogID, low: Revision)
  /// A revision that the log has not reached.
  case beyondEnd(LogID, asked: Revision, last: Revision)
  /// A record or batch over a limit, in bytes.
  case tooLarge(bytes: Int, limit: Int)
  /// No new events are taken at present. Reads go on; try again. There is no space, or, where `isSilent` is true, the place
  /// does not answer: a database that is away.
  case full(place: String, isSilent: Bool = false)
  /// The store met a failure whose outcome is unknown, and takes no more events. Start it again: everything
  /// that was acknowledged is there. Where that is not so, the reason is sentences that say what helps.
  case stopped(reason: String)
  /// A call to the operating system failed.
  case io(operation: String, path: String, code: Int32)
  /// Stored bytes are not what was written.
  case damaged(Damage)
  /// Another process has this folder open for writing.
  case locked(path: String)
  /// The folder was written by a version that this one cannot read.
  case incompatible(path: String, found: String, supported: String)
  /// The first start in this folder was ended before its database was whole. Nothing was stored in it.
  case unstarted(path: String)
  /// A snapshot part was named but never stored.
  case missingPart(LogID, key: String)
  /// Opened for reading only.
  case readOnly
  /// Another node owns the log: it alone appends, and has the newest events. `address` is where other nodes
  /// reach it.
  case elsewhere(LogID, node: String, address: String)
  /// The log has no owner at this moment: its node is dead and not recovered yet, or gives the log up. Try
  /// again soon.
  case changingOwner(LogID)
  /// Other nodes took this one for dead and fenced it for ever. Its logs are others' now, and it appends
  /// nothing more; everything that was acknowledged is there. Open the store again as a new incarnation.
  case nodeFenced(place: String)
}

/// One damaged place: what is wrong, where, which events are lost, and what can still be read.
public struct Damage: Error, Sendable, Hashable {
  public var what: String
  /// File and, where known, the offset in bytes.
  public var place: String
  public var offset: Int?
  public var log: LogID?
  /// The revisions that cannot be read, where known.
  public var lost: ClosedRange<UInt64>?

  public init(
    what: String, place: String, offset: Int? = nil, log: LogID? = nil, lost: ClosedRange<UInt64>? = nil
  ) {
    self.what = what
    self.place = place
    self.offset = offset
    self.log = log
    self.lost = lost
  }
}

extension Damage {
  private static let nothingIsLost = "nothing is lost"

  /// The beginning of the text of a gap whose loss was accepted.
  package static let missingEvents = "events missing"

  /// Whether a start with *accept loss* accepted it: later events were appended with the loss known.
  public var isAcceptedLoss: Bool { what.hasPrefix(Self.missingEvents) && log != nil && lost != nil }

  /// Damage to bytes whose content is stored a second time in the folder.
  public static func harmless(_ what: String, place: String, offset: Int? = nil) -> Damage {
    Damage(
      what: "\(what); all that they held is in the database, \(nothingIsLost)", place: place, offset: offset)
  }

  /// Whether nothing is lost. The text says so, because damage that was noted long ago has nothing but its
  /// text.
  public var isHarmless: Bool { what.hasSuffix(Self.nothingIsLost) }
}

extension [Damage] {
  /// How many revisions of all logs are lost by these together, each counted once.
  public var lostRevisions: Int {
    var lost: [LogID: [ClosedRange<UInt64>]] = [:]
    for damage in self {
      if let log = damage.log, let range = damage.lost { lost[log, default: []].append(range) }
    }
    var count: UInt64 = 0
    for ranges in lost.values {
      var end: UInt64 = 0
      for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.upperBound > end {
        count += range.upperBound - Swift.max(end, range.lowerBound - 1)
        end = range.upperBound
      }
    }
    return Int(clamping: count)
  }
}

extension Damage: CustomStringConvertible {
  public var description: String {
    var text = "\(what) in \(place)"
    if let offset { text += " at byte \(offset)" }
    if let log { text += ", log \(log)" }
    if let lost { text += ", revisions \(lost.lowerBound) to \(lost.upperBound)" }
    return text
  }
}

extension LogError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noSuchLog(let log): "There is no log \(log). Create it first."
    case .logExists(let log): "The log \(log) exists already. Open it, or choose another name."
    case .deleted(let log): "The log \(log) was deleted; its name is not used again."
    case .unfinished(let log, let last, let total):
      "The import of \(log) is not finished: \(last) of \(total) events are there. "
        + "Run `boardroom import` with the same file again, or give it up with `boardroom import --discard \(log)`."
    case .fenced(let log): "Another writer holds the log \(log). Open it again before appending."
    case .conflict(let log, let expected, let actual):
      "The log \(log) is at revision \(actual), not \(expected). Read on and decide again."
    case .trimmed(let log, let low):
      "The log \(log) begins at revision \(low); what came before was removed by retention."
    case .beyondEnd(let log, let asked, let last):
      "The log \(log) ends at revision \(last); \(asked) has not happened."
    case .tooLarge(let bytes, let limit): "\(bytes) bytes are over the limit of \(limit)."
    case .full(let place, true):
      "\(place) does not answer, and takes no new events. What is known without it is shown. "
        + "Check that it runs, and that it can be reached from here."
    case .full(let place, false): "No space for new events in \(place). Free some; reading goes on meanwhile."
    case .stopped(let reason) where reason.hasSuffix("."): "The log store has stopped: \(reason)"
    case .stopped(let reason):
      "The log store has stopped: \(reason). Start it again; every acknowledged event is there."
    case .io(let operation, let path, let code): "\(operation) failed on \(path) (error \(code))."
    case .damaged(let damage): "Damage: \(damage). Run `boardroom verify` to see what is readable."
    case .locked(let path): "\(path) is open for writing in another process. Stop it, or use another folder."
    case .incompatible(let path, let found, let supported):
      "\(path) has format \(found); this build reads \(supported). Use a newer build."
    case .unstarted(let path):
      "The first start in \(path) was cut short, and nothing is stored there yet. "
        + "Start `boardroom serve --data \(path)` once more: it completes it."
    case .missingPart(let log, let key): "The snapshot of \(log) names the part \(key), which is not stored."
    case .readOnly: "The store is open for reading only."
    case .elsewhere(let log, let node, let address):
      "The log \(log) is at the node \(node), at \(address). Ask there."
    case .changingOwner(let log): "The log \(log) is changing its owner. Try again in a moment."
    case .nodeFenced(let place):
      "Other nodes have fenced this one at \(place). Start it again; every acknowledged event is there."
    }
  }
}
