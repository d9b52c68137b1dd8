/// The name of one log: 128 bits, written as 32 lower-case hexadecimal digits.
public struct LogID: Hashable, Sendable, Comparable {
  public let high: UInt64
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Sixteen bytes, most significant first. `nil` for any other count.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var words: (UInt64, UInt64) = (0, 0)
    for (index, byte) in bytes.enumerated() {
      if index < 8 { words.0 = words.0 << 8 | UInt64(byte) } else { words.1 = words.1 << 8 | UInt64(byte) }
    }
    self.init(high: words.0, low: words.1)
  }

  /// The sixteen bytes, most significant first.
  public var bytes: [UInt8] {
    (0..<16).map { index in
      let word = index < 8 ? high : low
      return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index % 8)))
    }
  }

  public static func random(using generator: inout some RandomNumberGenerator) -> LogID {
    LogID(high: generator.next(), low: generator.next())
  }

  public static func random() -> LogID {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  public static func < (left: LogID, right: LogID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension LogID: LosslessStringConvertible, CustomStringConvertible {
  /// 32 hexadecimal digits of either case; dashes as in a UUID are skipped. `nil` for anything else.
  public init?(_ text: String) {
    var digits: [UInt8] = []
    for byte in text.utf8 where byte != UInt8(ascii: "-") {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digits.count < 32 else { return nil }
      digits.append(UInt8(digit))
    }
    guard digits.count == 32 else { return nil }
    self.init(bytes: stride(from: 0, to: 32, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }

  public var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// An event's number in its log: 1, 2, 3… without gaps. Zero stands before the first.
public struct Revision: Hashable, Sendable, Comparable, RawRepresentable, ExpressibleByIntegerLiteral,
  CustomStringConvertible
{
  public let rawValue: UInt64

  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }
  @inlinable public init(_ value: UInt64) { rawValue = value }
  @inlinable public init(integerLiteral value: UInt64) { rawValue = value }

  /// Before the first event.
  public static let zero: Revision = 0

  @inlinable public var next: Revision { Revision(rawValue &+ 1) }
  /// The revision before; zero stays zero.
  @inlinable public var previous: Revision { Revision(rawValue == 0 ? 0 : rawValue - 1) }

  @inlinable public static func < (left: Revision, right: Revision) -> Bool {
    left.rawValue < right.rawValue
  }
  @inlinable public static func + (left: Revision, right: Int) -> Revision {
    Revision(left.rawValue &+ UInt64(right))
  }
  /// How many events lie after `right` up to `left`; negative when `left` comes first.
  @inlinable public static func - (left: Revision, right: Revision) -> Int {
    Int(Int64(bitPattern: left.rawValue &- right.rawValue))
  }
  public var description: String { String(rawValue) }
}

/// One life of a log. It changes when the log is replaced, restored or forked, so that a cursor into
/// another life is never taken for one into this.
public struct Epoch: Hashable, Sendable, RawRepresentable, CustomStringConvertible, LosslessStringConvertible
{
  public let rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }
  public init(_ value: UInt64) { rawValue = value }
  /// Sixteen hexadecimal digits.
  public init?(_ text: String) {
    guard text.utf8.count == 16, let value = UInt64(text, radix: 16) else { return nil }
    rawValue = value
  }
  public static func random() -> Epoch { Epoch(UInt64.random(in: 1...UInt64.max)) }
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// Where a reader of a log stands: it has everything up to and with `revision` of this life.
public struct Cursor: Hashable, Sendable {
  public var epoch: Epoch
  public var revision: Revision
  public init(epoch: Epoch, revision: Revision) {
    self.epoch = epoch
    self.revision = revision
  }
}

/// Milliseconds since 1970 UTC.
public struct Timestamp: Hashable, Sendable, Comparable, CustomStringConvertible {
  public let milliseconds: Int64
  @inlinable public init(milliseconds: Int64) { self.milliseconds = milliseconds }
  public static let zero = Timestamp(milliseconds: 0)

  @inlinable public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }
  @inlinable public static func + (left: Timestamp, right: Duration) -> Timestamp {
    Timestamp(milliseconds: left.milliseconds &+ right.wholeMilliseconds)
  }
  @inlinable public static func - (left: Timestamp, right: Timestamp) -> Duration {
    .milliseconds(left.milliseconds &- right.milliseconds)
  }
  public var description: String { String(milliseconds) }
}

extension Duration {
  /// The duration in milliseconds, rounded down.
  @inlinable public var wholeMilliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}
