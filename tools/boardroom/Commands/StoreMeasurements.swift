import BoardroomHTTP
import BoardroomReplay
import BoardroomServer
import EventLog
import EventLogModel

extension StoreWatch {
  /// The metrics and checks of a store; the scrub of a folder, too.
  init(_ store: any ServedStore, _ settings: ServerSettings) {
    self.init {
      store.refusal
    } samples: {
      Self.samples(store.statistics) + (store.commitOutcomes.map(Self.samples) ?? [])
        + (store.node.map(Self.samples) ?? [])
    } histograms: {
      [Self.latency(store.statistics.commitLatency)]
    } commitUnderWay: {
      store.commitUnderWay
    }
    if !settings.place.isDatabase {
      let folder = settings.folder
      scrub = { place throws(LogError) in
        let scrub = try Scrub(folder: folder, from: Scrub.ScrubPosition(place))
        return ScrubPass(total: scrub.total, before: scrub.before) { () throws(LogError) in
          try scrub.next().map(ScrubPass.Step.init)
        }
      }
    }
    identity = store.identity
    if settings.databaseDurability == .standbys { isReplicated = { store.isReplicated } }
  }

  /// The values of an empty store, for the reference.
  static var reference: StoreWatch {
    StoreWatch {
      nil
    } samples: {
      samples(StoreStatistics()) + samples(CommitOutcomes()) + samples(NodeMeasurements())
    } histograms: {
      [latency(LatencyHistogram())]
    }
  }

  private static func samples(_ outcomes: CommitOutcomes) -> [MetricSample] {
    [
      MetricSample(
        "boardroom_database_unknown_total", .counter, Double(outcomes.unknown),
        help: "With a database: commits whose outcome was not known at first. Each was looked up."),
      MetricSample(
        "boardroom_database_resent_total", .counter, Double(outcomes.resent),
        help: "Those of them that had not been written, and were sent again."),
    ]
  }

  private static func samples(_ now: NodeMeasurements) -> [MetricSample] {
    [
      MetricSample(
        "boardroom_node_incarnation", .gauge, Double(now.incarnation),
        help: "Of one of several nodes: the number of its start. It rises with each start of any node."),
      MetricSample(
        "boardroom_nodes", .gauge, Double(now.nodes), help: "Living nodes of the database, this one included."
      ),
      MetricSample(
        "boardroom_nodes_recovered_total", .counter, Double(now.recovered),
        help: "Lost nodes whose logs this one has recovered."),
      MetricSample(
        "boardroom_database_silence_seconds", .gauge, now.silence,
        help: "For how long the database has not answered this node; half a second is usual."),
      MetricSample(
        "boardroom_clock_ahead_seconds", .gauge, now.clockAhead,
        help: "How far this machine's clock is ahead of the database's, at least; negative: behind it."),
    ]
  }

  private static func samples(_ now: StoreStatistics) -> [MetricSample] {
    [
      MetricSample("boardroom_log_commits_total", .counter, Double(now.commits), help: "Group commits."),
      MetricSample("boardroom_log_events_total", .counter, Double(now.events), help: "Events committed."),
      MetricSample(
        "boardroom_log_runs_total", .counter, Double(now.runs), help: "Runs committed, one a log and commit."),
      MetricSample(
        "boardroom_log_raw_bytes_total", .counter, Double(now.rawBytes), help: "Bytes of events committed."),
      MetricSample(
        "boardroom_log_journal_bytes_total", .counter, Double(now.journalBytes),
        help: "Bytes written to the journal."),
      MetricSample(
        "boardroom_log_seals_total", .counter, Double(now.seals), help: "Transactions of the sealer."),
      MetricSample(
        "boardroom_log_sealed_bytes_total", .counter, Double(now.sealedBytes), help: "Bytes of events sealed."
      ),
      MetricSample(
        StoreWatch.sealFailures, .counter, Double(now.sealFailures), help: "Seals that failed."),
      MetricSample(
        "boardroom_log_commit_stalls_total", .counter, Double(now.commitStalls),
        help: "Commits that waited for the sealer or for space."),
      MetricSample(
        "boardroom_log_commit_waiting_seconds", .gauge, now.commitUnderWay / .seconds(1),
        help: "Age of the group commit that is under way, which is that of the oldest event not committed."),
      MetricSample(
        "boardroom_log_segments", .gauge, Double(now.segmentsInUse), help: "Journal segments in use."),
      MetricSample(
        "boardroom_log_unsealed_bytes", .gauge, Double(now.unsealedBytes),
        help: "Bytes that only the journal holds."),
      MetricSample(
        "boardroom_log_tail_bytes", .gauge, Double(now.tailBytes),
        help: "Bytes of events in the store's memory."),
      MetricSample(
        "boardroom_log_lost_revisions", .gauge, Double(now.lostRevisions),
        help: "Revisions that damage took away and a start went on without."),
      MetricSample("boardroom_logs", .gauge, Double(now.logs), help: "Rooms that the store keeps."),
      MetricSample("boardroom_logs_open", .gauge, Double(now.openLogs), help: "Rooms open for appending."),
    ]
  }

  private static func latency(_ histogram: LatencyHistogram) -> MetricHistogram {
    MetricHistogram(
      StoreWatch.commitSeconds, bounds: LatencyHistogram.bounds.map { Double($0) / 1_000_000 },
      counts: histogram.counts.map(Int64.init), sum: Double(histogram.total) / 1_000_000_000,
      help: "Time of a group commit's write and flush.")
  }
}

extension Scrub.ScrubPosition {
  /// - Parameter place: `number:revision`, as `text`; any other means the beginning.
  init(_ place: String?) {
    let numbers = place?.split(separator: ":").compactMap { UInt64($0) } ?? []
    self =
      numbers.count == 2
      ? Scrub.ScrubPosition(number: numbers[0], revision: Revision(numbers[1])) : .beginning
  }

  var text: String { "\(number):\(revision)" }
}

extension ScrubPass.Step {
  init(_ step: Scrub.Step) {
    self.init(bytes: step.bytes, damages: step.damages.map(\.description), place: step.place.text)
  }
}

/// Block files as `boardroom export --blocks` writes them, for the server's log route.
struct StoredBlocks: BlockFileFormat {
  func header(of info: LogInfo) -> [UInt8] {
    BlockFile.encode(
      BlockFile.Header(room: info.log, epoch: info.epoch, created: info.created, last: info.last))
  }
  func piece(_ stored: StoredRun) -> [UInt8] { BlockFile.encode(stored) }
  func end(pieces: Int) -> [UInt8] { BlockFile.encodeEnd(pieces: pieces) }
}
