import BoardroomCore
import BoardroomModel
import EventLogModel

/// The one copy of a policy that all rooms of a loop read: it is as large as what a small room has of its own.
final class SharedPolicy: Sendable {
  let value: ServerPolicy
  init(_ value: ServerPolicy) { self.value = value }
}

/// The numbers by which rooms are hosted. Sizes in bytes.
public struct ServerPolicy: Sendable {
  /// Clocks told to clients and kept by sessions.
  public var timings: Timings
  public var limits: WireLimits
  /// What rooms themselves decide by: rates, paces, sizes of state.
  public var room: RoomPolicy
  /// A connection that has not said hello by then is closed. 5 s: several round trips of a bad mobile link.
  public var helloWithin: Duration
  /// What may wait to go out to one connection before it is left behind to read from the log. 256 KiB: two
  /// seconds of a 1 Mbit/s link.
  public var outbox: Int
  /// The largest piece of a catch-up sent at once; the next one waits until this one has gone out.
  public var piece: Int
  /// Recent events of a room kept in memory. 512 KiB: about 4,000 stroke segments.
  public var tail: Int
  /// Whether the events that are read to open a room count as recent. Where logs are in a database: with them and the snapshot
  /// the room can be read while the database does not answer (DB-18).
  package var keepsWhatOpeningReads = false
  /// How long who asks for the state of an open room waits for the log to hold all of it; then it is shown what the log holds.
  /// 1 s: a slow disk has answered by then.
  package var stateWait = Duration.seconds(1)
  /// A snapshot is made after this many events…
  public var snapshotEvents: Int
  /// …or after this many bytes of records, since the last. 1.5 MiB: a seek unpacks at most that much.
  public var snapshotBytes: Int
  /// A room without members is closed after this long.
  public var idleClose: Duration
  /// Rooms open at once, over all loops; a hello for one more is refused. 100,000.
  public var openRooms: Int
  /// Replays watched at once, over all loops; a hello for one more is refused. 1,000: each holds some 750 KiB of its
  /// log at most.
  public var replays: Int
  /// Whether a hello for a room that is not there makes it (`boardroom serve --open`).
  public var makesRooms: Bool
  /// A room with more members than this gathers commits for a millisecond for every so many of them, and
  /// delivers them as one. 200: so many system calls take about a millisecond, so that the deliveries of a
  /// room take half of its loop at most, however fast the disk commits.
  public var membersPerMillisecond: Int
  /// How long a large room gathers who comes, goes and is silent, while nothing else happens in it. 100 ms: nobody sees that a
  /// member is in the list a moment later, and 1,000 members that come back at once are told to each in ten messages a second.
  package var presenceWait = Duration.milliseconds(100)
  /// A room in which nothing has happened for this long is quiet: heartbeats may be rare there (WIRE-20). 10 s: longer than people
  /// look at a board before they go on.
  public var quietAfter = Duration.seconds(10)
  /// How long both sides may say nothing in a quiet room. 10 s: with it, 5,000 members that only look cost 1 % of a core, and most
  /// proxies close a connection that is silent for 30 or 60 s. Not longer than the usual heartbeat: no room is ever quiet.
  public var quietHeartbeat = Duration.seconds(10)
  /// What one loop sends to members in one turn, in bytes; each message counts 8 KiB more. 4 MiB: a few milliseconds.
  public var turn = 4 << 20
  /// Calls into the store under way at once per loop, catch-ups and openings. 4.
  public var storeCalls: Int
  /// How long a stay in a service may be silent; that of a room is the operator's, in `timings`.
  package var graces: [Service: Duration] = [
    .rtc: ConnectionPolicy.rtc.offlineAfter, .rtm: ConnectionPolicy.rtm.offlineAfter,
    .signaling: ConnectionPolicy.signaling().offlineAfter,
  ]
  /// How often time passes for rooms; nil: a quarter of the heartbeat. For tests whose clock runs faster.
  package var tick: Duration?
  /// Accounts and channels that one account has made in a minute; 0: no limit. 60: what an RTM login joins at once (20)
  /// three times over.
  public var spacesOfAccount: Int
  /// The same of one address (IPv6: one /64), but for this machine's own. 2,000: a school behind one address signs in for
  /// the first time, each with an account and a channel.
  public var spacesOfAddress: Int
  /// Members that come in with one token in a minute; 0: no limit. 6,000: a lecture hall of 3,000 whose token is the
  /// same for all comes in twice. Who goes on with a stay does not count.
  public var joinsOfToken = 6_000
  /// The same of one address (IPv6: one /64), but for this machine's own. 6,000: a university behind one address.
  public var joinsOfAddress = 6_000
  /// Replays that one token has open at once; 0: no limit. 100: a tenth of all.
  public var replaysOfToken = 100
  /// The same of one address, but for this machine's own. 200: a fifth.
  public var replaysOfAddress = 200
  /// In a room with so many members newcomers with a reader's token are spectators (SPECT-1). 5,000: half of what a room may have. 0: in
  /// each room.
  public var spectatorsAbove = 5_000
  /// Whether comings and goings of Signaling are told in its two special channels (SIG-C6, SIG-C7).
  public var tellsPresence: Bool

  public init(
    timings: Timings = Timings(), limits: WireLimits = WireLimits(), room: RoomPolicy? = nil,
    helloWithin: Duration = .seconds(5), outbox: Int = 256 << 10, piece: Int = 256 << 10,
    tail: Int = 512 << 10, snapshotEvents: Int = 32_768,
    snapshotBytes: Int = 3 << 19, idleClose: Duration = .seconds(60), openRooms: Int = 100_000,
    replays: Int = 1_000,
    makesRooms: Bool = false, membersPerMillisecond: Int = 200,
    storeCalls: Int = 4, spacesOfAccount: Int = 60, spacesOfAddress: Int = 2_000,
    tellsPresence: Bool = true
  ) {
    self.timings = timings
    self.limits = limits
    self.room = room ?? RoomPolicy(limits: limits)
    self.helloWithin = helloWithin
    self.outbox = outbox
    self.piece = piece
    self.tail = tail
    self.snapshotEvents = snapshotEvents
    self.snapshotBytes = snapshotBytes
    self.idleClose = idleClose
    self.openRooms = openRooms
    self.replays = replays
    self.makesRooms = makesRooms
    self.membersPerMillisecond = membersPerMillisecond
    self.storeCalls = storeCalls
    self.spacesOfAccount = spacesOfAccount
    self.spacesOfAddress = spacesOfAddress
    self.tellsPresence = tellsPresence
  }

  /// How long members of a quiet room may say nothing; nil: no room is quiet. Whoever is gone is suspected before its grace ends, so
  /// a short grace makes it shorter.
  package var quietInterval: Duration? {
    let most = (timings.offlineAfter - timings.suspectAfter) / 2
    let interval = Duration.milliseconds(min(quietHeartbeat, most).wholeMilliseconds)
    return interval > timings.heartbeat ? interval : nil
  }

  /// The clocks of a stay in this service: rooms have the operator's, the others those of their service.
  public func timings(of service: Service) -> Timings {
    var timings = timings
    if let grace = graces[service] { timings.offlineAfter = grace }
    return timings
  }
}
