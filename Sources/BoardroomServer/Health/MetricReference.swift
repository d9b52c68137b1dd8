import BoardroomHTTP

/// Every measurement that `/metrics` shows, for docs/OPERATIONS.md.
public enum MetricReference {
  /// - Parameter store: the store's metrics; only their names and meanings are used.
  public static func markdown(store: StoreWatch) -> String {
    let ours =
      ServerMeasurements.samplesOfNothing + store.samples() + ProcessSamples.taken()
      + ServerFacts(data: ".").samples + Scrubber.ScrubFigures().samples + Retention.samples(.init())
    var rows = ours.map { row($0.name, $0.form.rawValue, $0.help) }
    rows += store.histograms().map { row($0.name, "histogram", $0.help) }
    // By Prometheus's rule the name of a counter ends in `_total`.
    rows += ServerMeasurements.help.map {
      let isTimed = $0.key == ServerMeasurements.requestSeconds
      return row(
        $0.key, isTimed ? "histogram" : $0.key.hasSuffix("_total") ? "counter" : "gauge", $0.value)
    }
    return (["| measurement | type | meaning |", "|---|---|---|"] + rows.sorted()).joined(separator: "\n")
  }

  private static func row(_ name: String, _ type: String, _ help: String) -> String {
    "| `\(name)` | \(type) | \(help) |"
  }
}
