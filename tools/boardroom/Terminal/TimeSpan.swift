import ArgumentParser
import BoardroomServer

/// A length of time as people write it: `500ms`, `90s`, `30m` or `30min`, `1.5h`, `1d` (CLI-3).
struct TimeSpan: ExpressibleByArgument, Sendable {
  private let text: String

  /// - Parameter text: one that is known to be right.
  init(_ text: String) { self.text = text }

  init?(argument: String) {
    guard Quantity.duration(argument, alone: .seconds(1)) != nil else { return nil }
    text = argument
  }

  var defaultValueDescription: String { text }

  /// - Parameter unit: what a number without a unit counts; each option has kept its own.
  func duration(alone unit: Duration = .seconds(1)) -> Duration {
    guard let duration = Quantity.duration(text, alone: unit) else {
      preconditionFailure("What is no length of time has no TimeSpan.")
    }
    return duration
  }
}

/// How many times as fast as the clock something runs; 0 for without waiting, where that makes sense.
struct Speed: ExpressibleByArgument, Sendable {
  static let usual = Speed(factor: 1)
  let factor: Double

  private init(factor: Double) { self.factor = factor }

  init?(argument: String) {
    guard let factor = Double(argument), factor >= 0, factor.isFinite else { return nil }
    self.init(factor: factor)
  }

  var defaultValueDescription: String { factor == 1 ? "1" : "\(factor)" }

  /// For playing.
  var rate: Double { factor == 0 ? .infinity : factor }

  /// For clocks, which run a whole number of times as fast; nil if it is none from 1 to 1000.
  var ofClocks: Int? { Int(exactly: factor).flatMap { (1...1_000).contains($0) ? $0 : nil } }
}

extension ArgumentHelp {
  static func duration(_ abstract: String) -> ArgumentHelp {
    ArgumentHelp("\(abstract)", valueName: "duration")
  }
  static func instant(_ abstract: String) -> ArgumentHelp {
    ArgumentHelp("\(abstract)", valueName: "instant")
  }
  static func number(_ abstract: String) -> ArgumentHelp { ArgumentHelp("\(abstract)", valueName: "number") }
}
