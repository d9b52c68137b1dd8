import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// What an account's Signaling clients were told, read from the logs of the account and of the channels that it was in:
/// the same callbacks, made by the same face, one client after the other.
///
/// Not in any log, and so not here: answers to questions (attributes, users, numbers, `invoke`), messages that this
/// account sent to another (they stand in that one's log), what never left its client (errors, logins that failed, `onLog`),
/// how often a client tried to come back (told as `onReconnecting(1)`), and the end of a client that nobody heard of any
/// more. A login begins with `fd` 1.
public struct SignalingRecall: Sendable {
  /// A callback, and when the log says that its cause happened.
  public struct Told: Sendable, Hashable {
    /// When the log says that its cause happened.
    public var time: Timestamp
    /// What was told.
    public var event: SignalingEvent
  }

  /// The channels that logins of Signaling entered, as an account's log has them; theirs are the logs that are needed.
  public static func channels(in home: [RoomEvent]) -> [String] {
    var (others, names): (Set<Actor>, Set<String>) = ([], [])
    for event in home {
      switch event.event {
      case .members(.joined(let joined)):
        if joined.uid != Service.signaling.rawValue { others.insert(event.actor) }
      case .space(.channelEntered(let name)): if !others.contains(event.actor) { names.insert(name) }
      default: break
      }
    }
    return names.sorted()
  }

  /// - Parameters:
  ///   - account: whose callbacks.
  ///   - home: all events of its own log.
  ///   - channels: all events of its Signaling channels' logs.
  public static func told(
    to account: String, home: [RoomEvent], channels: [String: [RoomEvent]]
  ) -> [Told] {
    let reader = RecallReader(account, home)
    for (place, event) in merged(home, channels) {
      switch place {
      case .home(let index): reader.takeHomeEvent(event, at: index)
      case .channel(let name): reader.takeChannelEvent(event, in: name)
      }
    }
    return reader.told
  }

  private enum RecallSpace {
    case home(Int)
    case channel(String)
  }

  /// By time. Of one instant the account comes first: a login before what it does, its end before what follows from it.
  private static func merged(
    _ home: [RoomEvent], _ channels: [String: [RoomEvent]]
  ) -> [(RecallSpace, RoomEvent)] {
    var all = home.enumerated().map { (RecallSpace.home($0.offset), $0.element, 0) }
    for (rank, name) in channels.keys.sorted().enumerated() {
      all += (channels[name] ?? []).map { (RecallSpace.channel(name), $0, rank + 1) }
    }
    all.sort { ($0.1.time, $0.2, $0.1.revision) < ($1.1.time, $1.2, $1.1.revision) }
    return all.map { ($0.0, $0.1) }
  }
}

/// How a login went on after the server had not heard of its client.
enum Comeback {
  /// On the same connection: nobody noticed.
  case unnoticed
  /// Its client came back, and says so itself (`clientPhases`).
  case same
  /// A program that was started again took up the stay.
  case another
  case never

  /// - Parameters:
  ///   - index: of the event in the account's log from which to look on.
  ///   - generation: of the connection until then.
  init(from index: Int, of member: MemberID, _ generation: Generation, in home: [RoomEvent]) {
    var isBack = false
    for event in home[index...] where event.actor == .member(member) {
      if case .members(.phase(let change)) = event.event {
        guard !isBack else { break }
        guard change.phase == .connected else { continue }
        isBack = change.generation > generation
        if !isBack {
          self = .unnoticed
          return
        }
      } else if case .members(.left) = event.event {
        break
      } else if isBack, case .diagnostics(.clientPhases) = event.event {
        self = .same
        return
      }
    }
    self = isBack ? .another : .never
  }
}
