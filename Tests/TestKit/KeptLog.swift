import Logging
import Synchronization

/// What was logged, in order.
public final class KeptLog: Sendable {
  /// One line.
  public struct Line: Sendable {
    public let level: Logger.Level
    public let text: String
    public let metadata: [String: String]
  }

  private let held = Mutex<[Line]>([])
  public init() {}

  public var lines: [Line] { held.withLock { $0 } }
  /// All that was written, in one text.
  public var everything: String {
    lines.map { "\($0.level) \($0.text) \($0.metadata.sorted { $0.key < $1.key })" }.joined(separator: "\n")
  }

  /// Writes here, from the least serious level on.
  public var logger: Logger {
    var logger = Logger(label: "test") { _ in Handler(log: self) }
    logger.logLevel = .trace
    return logger
  }

  private struct Handler: LogHandler {
    let log: KeptLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let all = metadata.merging(event.metadata ?? [:]) { $1 }
      let line = Line(
        level: event.level, text: "\(event.message)", metadata: all.mapValues { "\($0)" })
      log.held.withLock { $0.append(line) }
    }
  }
}
