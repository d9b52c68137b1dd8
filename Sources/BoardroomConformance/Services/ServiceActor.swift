import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import Synchronization

/// One party of a timeline of RTC, RTM or Signaling: its client, and a recorder of its callbacks.
protocol ServiceActor: AnyObject, Sendable {
  var party: ServiceParty { get }
  /// The calls that sign the party in and bring it into the channel.
  var entry: [ServiceCall] { get }
  func networkIsBack()
  /// Does what an act asks of this party; false if the act belongs to another face.
  func call(_ act: Act) -> Bool
  /// The number of the connection's state in this face.
  func standing() async -> Int
  /// The user attributes of an account; empty if the face has none.
  func attributes(of account: String) async -> [String: String]
}

/// A call, and what the party is told once it is done.
struct ServiceCall: Sendable {
  var sign: Heard
  var call: @Sendable () -> Void
}

extension ServiceActor {
  /// Does what the act asks of this party. Throws if the act is not one for it.
  func perform(_ step: Step, of timeline: GoldenTimeline) throws(ConformanceError) {
    switch step.act {
    case .network(let weather, _): party.setWeather(weather)
    case .networkIsBack: networkIsBack()
    case .speaks: party.context.execute { [transport = party.transport] in transport.speak() }
    case .look(let fact, _): look(at: fact)
    case .rtc, .rtm, .signaling, .server, .white, .crowd, .replay:
      guard call(step.act) else {
        throw .foreignAct(timeline: timeline.id, second: step.second, act: "\(step.act)")
      }
    }
  }

  private func look(at fact: Fact) {
    Task(executorPreference: party.tasks) { self.party.log.add(.saw(fact, await self.value(of: fact))) }
  }

  private func value(of fact: Fact) async -> String {
    switch fact {
    case .connection: "\(await standing())"
    case .attempts: party.transport.newAttempts() > 0 ? "some" : "none"
    case .own: await attributes(of: party.account).worded
    case .attribute: await attributes(of: Party.local.account).worded
    case .member, .object, .roster, .callbacksObject, .board, .phases: "not of this face"
    }
  }

  /// Whether the party was told `sign`, the end of a call that brings it in.
  func hasHeard(_ sign: Heard) -> Bool { party.log.lines.contains { $0.heard.fits(sign) } }
}

/// What a party's client is made from.
struct ServiceParty: Sendable {
  /// The name that it signs in with, and RTC's number.
  let account: String
  let uid: UInt
  let configuration: ServiceConfiguration
  let context: any ClientContext
  let transport: PartyTransport
  /// The executor of its tasks; nil: the system's.
  let tasks: (any TaskExecutor)?
  let log: CallbackLog
  /// The token at the beginning, and one for `renewToken`.
  let token: String
  let freshToken: String
  /// Changes the party's network.
  let setWeather: @Sendable (Weather) -> Void
}

extension Party {
  /// RTC's number of its account: UID 1 and UID 2 of the source systems.
  var uid: UInt {
    switch self {
    case .local, .rival: 1
    case .remote: 2
    }
  }

  /// The party with this name or number; nil: no party of the timeline.
  init?(account: String) {
    guard let party = [Party.local, .remote].first(where: { $0.account == account }) else { return nil }
    self = party
  }
  init?(uid: UInt) {
    guard let party = [Party.local, .remote].first(where: { $0.uid == uid }) else { return nil }
    self = party
  }
}

extension Act {
  /// The party that acts; nil: the act is not one party's.
  var party: Party? {
    switch self {
    case .network(_, let party), .networkIsBack(let party), .speaks(let party), .look(_, let party),
      .white(_, let party), .rtc(_, let party), .rtm(_, let party), .signaling(_, _, let party):
      party
    case .server, .crowd, .replay: nil
    }
  }

  /// Whether the act brings a party that is not there yet.
  var bringsParty: Bool {
    switch self {
    case .network, .white, .rtc, .rtm, .signaling: true
    case .networkIsBack, .speaks, .look, .server, .crowd, .replay: false
    }
  }
}

extension [String: String] {
  /// `key=value`, sorted, with blanks between.
  fileprivate var worded: String {
    sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
  }
}
