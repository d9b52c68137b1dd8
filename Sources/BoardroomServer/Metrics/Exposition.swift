/// A metric whose value is taken when somebody asks, and not counted as things happen.
public struct MetricSample: Sendable, Hashable {
  /// The type of a metric.
  public enum Form: String, Sendable, Hashable { case counter, gauge }
  public var name: String
  public var form: Form
  public var help: String
  public var value: Double
  /// Names and values of its labels; mostly none.
  public var labels: [String: String]

  public init(
    _ name: String, _ form: Form, _ value: Double, labels: [String: String] = [:], help: String
  ) {
    self.name = name
    self.form = form
    self.help = help
    self.value = value
    self.labels = labels
  }
}

/// A histogram that somebody else counted: `counts` has one for each bound and one for all above.
public struct MetricHistogram: Sendable, Hashable {
  public var name: String
  public var help: String
  public var bounds: [Double]
  public var counts: [Int64]
  public var sum: Double

  public init(_ name: String, bounds: [Double], counts: [Int64], sum: Double, help: String) {
    self.name = name
    self.help = help
    self.bounds = bounds
    self.counts = counts
    self.sum = sum
  }
}

/// The text format of Prometheus, version 0.0.4.
struct Exposition {
  private(set) var text = ""
  private var described: Set<String> = []

  mutating func add(_ sample: MetricSample) {
    describe(sample.name, sample.form.rawValue, sample.help)
    let labels = sample.labels.map { PrometheusRegistry.Label(name: $0.key, value: $0.value) }.sorted()
    line(sample.name, labels, sample.value)
  }

  mutating func add(_ sample: MetricHistogram) {
    describe(sample.name, "histogram", sample.help)
    histogram(sample.name, [], sample.bounds, sample.counts, sample.sum)
  }

  mutating func add(_ registry: PrometheusRegistry) {
    for (key, series) in registry.all() {
      let help = registry.help(for: key.name)
      switch series {
      case .counter(let counter):
        describe(key.name, "counter", help)
        line(key.name, key.labels, Double(counter.value))
      case .gauge(let gauge):
        describe(key.name, "gauge", help)
        line(key.name, key.labels, gauge.value)
      case .histogram(let histogram):
        describe(key.name, "histogram", help)
        let counts = histogram.counts
        self.histogram(key.name, key.labels, histogram.bounds, counts.counts, counts.sum)
      }
    }
  }

  private mutating func describe(_ name: String, _ type: String, _ help: String?) {
    guard described.insert(name).inserted else { return }
    if let help { text += "# HELP \(name) \(Self.escaped(help))\n" }
    text += "# TYPE \(name) \(type)\n"
  }

  private mutating func histogram(
    _ name: String, _ labels: [PrometheusRegistry.Label], _ bounds: [Double], _ counts: [Int64], _ sum: Double
  ) {
    var below: Int64 = 0
    for (place, count) in counts.enumerated() {
      below += count
      let bound = place < bounds.count ? Self.number(bounds[place]) : "+Inf"
      line(name + "_bucket", labels + [.init(name: "le", value: bound)], Double(below))
    }
    line(name + "_sum", labels, sum)
    line(name + "_count", labels, Double(below))
  }

  private mutating func line(_ name: String, _ labels: [PrometheusRegistry.Label], _ value: Double) {
    text += name
    if !labels.isEmpty {
      let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
      text += "{" + pairs.joined(separator: ",") + "}"
    }
    text += " " + Self.number(value) + "\n"
  }

  /// Whole numbers without a fraction, so that a count reads as one.
  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    // 2^53: up to there a Double holds every whole number.
    return value == value.rounded() && abs(value) < 9_007_199_254_740_992
      ? String(Int64(value)) : String(value)
  }

  static func escaped(_ text: String, quotes: Bool = false) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
