import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// What is true at the end of a life of accounts and channels, held against what should be.
struct SpaceReckoning {
  private let life: SpaceLife
  private var logs: [SpaceName: SpaceLog] = [:]
  private(set) var faults: [String] = []

  init(_ life: SpaceLife) {
    self.life = life
    for name in life.spaces {
      let log = SpaceLog(name, of: life.server)
      faults += log.faults
      logs[name] = log
    }
    for caller in life.callers {
      for person in caller.people { checkMirror(of: person, caller) }
      checkAnswers(of: caller)
    }
    for name in Set(life.plan.cast.map(\.account)).sorted() { checkMemberships(of: name) }
    for name in life.spaces { checkMembers(of: name) }
    checkNames()
    checkCalls()
    if life.isUnhurt { checkPresence() }
  }

  private mutating func fail(_ rule: String, _ what: String) { faults.append("\(rule): \(what)") }

  private func log(_ account: String) -> SpaceLog? { logs[.account(account)] }

  // MARK: One state

  private mutating func checkMirror(of person: Person, _ caller: Caller) {
    let whose = "\(caller.part.account) (\(person.number))"
    for fault in person.faults + (person.peer?.faults ?? []) { fail("delivery", "to \(whose): \(fault)") }
    guard person.isLive, let name = person.mirror.space?.name, let log = logs[name] else { return }
    if StateEncoder.hash(of: person.mirror) != log.hash {
      fail("hash", "the mirror of \(whose) and the log differ")
    }
    if let stay = person.stay, !stay.waiting.isEmpty {
      fail("receipts", "commands \(stay.waiting.keys.sorted()) of \(whose) never ended")
    }
  }

  // MARK: Questions

  /// One answer, or the connection ended; and what was said to be done is in the log that it concerns, once.
  private mutating func checkAnswers(of caller: Caller) {
    let whose = caller.part.account
    for (question, answers, isConnected) in caller.outcomes {
      if answers.count > 1 { fail("ask", "\(answers.count) answers to \(whose)'s \(question.name)") }
      if isConnected, answers.isEmpty { fail("ask", "no answer to \(whose)'s \(question.name)") }
      guard case .success(let reply) = answers.first?.result else { continue }
      switch (question, reply) {
      case (.send(let account, let id, _, _), _):
        if count(of: id, in: .account(account)) != 1 { fail("once", "\(id) was sent, and is not there once") }
      case (.say(let channel, let message), _):
        let count = count(of: message.id, in: .channel(caller.part.service, channel))
        if count != 1 { fail("once", "\(message.id) was said, and is there \(count) times") }
      case (.invite, .invite(let serial)):
        if log(whose)?.calls[serial] == nil {
          fail("once", "invitation \(serial) of \(whose) is not in the log")
        }
      default: continue
      }
    }
  }

  private func count(of id: String, in space: SpaceName) -> Int {
    logs[space]?.names.count { $0 == id } ?? 0
  }

  /// Nothing that was said once is there twice.
  private mutating func checkNames() {
    for (name, log) in logs where Set(log.names).count != log.names.count {
      fail("once", "something is twice in \(name)")
    }
  }

  // MARK: Memberships

  /// ADR 0023: an account is in the channels where it is a member, and nowhere else.
  private mutating func checkMemberships(of account: String) {
    guard let state = log(account)?.state else { return }
    for service in [Service.signaling, .rtm] {
      let slot = state.space?.slots[service] ?? AccountSlot()
      let isIn = state.members.values.contains { $0.uid == service.rawValue }
      let there = SpacePlan.channels.filter { channel in
        logs[.channel(service, channel)]?.state.members.values.contains { $0.uid == account } ?? false
      }
      if slot.channels.sorted() != there {
        fail(
          "ADR 0023", "\(account) has \(slot.channels) of \(service.rawValue), and is a member of \(there)")
      }
      if !isIn, !there.isEmpty { fail("ADR 0023", "\(account) is in \(there), and not signed in") }
      if !isIn, !slot.attributes.isEmpty { fail("SIG-A8", "\(account)'s attributes outlived its login") }
    }
    if (log(account)?.mostChannels ?? 0) > 1 { fail("SIG-C2", "\(account) was in two channels at once") }
  }

  /// Who is a member has a connection, after so long a time.
  private mutating func checkMembers(of name: SpaceName) {
    guard let log = logs[name] else { return }
    let here = life.callers.flatMap(\.people).filter { $0.isLive && $0.mirror.space?.name == name }
    let connected = Set(here.compactMap(\.member))
    switch name {
    case .account, .channel(.rtc, _):
      let members = Set(log.state.members.keys)
      if members != connected {
        fail("members", "of \(name): \(members.sorted()), connected: \(connected.sorted())")
      }
    // Those stay for as long as their login does.
    case .channel:
      if !connected.isSubset(of: log.state.members.keys) {
        fail("members", "somebody is connected to \(name) and no member")
      }
    }
  }

  // MARK: Calls

  /// Both sides of every invitation went the same way.
  private mutating func checkCalls() {
    for account in Set(life.plan.cast.map(\.account)).sorted() {
      guard let log = log(account) else { continue }
      for (serial, call) in log.calls.sorted(by: { $0.key < $1.key }) {
        let heard = self.log(call.callee)?.heard[CallKey(caller: account, serial: serial)] ?? []
        let mayLoseWord = !life.isUnhurt && life.plan.faults != .none
        if let fault = call.fault(heard, mayLoseWord: mayLoseWord) {
          fail("call", "\(account)'s \(serial) to \(call.callee): \(fault): \(call.steps), heard: \(heard)")
        }
        for one in [account, call.callee] where !call.isOver && !isSignedIn(one, call.service) {
          fail("call", "\(account)'s \(serial) is open, and \(one) is not signed in")
        }
        let isKnown = log.state.space?.invitations[serial] != nil
        if isKnown == call.isOver { fail("call", "\(account)'s \(serial) is over, or not, against its log") }
      }
      for key in log.state.space?.calls.keys.sorted() ?? [] {
        if self.log(key.caller)?.state.space?.invitations[key.serial] == nil {
          fail("call", "\(account) holds one of \(key.caller) that is over")
        }
      }
    }
  }

  private func isSignedIn(_ account: String, _ service: Service) -> Bool {
    log(account)?.state.members.values.contains { $0.uid == service.rawValue } ?? false
  }

  // MARK: Presence

  /// SPC-10: each coming and going once, in turn.
  private mutating func checkPresence() {
    var here: [Presence: Bool] = [:]
    for name in [SpaceName.userOnline, .channelEvents] {
      for told in logs[name]?.told ?? [] {
        let who = Presence(account: told.account, channel: told.channel, isHere: true)
        if here[who] ?? false == told.isHere { fail("SPC-10", "\(told) was told twice") }
        here[who] = told.isHere
      }
    }
    for (who, isHere) in here where life.plan.cast.contains(where: { $0.account == who.account }) {
      let space = who.channel.map { SpaceName.channel(.signaling, $0) } ?? .account(who.account)
      let uid = who.channel == nil ? Service.signaling.rawValue : who.account
      let isThere = logs[space]?.state.members.values.contains { $0.uid == uid } ?? false
      if isThere != isHere { fail("SPC-10", "\(who) is told as \(isHere), and is \(isThere)") }
    }
  }
}
