/// The first difference between what was heard and what was expected.
public struct Difference: Sendable, Hashable, CustomStringConvertible {
  public var party: Party
  /// The second at which it was heard, or, if nothing was heard, at which it was expected.
  public var second: Double
  public var expected: String?
  public var heard: String?

  public init(_ party: Party, _ second: Double, expected: String?, heard: String?) {
    self.party = party
    self.second = second
    self.expected = expected
    self.heard = heard
  }

  public var description: String {
    "\(party.rawValue), second \(second.short): expected \(expected ?? "nothing"), heard \(heard ?? "nothing")"
  }
}

/// Compares what was heard with what was expected.
public struct Judge: Sendable {
  /// How much earlier or later than expected is allowed, in seconds of the timeline, in addition to each
  /// expectation's own tolerance: 0 in virtual time, more with real sockets.
  public var slack: Double

  public init(slack: Double = 0) { self.slack = slack }

  /// The first difference; nil if there is none.
  public func difference(in transcript: Transcript, from timeline: GoldenTimeline) -> Difference? {
    for party in Party.allCases {
      guard let expected = timeline.expected[party] else { continue }
      let lines = (transcript.lines[party] ?? []).filter { $0.second >= timeline.from }
      if let found = difference(of: party, lines, expected) { return found }
    }
    return nil
  }

  private func difference(
    of party: Party, _ lines: [Transcript.Line], _ expected: [Expectation]
  ) -> Difference? {
    var due = expected.filter { $0.need == .once }[...]
    let others = expected.filter { $0.need != .once }
    var counts = [Int](repeating: 0, count: others.count)
    for line in lines {
      if let next = due.first, line.heard.fits(next.heard), holds(next, line) {
        due.removeFirst()
      } else if let place = others.firstIndex(where: { line.heard.fits($0.heard) && holds($0, line) }) {
        counts[place] += 1
      } else {
        return Difference(party, line.second, expected: due.first?.words, heard: "\(line.heard)")
      }
    }
    if let next = due.first {
      return Difference(party, next.seconds.upperBound, expected: next.words, heard: nil)
    }
    for (one, count) in zip(others, counts) {
      guard case .atLeast(let least) = one.need, count < least else { continue }
      return Difference(
        party, one.seconds.upperBound, expected: "\(least) times or more \(one.words)",
        heard: "\(count) times")
    }
    return nil
  }

  private func holds(_ expected: Expectation, _ line: Transcript.Line) -> Bool {
    (expected.seconds.lowerBound - slack...expected.seconds.upperBound + slack).contains(line.second)
  }
}

extension Expectation {
  /// The text for a report.
  var words: String {
    let (low, high) = (seconds.lowerBound, seconds.upperBound)
    let when =
      high - low <= 2
      ? "at \(((low + high) / 2).short) ± \(((high - low) / 2).short)" : "from \(low.short) to \(high.short)"
    return "\(heard) \(when)"
  }
}

extension Double {
  /// The number with at most three decimals.
  var short: String {
    let whole = (self * 1_000).rounded()
    guard whole.magnitude < 1e15 else { return "\(self)" }
    let number = Int(whole)
    guard number % 1_000 != 0 else { return "\(number / 1_000)" }
    var digits = "\(number.magnitude % 1_000)"
    while digits.count < 3 { digits = "0" + digits }
    while digits.hasSuffix("0") { digits.removeLast() }
    return "\(number < 0 ? "-" : "")\(number.magnitude / 1_000).\(digits)"
  }
}
