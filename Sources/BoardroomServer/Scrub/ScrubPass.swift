import EventLogModel

/// One reading of everything that a store has, a step at a time. The store's owner gives it; this layer does not know
/// which store it is.
public struct ScrubPass {
  /// What a step has read and found.
  public struct Step: Sendable {
    public var bytes: Int
    /// What is damaged: texts that name the place and no content.
    public var damages: [String]
    /// Where the pass goes on after this step.
    public var place: String

    public init(bytes: Int, damages: [String], place: String) {
      (self.bytes, self.damages, self.place) = (bytes, damages, place)
    }
  }

  /// Stored bytes at the begin of the pass, and how many of them are before its place.
  public var total: Int
  public var before: Int
  /// Does the next step; nil when all was read. Throws if the pass cannot go on.
  public var next: () throws(LogError) -> Step?

  public init(total: Int, before: Int, next: @escaping () throws(LogError) -> Step?) {
    (self.total, self.before, self.next) = (total, before, next)
  }
}

/// How long a pass rests between two steps, so that it reads everything once in its period and no faster.
struct ScrubPace: Sendable {
  /// The time for all; zero: never.
  var period: Duration

  /// - Parameters:
  ///   - bytes: what the step has read.
  ///   - total: what there is to read in a pass.
  ///   - took: the time of the step itself.
  func pause(after bytes: Int, of total: Int, took: Duration) -> Duration {
    guard total > 0, bytes > 0 else { return .zero }
    return max(.zero, period * (Double(min(bytes, total)) / Double(total)) - took)
  }
}
