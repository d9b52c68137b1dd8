import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import Logging
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes log lines to standard error, as text or as one JSON object each. Its callers give it no tokens and
/// no payloads.
public struct LogLines: LogHandler {
  public var metadata: Logger.Metadata = [:]
  public var logLevel: Logger.Level
  private let label: String
  private let format: ServerSettings.LogFormat
  private let sink: @Sendable ([UInt8]) -> Void

  public init(
    label: String, level: Logger.Level, format: ServerSettings.LogFormat,
    sink: @escaping @Sendable ([UInt8]) -> Void = { bytes in _ = write(STDERR_FILENO, bytes, bytes.count) }
  ) {
    self.label = label
    logLevel = level
    self.format = format
    self.sink = sink
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    let pairs = all.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
    let time = Timestamp.wallClock.iso8601
    switch format {
    case .text: sink(text(event, pairs, time))
    case .json: sink(json(event, pairs, time))
    }
  }

  /// One line, whatever the words hold, without control characters (TERM-1): with a line end in it, words
  /// could forge another line.
  private func text(_ event: LogEvent, _ pairs: [(String, String)], _ time: String) -> [UInt8] {
    let rest = pairs.map { " \($0.0)=\($0.1)" }.joined()
    let line = "\(time) \(event.level.rawValue) \(event.message)\(rest)"
    return VisibleText.line(line).utf8 + [UInt8(ascii: "\n")]
  }

  private func json(_ event: LogEvent, _ pairs: [(String, String)], _ time: String) -> [UInt8] {
    let first = [
      ("time", time), ("level", event.level.rawValue), ("logger", label), ("message", "\(event.message)"),
    ]
    let object = JSONValue.object((first + pairs).map { ($0.0, .string($0.1)) })
    return VisibleText.json(object.text.text).utf8 + [UInt8(ascii: "\n")]
  }
}

/// Passes on what a library logs until the server ends. From then on the library logs the closing of its
/// ports as errors, and these lines are dropped.
struct LinesUntilEnd: LogHandler {
  private var base: any LogHandler
  private let isEnding: @Sendable () -> Bool

  init(_ base: any LogHandler, isEnding: @escaping @Sendable () -> Bool) {
    self.base = base
    self.isEnding = isEnding
  }

  var metadata: Logger.Metadata {
    get { base.metadata }
    set { base.metadata = newValue }
  }
  var logLevel: Logger.Level {
    get { base.logLevel }
    set { base.logLevel = newValue }
  }
  var metadataProvider: Logger.MetadataProvider? {
    get { base.metadataProvider }
    set { base.metadataProvider = newValue }
  }
  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { base[metadataKey: key] }
    set { base[metadataKey: key] = newValue }
  }

  func log(event: LogEvent) {
    guard !isEnding() else { return }
    base.log(event: event)
  }
}

extension Logger {
  /// The logger of the HTTP library. Its lines of level info are dropped, because the server logs the same
  /// itself.
  func forHTTP(until isEnding: @escaping @Sendable () -> Bool) -> Logger {
    var quiet = self
    quiet.logLevel = max(logLevel, .notice)
    quiet.handler = LinesUntilEnd(quiet.handler, isEnding: isEnding)
    return quiet
  }
}
