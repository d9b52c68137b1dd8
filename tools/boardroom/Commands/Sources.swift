import ArgumentParser
import BoardroomModel
import BoardroomReplay
import BoardroomServer
import EventLog
import EventLogModel
import Foundation

extension RoomID: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}

/// An instant of a log as people write it (CLI-3).
enum Instant: ExpressibleByArgument, Sendable {
  case end
  case revision(Revision)
  case time(Timestamp)

  /// `end`, a revision, `@` with milliseconds since 1970, a date, or a date and a time as in ISO 8601.
  init?(argument: String) {
    if argument == "end" {
      self = .end
    } else if let revision = UInt64(argument) {
      self = .revision(Revision(revision))
    } else if argument.hasPrefix("@"), let time = Int64(argument.dropFirst()), time >= 0 {
      self = .time(Timestamp(milliseconds: time))
    } else if let time = CivilInstant.timestamp(argument) {
      self = .time(time)
    } else {
      return nil
    }
  }

  /// The revision that it means in a log.
  func revision(in recording: Recording) async throws -> Revision {
    switch self {
    case .end: recording.info.last
    case .revision(let revision): revision
    case .time(let time): try await recording.revision(at: time)
    }
  }
}

/// Which events to show.
struct FilterOptions: ParsableArguments {
  @Option(
    name: .customLong("kind"), parsing: .upToNextOption,
    help: ArgumentHelp("Only these kinds, by name or number.", valueName: "kinds"))
  var kinds: [String] = []

  @Option(
    name: .customLong("member"), parsing: .upToNextOption,
    help: ArgumentHelp("Only what these members did, or what was done to them.", valueName: "number"))
  var members: [UInt64] = []

  func filter() throws -> EventFilter {
    let names = kinds.flatMap { $0.split(separator: ",").map(String.init) }
    var numbers: Set<UInt8> = []
    for name in names {
      guard let number = EventFilter.kinds(named: [name]) else {
        let all = EventKind.allCases.map(\.name).joined(separator: ", ")
        throw Failure(.usage, "There is no kind \(name).", "Kinds are \(all), and any number up to 255.")
      }
      numbers.formUnion(number)
    }
    return EventFilter(
      kinds: names.isEmpty ? nil : numbers, members: members.isEmpty ? nil : Set(members.map { MemberID($0) })
    )
  }
}
