/// Plays timelines of one face against an implementation of it.
public protocol Performer: Sendable {
  var face: Face { get }
  /// Plays a timeline of this face from its beginning. Throws if it cannot be played. Wrong callbacks are no
  /// errors; they are in the transcript.
  func play(_ timeline: GoldenTimeline) async throws -> Transcript
}

/// What was heard, by whom and when.
public struct Transcript: Sendable, Hashable {
  /// One thing that a party heard, and when.
  public struct Line: Sendable, Hashable {
    /// The second of the timeline.
    public var second: Double
    public var heard: Heard

    public init(_ second: Double, _ heard: Heard) {
      self.second = second
      self.heard = heard
    }
  }

  /// The lines of each party, in the order in which it heard them.
  public var lines: [Party: [Line]]

  public init(_ lines: [Party: [Line]] = [:]) { self.lines = lines }
}

/// Why a performer cannot play a timeline.
public enum ConformanceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The act is one of another face.
  case foreignAct(timeline: String, second: Double, act: String)
  /// The party is not there at this second, because no step has brought it.
  case absent(timeline: String, Party, second: Double)
  /// The party could not join.
  case notJoined(timeline: String, Party, why: String)

  public var description: String {
    switch self {
    case .foreignAct(let timeline, let second, let act):
      "\(timeline), second \(second): \(act) belongs to another face. Give it to that face's performer."
    case .absent(let timeline, let party, let second):
      "\(timeline), second \(second): \(party.rawValue) is not there. Let it join in an earlier step."
    case .notJoined(let timeline, let party, let why):
      "\(timeline): \(party.rawValue) could not join. \(why)"
    }
  }
}
