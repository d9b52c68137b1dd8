import BoardroomModel
import EventLogModel

/// What was read for a page and is of use for the next one.
struct FeedRest: Sendable {
  /// The names at the page's end: without them the log is read from its nearest snapshot on, for one event.
  var names: RoomNames
  /// The runs behind it. A page has one event where events are told one by one, and a block has some thousand.
  var runs: [Run] = []
}

/// What pages have left, by rooms. When there is too much of it, all of it is forgotten: it only saves reading.
struct FeedRests: Sendable {
  /// Rooms of which names are kept. 1,024: as many as have something to tell within some seconds.
  static let mostRooms = 1_024
  /// Names that are kept, of all rooms together. 100,000: some 10 MB.
  static let mostNames = 100_000
  /// Rooms of which runs are kept. 16, each with up to 256 KiB of records and a block more.
  static let mostRuns = 16
  /// How long runs are of use. 10 s: pages of a room that lags follow each other at once.
  static let keepsRuns = Duration.seconds(10)

  private var rests: [RoomID: (rest: FeedRest, until: Timestamp)] = [:]
  private var names = 0
  private var runs = 0

  func rest(of room: RoomID, at now: Timestamp) -> FeedRest? {
    guard var kept = rests[room] else { return nil }
    if kept.until <= now { kept.rest.runs = [] }
    return kept.rest
  }

  mutating func keep(_ rest: FeedRest, of room: RoomID, at now: Timestamp) {
    forget(room)
    let hasRuns = !rest.runs.isEmpty
    if rests.count >= Self.mostRooms || names + rest.names.count > Self.mostNames
      || hasRuns && runs >= Self.mostRuns
    {
      self = FeedRests()
    }
    rests[room] = (rest, now + Self.keepsRuns)
    names += rest.names.count
    runs += hasRuns ? 1 : 0
  }

  mutating func forget(_ room: RoomID) {
    guard let kept = rests.removeValue(forKey: room) else { return }
    names -= kept.rest.names.count
    runs -= kept.rest.runs.isEmpty ? 0 : 1
  }
}
