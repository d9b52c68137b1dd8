import BoardroomAccess
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import BoardroomWebhooks
import EventLogModel

/// Everything that an operator may set. `Setting.all` is the table of keys, ranges and meanings; the defaults
/// are here.
public struct ServerSettings: Sendable {
  /// How log lines are written.
  public enum LogFormat: String, Sendable, Hashable, CaseIterable { case text, json }
  /// A setting that is on or off.
  public enum Switch: String, Sendable, Hashable, CaseIterable { case on, off }
  /// The levels of log lines, the least severe first.
  public enum LogLevel: String, Sendable, Hashable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
  }

  public var host = "127.0.0.1"
  public var port = 8_080
  /// A folder, or the address of a database. `place` can be shown; this may hold a password.
  public var data = "data"
  /// With a database in `data`: the folder of what is beside its logs.
  public var files = "data"

  /// PEM files; both or none.
  public var tlsCertificate: String?
  public var tlsKey: String?
  /// 1,000: a whole school behind one address, each with a connection or two.
  public var addressConnections = 1_000
  /// 100,000: some 600 MiB of idle connections (ADR 0008).
  public var allConnections = 100_000
  public var proxies = ProxyList()
  /// Whether this machine's own connections are counted by address, too: for tests, in which all connections
  /// are its own.
  public var countsThisMachine = false

  public var requests = RequestTimes()

  public var timings = Timings()
  /// As in `ServerPolicy`: when heartbeats are rare, and how rare.
  public var quietAfter = Duration.seconds(10)
  public var quietHeartbeat = Duration.seconds(10)
  public var limits = WireLimits()
  public var room = RoomPolicy()

  public var helloWithin: Duration = .seconds(5)
  public var outbox = 256 << 10
  public var tail = 512 << 10
  public var snapshotEvents = 32_768
  public var snapshotBytes = 3 << 19
  public var idleClose: Duration = .seconds(60)
  public var openRooms = 100_000
  public var replays = 1_000
  /// The four as in `ServerPolicy`.
  public var replaysOfToken = 100
  public var replaysOfAddress = 200
  public var joinsOfToken = 6_000
  public var joinsOfAddress = 6_000
  /// As in `ServerPolicy`.
  public var spectatorsAbove = 5_000

  /// 4 MiB: a phone's photograph, made smaller for a board.
  public var imageBytes = 4 << 20
  /// 256 MiB: some hundreds of images.
  public var roomImageBytes = 256 << 20
  /// 1,000: of 256 KiB each when the bytes are used up.
  public var roomImages = 1_000
  /// None: only pages of the server itself, until the operator names others.
  public var corsOrigins = OriginRule.none
  /// Any: a room is entered with a token, and no cookies are used, so that another site can do nothing in a
  /// browser's name.
  public var origins = OriginRule.any

  public var showsPage = true
  /// A folder whose files are served in place of those in the program.
  public var pageRoot: String?
  /// Only the server's own pages may show a board in a frame, because another site could put its own buttons
  /// over the board.
  public var pageFrames = OriginRule.none

  /// 500 µs: a store with few events then flushes at most 2,000 times a second, which bounds CPU and wear of the disk.
  public var commitInterval: Duration = .microseconds(500)
  public var segmentBytes = 16 << 20
  public var segments = 4

  /// Accounts sign in with `_no_need_token` (SIG-5): for trying out, never for the open network.
  public var opensAccounts = false
  public var signalingPresence = Switch.on
  /// 60 a minute: what an RTM login joins at once (20 channels) three times over.
  public var spacesOfAccount = 60
  /// 2,000 a minute: a school behind one address signs in for the first time, each with an account and a channel.
  public var spacesOfAddress = 2_000

  public var webhooks = WebhookSettings()

  /// The address of a port for the metrics alone; nil: there is none.
  public var metricsListen: ListenAddress?

  public var logLevel = LogLevel.info
  public var logFormat = LogFormat.text
  /// 20 s: a supervisor's usual patience is 30 s.
  public var drain: Duration = .seconds(20)
  /// 10 s: a good disk flushes in thousandths of a second, and a disk that retries a bad sector gives up
  /// within this time.
  public var diskPatience: Duration = .seconds(10)
  /// With a database that several nodes serve.
  public var databaseDurability = DatabaseDurability.standbys
  /// A week: a disk's own scrub is as often, and backups are kept longer.
  public var scrubEvery: Duration = .seconds(7 * 86_400)
  /// An hour: after an hour without events most boards are not opened again.
  public var packAfter: Duration? = .seconds(3_600)
  /// 30 days: time to notice that a room was deleted by mistake, when its log can still be exported and imported.
  public var keepDeleted: Duration? = .seconds(30 * 86_400)
  /// An hour: what is kept is counted in days.
  public var keepEvery: Duration = .seconds(3_600)
  /// 0: one for each core.
  public var threads = 0

  /// Anybody may enter any room, and a missing room is made. For trying out and measuring on one machine. Not
  /// in the table of settings, so that it cannot come from a file or an environment by mistake.
  public var isOpen = false
  /// Other names of an open server than this machine's own. Only with it an open server may listen on other
  /// addresses.
  public var openHosts = HostList()

  /// As `ServerPolicy.tick`; not in the table either.
  package var tick: Duration?

  /// How many times as fast as the wall clock the server's clock runs. It holds for every wait, grace,
  /// lifetime and rate, and for the times in the logs. For tests on one machine. Not in the table of
  /// settings, for the same reason.
  public var speed = 1

  public init() {}

  /// What keeps acknowledged events of several nodes safe from the loss of one disk.
  public enum DatabaseDurability: String, Sendable, Hashable, CaseIterable {
    /// Standbys, for one of which the server waits: without it the nodes are not ready.
    case standbys
    /// Something that the server's settings do not show, as a service whose disks are replicated.
    case external
  }

  /// Where the logs are.
  public var place: StorePlace { StorePlace(data) }
  /// The folder with keys, the secret of webhooks, events that endpoints were never told, and what retention and scrub
  /// note. Without a database images and how far webhooks were told are in it, too.
  public var folder: String { place.isDatabase ? files : data }

  /// The files for TLS; nil: no TLS.
  public var tls: TLSFiles? {
    guard let tlsCertificate, let tlsKey else { return nil }
    return TLSFiles(certificate: tlsCertificate, key: tlsKey)
  }

  /// Whether the rooms' port shows metrics to this machine without a token. Not behind a proxy, through which
  /// others could ask.
  var showsMetrics: Bool { metricsListen == nil && proxies == ProxyList() }

  /// The room policy with the wire's limits in it.
  public var roomPolicy: RoomPolicy {
    var policy = room
    policy.limits = limits
    return policy
  }

  public var serverPolicy: ServerPolicy {
    var policy = ServerPolicy(
      timings: timings, limits: limits, room: roomPolicy, helloWithin: helloWithin, outbox: outbox,
      tail: tail, snapshotEvents: snapshotEvents, snapshotBytes: snapshotBytes, idleClose: idleClose,
      openRooms: openRooms, replays: replays, makesRooms: isOpen,
      spacesOfAccount: spacesOfAccount, spacesOfAddress: spacesOfAddress,
      tellsPresence: signalingPresence == .on)
    // Of each open room its newest snapshot and all after it are in memory: a database that does not answer cannot be read,
    // and a folder can (DB-18).
    if place.isDatabase {
      policy.tail += snapshotBytes
      policy.keepsWhatOpeningReads = true
    }
    policy.tick = tick
    policy.quietAfter = quietAfter
    policy.quietHeartbeat = quietHeartbeat
    policy.joinsOfToken = joinsOfToken
    policy.joinsOfAddress = joinsOfAddress
    policy.replaysOfToken = replaysOfToken
    policy.replaysOfAddress = replaysOfAddress
    policy.spectatorsAbove = spectatorsAbove
    return policy
  }
}
