import BoardroomHTTP
import EventLogModel

extension ServerFacts {
  /// The facts that are numbers.
  var samples: [MetricSample] {
    let free = diskFree.map {
      MetricSample(
        "boardroom_disk_free_bytes", .gauge, Double($0),
        help: "Bytes that can yet be written to the disk of the data folder.")
    }
    return [
      MetricSample(
        "process_start_time_seconds", .gauge, Double(started.milliseconds) / 1_000,
        help: "When the server started, in seconds since 1970.")
    ] + (free.map { [$0] } ?? [])
  }
}
