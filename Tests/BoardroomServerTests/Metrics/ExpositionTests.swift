import CoreMetrics
import Testing

@testable import BoardroomServer

@Test(
  "Measurements are written in Prometheus's text format: help, type, labels in order, buckets that add up")
func expositionIsExact() {
  let registry = PrometheusRegistry(help: ["requests_total": "Answers,\nby \\ code."])
  let plain = Counter(label: "requests_total", dimensions: [("code", "200")], factory: registry)
  plain.increment(by: 3)
  Counter(label: "requests_total", dimensions: [("code", "4\"0\\4\n")], factory: registry).increment()
  Gauge(label: "open.rooms", dimensions: [], factory: registry).record(2.5)
  let timer = Timer(label: "wait_seconds", dimensions: [("b", "1"), ("a", "2")], factory: registry)
  for nanoseconds in [50_000, 1_500_000, 20_000_000_000] as [Int64] { timer.recordNanoseconds(nanoseconds) }

  var exposition = Exposition()
  exposition.add(MetricSample("ready", .gauge, 1, help: "1 if ready."))
  exposition.add(MetricHistogram("commit", bounds: [0.5, 1], counts: [1, 0, 2], sum: 9.5, help: "Time."))
  exposition.add(registry)
  let waits = HistogramSeries.durations.enumerated().map { place, bound in
    let count = place == 0 ? 1 : bound < 0.0015 ? 1 : 2
    return "wait_seconds_bucket{a=\"2\",b=\"1\",le=\"\(Exposition.number(bound))\"} \(count)"
  }
  let expected =
    [
      "# HELP ready 1 if ready.", "# TYPE ready gauge", "ready 1",
      "# HELP commit Time.", "# TYPE commit histogram", "commit_bucket{le=\"0.5\"} 1",
      "commit_bucket{le=\"1\"} 1",
      "commit_bucket{le=\"+Inf\"} 3", "commit_sum 9.5", "commit_count 3",
      "# TYPE open_rooms gauge", "open_rooms 2.5",
      "# HELP requests_total Answers,\\nby \\\\ code.", "# TYPE requests_total counter",
      "requests_total{code=\"200\"} 3", "requests_total{code=\"4\\\"0\\\\4\\n\"} 1",
      "# TYPE wait_seconds histogram",
    ] + waits + [
      "wait_seconds_bucket{a=\"2\",b=\"1\",le=\"+Inf\"} 3", "wait_seconds_sum{a=\"2\",b=\"1\"} 20.00155",
      "wait_seconds_count{a=\"2\",b=\"1\"} 3",
    ]
  let found = exposition.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
  #expect(found.count == expected.count)
  for (found, expected) in zip(found, expected) { #expect(found == expected) }
}

@Test("The same name and labels are the same series, in whatever order the labels came")
func seriesAreFoundAgain() {
  let registry = PrometheusRegistry()
  Counter(label: "c", dimensions: [("a", "1"), ("b", "2")], factory: registry).increment()
  Counter(label: "c", dimensions: [("b", "2"), ("a", "1")], factory: registry).increment()
  #expect(registry.all().count == 1)
  var exposition = Exposition()
  exposition.add(registry)
  #expect(exposition.text == "# TYPE c counter\nc{a=\"1\",b=\"2\"} 2\n")
}

@Test("Names that Prometheus does not take are made ones that it does")
func namesAreMadeValid() {
  let table = [("a.b-c", "a_b_c"), ("9lives", "_9lives"), ("", "_"), ("größe", "gr____e"), ("ok_1", "ok_1")]
  for (name, valid) in table { #expect(PrometheusRegistry.valid(name) == valid) }
}
