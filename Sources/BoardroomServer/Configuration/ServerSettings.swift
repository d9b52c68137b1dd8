import BoardroomAccess
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import BoardroomWebhooks

/// Everything that an operator may set. Defaults and meanings stand in `Setting.all`, the one table of them.
public struct ServerSettings: Sendable {
  public enum LogFormat: String, Sendable, Hashable, CaseIterable { case text, json }
  public enum Switch: String, Sendable, Hashable, CaseIterable { case on, off }
  public enum LogLevel: String, Sendable, Hashable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
  }

  public var host = "127.0.0.1"
  public var port = 8_080
  public var data = "data"

  /// PEM files; both or none.
  public var tlsCertificate: String?
  public var tlsKey: String?
  /// 1,000: a whole school behind one address, each with a connection or two.
  public var addressConnections = 1_000
  /// 100,000: some 600 MiB of idle connections (ADR 0008).
  public var allConnections = 100_000
  public var proxies = ProxyList()
  /// Count this machine's own connections by address, too: for tests, where all come from it.
  public var countsThisMachine = false

  public var requests = RequestTimes()

  public var timings = Timings()
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

  /// 4 MiB: a photograph of a telephone, made smaller for a board.
  public var imageBytes = 4 << 20
  /// 256 MiB: some hundreds of images.
  public var roomImageBytes = 256 << 20
  /// 1,000: of 256 KiB each when the bytes are used up.
  public var roomImages = 1_000
  /// No page but those of the server itself, until the operator names some.
  public var corsOrigins = OriginRule.none
  /// Any: who enters a room shows a token, and no cookie speaks for a browser.
  public var origins = OriginRule.any

  public var showsPage = true
  /// A folder instead of what the program carries.
  public var pageRoot: String?
  /// Frames of the server's own pages only: another site could lay its own over a board.
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

  /// Where measurements have a port of their own; nil: nowhere.
  public var metricsListen: ListenAddress?

  public var logLevel = LogLevel.info
  public var logFormat = LogFormat.text
  /// 20 s: a supervisor's usual patience is 30 s.
  public var drain: Duration = .seconds(20)
  /// 10 s: a good disk flushes in thousandths of a second, and one that tries a bad sector again and again gives up by then.
  public var diskPatience: Duration = .seconds(10)
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

  /// Anyone may enter any room, and a room that is not there is made. For trying out and measuring on one
  /// machine; not in the table, because it is never to come from a file or an environment by mistake.
  public var isOpen = false
  /// Names under which an open server is called beside this machine's own: with it, it may listen to others.
  public var openHosts = HostList()

  /// As `ServerPolicy.tick`; not in the table either.
  package var tick: Duration?

  /// How many times as fast as the clock on the wall the server's runs: every wait, grace, life and rate, and the times in
  /// the logs. For tests on one machine; not in the table, for the same reason.
  public var speed = 1

  public init() {}

  /// The files for TLS, if it is to be spoken.
  public var tls: TLSFiles? {
    guard let tlsCertificate, let tlsKey else { return nil }
    return TLSFiles(certificate: tlsCertificate, key: tlsKey)
  }

  /// Whether the rooms' port shows measurements to this machine without a token: not where somebody else may ask by way
  /// of it.
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
    policy.tick = tick
    policy.joinsOfToken = joinsOfToken
    policy.joinsOfAddress = joinsOfAddress
    policy.replaysOfToken = replaysOfToken
    policy.replaysOfAddress = replaysOfAddress
    return policy
  }
}
