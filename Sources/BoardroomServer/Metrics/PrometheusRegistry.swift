import CoreMetrics
import Synchronization

/// Keeps the metrics of the process and writes them in the format of Prometheus. A few dozen series need no
/// package: ADR 0009.
public final class PrometheusRegistry: MetricsFactory, Sendable {
  /// One measurement with its labels.
  struct SeriesKey: Hashable, Sendable {
    var name: String
    var labels: [Label]
    /// Series of one name stand together.
    var order: [String] { [name] + labels.map(\.value) }
  }

  struct Label: Hashable, Sendable, Comparable {
    var name: String
    var value: String
    static func < (left: Label, right: Label) -> Bool { left.name < right.name }
  }

  enum Series: Sendable {
    case counter(CounterSeries)
    case gauge(GaugeSeries)
    case histogram(HistogramSeries)
  }

  private let series = Mutex<[SeriesKey: Series]>([:])
  private let help: [String: String]

  /// `help`: a sentence for each name, written as `# HELP`.
  public init(help: [String: String] = [:]) { self.help = help }

  func all() -> [(key: SeriesKey, series: Series)] {
    series.withLock { all in all.map { ($0.key, $0.value) } }
      .sorted { $0.key.order.lexicographicallyPrecedes($1.key.order) }
  }

  func help(for name: String) -> String? { help[name] }

  private func find<Kind>(
    _ label: String, _ dimensions: [(String, String)], made: () -> Kind, wrap: (Kind) -> Series,
    unwrap: (Series) -> Kind?
  ) -> Kind {
    let key = Self.key(label, dimensions)
    return series.withLock { all in
      // A name that is used for two types is a mistake in this code: the second one counts, but is not shown.
      if let known = all[key] { return unwrap(known) ?? made() }
      let new = made()
      all[key] = wrap(new)
      return new
    }
  }

  private static func key(_ label: String, _ dimensions: [(String, String)]) -> SeriesKey {
    SeriesKey(
      name: valid(label), labels: dimensions.map { Label(name: valid($0.0), value: $0.1) }.sorted())
  }

  /// Letters, digits and underscores, not beginning with a digit.
  static func valid(_ name: String) -> String {
    let letters = name.utf8.map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        byte
      default: UInt8(ascii: "_")
      }
    }
    let text = String(decoding: letters, as: UTF8.self)
    return text.first?.isNumber ?? true ? "_" + text : text
  }

  // MARK: MetricsFactory

  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    find(label, dimensions, made: CounterSeries.init, wrap: Series.counter) { series in
      if case .counter(let counter) = series { counter } else { nil }
    }
  }

  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    gauge(label, dimensions)
  }

  /// Without aggregation a gauge, with it a histogram.
  public func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    aggregate
      ? histogram(label, dimensions, bounds: HistogramSeries.sizes, scale: 1) : gauge(label, dimensions)
  }

  /// A histogram in seconds.
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    histogram(label, dimensions, bounds: HistogramSeries.durations, scale: 1e-9)
  }

  private func gauge(_ label: String, _ dimensions: [(String, String)]) -> GaugeSeries {
    find(label, dimensions, made: GaugeSeries.init, wrap: Series.gauge) { series in
      if case .gauge(let gauge) = series { gauge } else { nil }
    }
  }

  private func histogram(
    _ label: String, _ dimensions: [(String, String)], bounds: [Double], scale: Double
  ) -> HistogramSeries {
    find(label, dimensions) {
      HistogramSeries(bounds: bounds, scale: scale)
    } wrap: {
      .histogram($0)
    } unwrap: { series in
      if case .histogram(let histogram) = series { histogram } else { nil }
    }
  }

  // Prometheus expects that a counter stays once it was shown, so no series is removed.
  public func destroyCounter(_ handler: any CounterHandler) {}
  public func destroyMeter(_ handler: any MeterHandler) {}
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  public func destroyTimer(_ handler: any TimerHandler) {}
}
