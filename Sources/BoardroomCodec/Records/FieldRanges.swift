/// What the fields of section 6 of docs/PROTOCOL.md may hold, where their type allows more.
public enum FieldRanges {
  /// Counters, element numbers: what every language's JSON numbers hold exactly.
  public static let exactInteger: UInt64 = 1 << 53 - 1
  /// Coordinates and their differences, in units, either way. At the finest unit this is 16 million pixels;
  /// the sum over one segment's 4,096 points stays within `exactInteger`.
  public static let coordinate: Int64 = 1 << 40
  /// Steps of time within a stroke, in ms: 49 days.
  public static let timeStep: UInt64 = 1 << 32 - 1
  /// A point's pressure.
  public static let pressure: Int64 = 1_023
  /// A unit's exponent.
  public static let unit: ClosedRange<Int64> = -16...15
  /// Points of one segment: 17 s of a pen at 240 Hz.
  public static let points: UInt64 = 4_096
  /// A stroke's width in quarters of a pixel.
  public static let width: UInt64 = 65_535
  /// A camera's scale in 65,536ths, from 1.
  public static let scale: UInt64 = 1 << 40
  /// Phases in one clientPhases: a client away for a day with a change every five minutes.
  public static let phases = 288
  /// Until the next heartbeat of a quiet room, in ms: 10 minutes, the longest grace that a service has several times over.
  public static let heartbeatInterval: UInt64 = 600_000
  /// Bytes of a name that we do not look into: `client`, a phase.
  public static let label = 256
  /// Points of a line or an arrow: what a hand-made polyline has, with room.
  public static let linePoints = 2...1_000
}
