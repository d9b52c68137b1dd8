import ArgumentParser
import BoardroomCodec
import BoardroomModel
import EventLogModel

/// The log that a command reads: a room's by its uuid, or a channel's or an account's by its name.
struct LogOptions: ParsableArguments {
  @Argument(help: "The room's uuid; or one of --room, --channel and --account.") var uuid: RoomID?
  @Option(help: "The room's uuid.") var room: RoomID?
  @Option(
    help: ArgumentHelp(
      "A channel in place of a room: signaling, rtm or rtc, and its name.",
      valueName: "service/name"))
  var channel: ChannelName?
  @Option(help: ArgumentHelp("An account in place of a room.", valueName: "name"))
  var account: String?

  func validate() throws {
    if [uuid != nil, room != nil, channel != nil, account != nil].count(where: { $0 }) > 1 {
      throw ValidationError("Name one log: a room, --channel or --account.")
    }
  }

  /// The log; nil if none was named.
  var named: LogID? {
    uuid ?? room ?? channel?.space.log ?? account.map { SpaceName.account($0).log }
  }

  func log() throws -> LogID {
    guard let named else {
      throw ValidationError("Name a room by its uuid, or use --channel or --account.")
    }
    return named
  }
}

/// `signaling/lobby`: the service, a slash, and all that follows.
struct ChannelName: ExpressibleByArgument {
  let space: SpaceName

  init?(argument: String) {
    let parts = argument.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let service = Service(rawValue: String(parts[0])), service != .white,
      !parts[1].isEmpty
    else { return nil }
    space = .channel(service, String(parts[1]))
  }
}

/// The services that sign accounts in.
enum AccountService: String, CaseIterable, ExpressibleByArgument { case signaling, rtm }
