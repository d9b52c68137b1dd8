import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// The log of an account or a channel, read once from its beginning.
struct SpaceLog {
  private(set) var state = RoomState()
  private(set) var faults: [String] = []
  /// What messages were called, in their order.
  private(set) var names: [String] = []
  /// Invitations that this account made, by number.
  private(set) var calls: [UInt64: CallStory] = [:]
  /// What this account heard of others' invitations.
  private(set) var heard: [CallKey: [String]] = [:]
  private(set) var told: [Presence] = []
  /// The most channels of Signaling that the account was in at any time, special ones aside.
  private(set) var mostChannels = 0

  var hash: [UInt8] { StateEncoder.hash(of: state) }

  init(_ name: SpaceName, of server: SimulatedServer) {
    for run in server.runs(of: name.log) {
      run.forEach { view, _ in
        do { take(try EventCodec.decode(view, in: run.records), of: name) } catch {
          faults.append("log: a record of \(name) cannot be read: \(error)")
        }
      }
    }
    if let open = server.state(of: name.log), StateEncoder.hash(of: open) != hash {
      faults.append("hash: server and log of \(name) differ")
    }
  }

  private mutating func take(_ event: RoomEvent, of name: SpaceName) {
    if event.revision != state.revision.next {
      faults.append("log: \(event.revision) of \(name) is out of place")
    }
    if let anomaly = state.apply(event) {
      faults.append("fit: \(event.revision) of \(name), \(event.event.kind): \(anomaly.what)")
    }
    let channels = state.space?.slots[.signaling]?.channels ?? []
    mostChannels = max(mostChannels, channels.count { !$0.hasPrefix("__agora") })
    guard case .space(let event) = event.event else { return }
    switch event {
    case .channelMessage(let message): names.append(message.id)
    case .inboxMessage(let message): names.append(message.id)
    case .presence(let presence): told.append(presence)
    case .inviteMoved(let moved): calls[moved.serial, default: CallStory()].take(moved.move)
    case .inviteHeard(let news):
      heard[CallKey(caller: news.caller, serial: news.serial), default: []].append(Self.name(of: news.news))
    default: break
    }
  }

  private static func name(of news: InviteHeard.News) -> String {
    switch news {
    case .offered: "offered"
    case .withdrawn: "withdrawn"
    case .accepted: "accepted"
    case .refused: "refused"
    case .ended: "ended"
    case .tones: "tones"
    }
  }
}

/// An invitation as its caller's log tells it.
struct CallStory {
  private(set) var callee = ""
  private(set) var service = Service.signaling
  private(set) var steps: [String] = []

  var isOver: Bool { ["refused", "failed", "ended"].contains(steps.last { $0 != "tones" }) }

  mutating func take(_ move: InviteMoved.Move) {
    switch move {
    case .created(let service, _, let callee, _, _, _):
      (self.service, self.callee) = (service, callee)
      steps.append("created")
    case .waiting: steps.append("waiting")
    case .sent: steps.append("sent")
    case .ringing: steps.append("ringing")
    case .accepted: steps.append("accepted")
    case .refused: steps.append("refused")
    case .failed: steps.append("failed")
    case .ended: steps.append("ended")
    case .tones: steps.append("tones")
    }
  }

  /// What is wrong between what the caller's log has and what the callee heard, by docs/PROTOCOL.md, 6a.
  /// `mayLoseWord`: the server crashed while its last word was on the way. Then the callee finds out that the call is over
  /// (INV-7), and not who ended it: a call that it had not taken is withdrawn.
  func fault(_ heard: [String], mayLoseWord: Bool) -> String? {
    let last = steps.last { $0 != "tones" } ?? ""
    let others = steps.dropLast().filter { $0 != "tones" }
    if steps.first != "created" { return "does not begin with created" }
    if others.contains(where: { ["refused", "failed", "ended"].contains($0) }) {
      return "goes on after its end"
    }
    // Only those two have no clock of their own, and only while both are signed in.
    if !isOver, last != "ringing", last != "accepted" { return "is open still" }
    if heard.isEmpty { return steps.contains("sent") ? "the callee never heard of it" : nil }
    if heard.first != "offered" || heard.count(where: { $0 == "offered" }) > 1 {
      return "was not offered once"
    }
    let mine = heard.filter { $0 != "tones" }
    let isLost = mayLoseWord && mine == ["offered", "withdrawn"]
    return switch last {
    case "failed": mine.last == "withdrawn" ? nil : "failed, and was not withdrawn"
    case "refused": mine.last == "refused" || isLost ? nil : "was refused, and that was not heard"
    case "ended":
      mine.last == "ended" || isLost ? nil : "ended, and that was not heard"
    case "ringing": mine == ["offered"] ? nil : "rings, and something else was heard"
    default: mine.last == "accepted" ? nil : "is accepted, and that was not heard"
    }
  }
}
