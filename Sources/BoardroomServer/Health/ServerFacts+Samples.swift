import BoardroomHTTP
import EventLogModel

extension ServerFacts {
  /// The facts that are numbers, and the version as the label of one.
  var samples: [MetricSample] {
    let free = diskFree.map {
      MetricSample(
        "boardroom_disk_free_bytes", .gauge, Double($0),
        help: "Bytes that can yet be written to the disk of the data folder.")
    }
    return [
      MetricSample(
        "boardroom_build_info", .gauge, 1, labels: ["version": Self.version],
        help: "Always 1; the label `version` is the version of the program."),
      MetricSample(
        "process_start_time_seconds", .gauge, Double(started.milliseconds) / 1_000,
        help: "When the server started, in seconds since 1970."),
    ] + (free.map { [$0] } ?? [])
  }
}
