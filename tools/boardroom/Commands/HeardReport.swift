import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import BoardroomReplay
import EventLogModel
import Foundation

/// The callbacks of an account's Signaling clients, from the logs: the same lines that `boardroom signaling`
/// printed at the time.
struct HeardReport {
  let told: [SignalingRecall.Told]
  /// Channels whose logs are missing.
  let missing: [String]

  init(of account: String, in store: any LogStore) async throws {
    let home = try await Self.events(of: .account(account), in: store)
    var channels: [String: [RoomEvent]] = [:]
    var missing: [String] = []
    for name in SignalingRecall.channels(in: home) {
      do throws(ReplayError) {
        channels[name] = try await Self.events(of: .channel(.signaling, name), in: store)
      } catch {
        guard case .log(.noSuchLog) = error else { throw error }
        missing.append(name)
      }
    }
    told = SignalingRecall.told(to: account, home: home, channels: channels)
    self.missing = missing
    if told.isEmpty {
      Terminal.note("\(account) has not signed in to Signaling; --service rtm prints the callbacks of RTM.")
    }
  }

  private static func events(
    of space: SpaceName, in store: any LogStore
  ) async throws(ReplayError) -> [RoomEvent] {
    let recording = try await Recording.open(space.log, in: store)
    var events: [RoomEvent] = []
    var at = recording.info.low.previous
    while at < recording.info.last {
      let runs = try await recording.page(after: at, through: recording.info.last)
      for run in runs {
        try run.forEachEvent { event throws(ReplayError) in events.append(event) }
        at = run.lastRevision
      }
      if runs.isEmpty { break }
    }
    return events
  }
}

/// The callbacks that a member's client was told of its room, from the room's log. They are handed on as they are read.
struct WhiteHeardReport {
  let member: UInt64
  let room: RoomID
  let store: any LogStore

  /// - Throws: a `Failure` if the member has not joined in this log.
  func tell(_ tell: @escaping (Timestamp, CallbackText) -> Void) async throws {
    let info = try await Recording.open(room, in: store).info
    var now = info.created
    let printer = WhiteCallbackPrinter { tell(now, $0) }
    let recall = WhiteRecall(.member(member), in: LogReplaySource(room, in: store))
    let outcome = try await recall.tell(printer, common: printer) { now = $0 }
    for gap in outcome.gaps { Terminal.note("\(gap)") }
    if outcome.stays == 0 { throw Failure(noMember: member, of: info, called: "\(room)", "room") }
  }
}

/// The callbacks that the client of a member of an RTC channel was told, from the channel's log.
struct RtcHeardReport {
  let member: UInt64
  let channel: String
  let store: any LogStore

  /// - Throws: a `Failure` if the member has not joined in this log.
  func tell(_ tell: (Timestamp, CallbackText) -> Void) async throws {
    let log = SpaceName.channel(.rtc, channel).log
    let info = try await Recording.open(log, in: store).info
    // A server may go on with this log: nobody has given up yet whose time has not come.
    let present = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    let recall = RtcRecall(
      .member(member), of: channel, in: LogReplaySource(log, in: store), until: max(present, info.lastTime))
    let outcome = try await recall.tell { event, time in tell(time, CallbackText(event.callback)) }
    for gap in outcome.gaps { Terminal.note("\(gap)") }
    if outcome.stays == 0 {
      throw Failure(noMember: member, of: info, called: "--channel rtc/\(channel)", "channel")
    }
  }
}

/// The callbacks of an account's RTM clients, from the logs of the account and of its channels.
struct RtmHeardReport {
  let account: String
  let store: any LogStore

  /// - Throws: a `Failure` if the account has not signed in to RTM in this log.
  func tell(_ tell: (Timestamp, CallbackText) -> Void) async throws {
    _ = try await Recording.open(SpaceName.account(account).log, in: store)
    let recall = RtmRecall(account) { [store] in LogReplaySource($0.log, in: store) }
    let outcome = try await recall.tell { event, time in tell(time, CallbackText(event.callback)) }
    for name in outcome.missing { Terminal.note("The log of rtm/\(name) is not here.") }
    for gap in outcome.gaps { Terminal.note("\(gap)") }
    guard outcome.logins == 0 else { return }
    throw Failure(
      .noInput, "\(account) has not signed in to RTM, as far as its log goes back.",
      "Without --service, the callbacks of Signaling are printed.")
  }
}

extension Failure {
  fileprivate init(noMember member: UInt64, of info: LogInfo, called log: String, _ space: String) {
    let isShortened = info.low > 1
    self.init(
      .noInput,
      isShortened
        ? "Member \(member) has not joined in what is left of this log, from revision \(info.low) on."
        : "Member \(member) has not joined this \(space).",
      "`boardroom replay \(log) --phases` names the members that came.")
  }

  /// The log is named by its uuid, and is not one whose members' callbacks can be told.
  fileprivate init(notHeardByMember space: SpaceName) {
    switch space {
    case .account(let account):
      self.init(
        .usage, "This is the log of an account: callbacks are those of its clients, not of a member.",
        "Use --account \(account) in place of the uuid and --member.")
    case .channel(let service, let name):
      self.init(
        .usage,
        "This is the log of \(service.rawValue)/\(name): accounts are told of it, with all their channels.",
        service == .rtm
          ? "Use --account NAME --service rtm in place of the uuid and --member."
          : "Use --account NAME in place of the uuid and --member.")
    }
  }
}

/// What one member's client was told of whatever it was in.
struct MemberHeardReport {
  let member: UInt64
  let log: LogID
  /// As the command line names it, if it does.
  let named: SpaceName?
  let store: any LogStore

  /// - Throws: a `Failure` if the member has not joined in this log, or no member of it is told on its own.
  func tell(_ tell: @escaping (Timestamp, CallbackText) -> Void) async throws {
    var space = named
    if space == nil { space = try await spaceInLog() }
    switch space {
    case nil: try await WhiteHeardReport(member: member, room: log, store: store).tell(tell)
    case .channel(.rtc, let name):
      try await RtcHeardReport(member: member, channel: name, store: store).tell(tell)
    case .some(let other): throw Failure(notHeardByMember: other)
    }
  }

  /// The log of a channel or an account says so in its first event.
  private func spaceInLog() async throws -> SpaceName? {
    let recording = try await Recording.open(log, in: store)
    let low = recording.info.low
    if low > 1 {
      return try await LogReplaySource(log, in: store).state(notAfter: low.previous)?.space?.name
    }
    var name: SpaceName?
    for run in try await recording.page(after: .zero, through: min(low, recording.info.last)) {
      try run.forEachEvent { event throws(ReplayError) in
        if case .space(.created(let space)) = event.event { name = space }
      }
    }
    return name
  }
}
