/// Plays timelines of one face against something that offers it.
public protocol Performer: Sendable {
  var face: Face { get }
  /// Plays a timeline of this face from its beginning. Throws what kept it from being played; what is heard wrongly
  /// is no error, but in the transcript.
  func play(_ timeline: GoldenTimeline) async throws -> Transcript
}

/// What was heard, by whom and when.
public struct Transcript: Sendable, Hashable {
  public struct Line: Sendable, Hashable {
    /// Of the timeline.
    public var second: Double
    public var heard: Heard

    public init(_ second: Double, _ heard: Heard) {
      self.second = second
      self.heard = heard
    }
  }

  /// In the order in which each party heard it.
  public var lines: [Party: [Line]]

  public init(_ lines: [Party: [Line]] = [:]) { self.lines = lines }
}

/// A timeline cannot be played by this performer.
public enum ConformanceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The act belongs to another face.
  case foreignAct(timeline: String, second: Double, act: String)
  /// The party is not there at this second: no step has brought it.
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
