import BoardroomCore
import BoardroomModel

extension Setting {
  /// Every key there is. `boardroom serve --help` and docs/OPERATIONS.md print this table.
  public static let all: [Setting] =
    [
      .text("host", \.host, "address to listen on; 0.0.0.0 or :: for every interface"),
      .count("port", \.port, 0...65_535, "port to listen on; 0: any free one"),
      .store(
        "data", \.data,
        "folder with the log and the keys, made if it is missing; or postgres://user@host/name, in a program that was built with PostgreSQL"
      ),
      .text(
        "files", \.files,
        "with a database in data: folder with keys and the secret of webhooks; made if it is missing"
      ),
      .count("threads", \.threads, 0...256, "event loops; 0: one for each core"),
      .duration(
        "drain", \.drain, .milliseconds(100)...minutes(10), "time to say goodbye and commit when stopping"),
      .flag(
        "accounts.open", \.opensAccounts, "accounts sign in with the token _no_need_token; for tests only"),
      .choice("log.level", \.logLevel, "least severity that is logged"),
      .choice("log.format", \.logFormat, "how log lines are written to standard error"),
    ] + connections + timings + rooms + limits + board + web + store + signaling + webhooks

  private static let connections: [Setting] = [
    .file(
      "tls.certificate", \.tlsCertificate, "PEM file with the certificate chain; then the port speaks TLS"),
    .file("tls.key", \.tlsKey, "PEM file with the key of the certificate"),
    .count(
      "connections.address", \.addressConnections, 1...1_000_000,
      "connections of one address (IPv6: one /64), at most three quarters of all; of this machine, seven eighths of all"
    ),
    .count(
      "connections.all", \.allConnections, 1...10_000_000,
      "connections in all; less where the limit of open files is low"),
    .count(
      "joins.token", \.joinsOfToken, 0...1_000_000,
      "members that come in with one token in a minute; who goes on with a stay does not count; 0: no limit"),
    .count(
      "joins.address", \.joinsOfAddress, 0...1_000_000,
      "the same of one address (IPv6: one /64), but for this machine's own"),
    .duration(
      "http.head", \.requests.head, .milliseconds(100)...minutes(1), "time for the head of an HTTP request"),
    .duration(
      "http.body", \.requests.body, .seconds(1)...minutes(60),
      "time for its whole body, however fast it comes"),
    .size(
      "http.rate", \.requests.rate, 1...1 << 20,
      "bytes a second at least, of a request's body and of an answer being read"),
    .proxies("proxies", \.proxies, "proxies whose X-Forwarded-For is believed"),
    .listen(
      "metrics.listen", \.metricsListen,
      "a port of its own for /metrics, open to all who reach it; then the rooms' port wants a token for them"),
  ]

  private static let timings: [Setting] = [
    .duration(
      "heartbeat", \.timings.heartbeat, .milliseconds(100)...minutes(1),
      "both sides say something at least this often, but for quiet rooms"),
    .duration(
      "suspect", \.timings.suspectAfter, .milliseconds(200)...minutes(5),
      "silence after which a client reconnects"),
    .duration(
      "offline", \.timings.offlineAfter, .milliseconds(400)...minutes(60),
      "the grace: silence after which a member has left"),
    .duration(
      "quiet.after", \.quietAfter, .seconds(1)...minutes(60),
      "time without anything new after which heartbeats are rare in a room"),
    .duration(
      "quiet.heartbeat", \.quietHeartbeat, .milliseconds(100)...minutes(5),
      "they are this rare then, at most half of suspect to offline; not longer than heartbeat: never"),
    .duration("hello", \.helloWithin, .milliseconds(100)...minutes(1), "time from connecting to the hello"),
  ]

  private static let rooms: [Setting] = [
    .size(
      "outbox", \.outbox, 16 << 10...64 << 20,
      "what may wait for one slow member before it reads from the log"),
    .size(
      "tail", \.tail, 16 << 10...256 << 20,
      "recent events of an open room kept in memory; where the logs are in a database, `snapshot.bytes` more"),
    .count("rooms.open", \.openRooms, 1...10_000_000, "rooms open at once"),
    .count("replays", \.replays, 0...1_000_000, "replays watched at once over WebSockets"),
    .count(
      "replay.token", \.replaysOfToken, 0...1_000_000, "replays that one token has open at once; 0: no limit"
    ),
    .count(
      "replay.address", \.replaysOfAddress, 0...1_000_000,
      "the same of one address (IPv6: one /64), but for this machine's own"),
    .duration(
      "rooms.idle", \.idleClose, .seconds(1)...minutes(1_440), "a room without members is closed after this"),
    .timeOrNever(
      "rooms.zombie", \.room.zombieAfter, minutes(1)...minutes(525_600),
      "a room where nobody does anything is emptied after this"),
    .count("members", \.room.members, 0...1_000_000, "members of one room, readers too; 0: no limit"),
    .count(
      "spectators.above", \.spectatorsAbove, 0...1_000_000,
      "in a room with so many members newcomers with a reader's token see it as spectators, and are no members; 0: in each room"
    ),
    .pace("pointers", \.room.pointers, "how often a member's pointer is recorded"),
    .pace("cameras", \.room.cameras, "how often a member's camera is recorded"),
    .rate("rate", \.room.rate, "commands a second of one member, in the long run; 0: no limit"),
    .rates("rates", "the same by kind of command, and of a room as a whole"),
    .count("snapshot.events", \.snapshotEvents, 256...10_000_000, "a snapshot at least every so many events"),
    .size("snapshot.bytes", \.snapshotBytes, 64 << 10...1 << 30, "a snapshot at least every so many bytes"),
  ]

  // Bodies stay below the largest record of a log, 1 MiB, with room for what stands around them.
  private static let limits: [Setting] = [
    .size("limits.message", \.limits.message, 4 << 10...16 << 20, "one WebSocket message"),
    .size("limits.stroke", \.limits.stroke, 1 << 10...1_000 << 10, "one stroke, pointer or camera command"),
    .size("limits.magix", \.limits.magix, 1 << 10...1_000 << 10, "one custom event"),
    .size("limits.statePatch", \.limits.statePatch, 1 << 10...1_000 << 10, "one change of the global state"),
    .size("limits.globalState", \.limits.globalState, 4 << 10...64 << 20, "the whole global state"),
    .size("limits.element", \.limits.element, 1 << 10...1_000 << 10, "one shape or text"),
    .size("limits.uid", \.limits.uid, 16...64 << 10, "a user's name"),
    .size("limits.payload", \.limits.payload, 256...1_000 << 10, "a member's payload"),
    .count("limits.scenes", \.limits.scenes, 1...1_000_000, "scenes in one room"),
    .count("limits.jsonDepth", \.limits.jsonDepth, 4...512, "depth of JSON"),
  ]

  private static let board: [Setting] = [
    .count("elements", \.room.elements, 1...10_000_000, "elements in one room"),
    .count("points", \.room.points, 100...10_000_000, "points of one stroke"),
    .count("stores", \.room.stores, 0...10_000, "stores of one room"),
    .count("history.scenes", \.room.history.scenes, 0...1_000, "scenes for which a member can undo"),
    .count("history.depth", \.room.history.depth, 1...10_000, "steps that a member can undo on one scene"),
    .size("limits.storePatch", \.room.storePatch, 1 << 10...1_000 << 10, "one change of a store"),
    .size("limits.store", \.room.store, 4 << 10...64 << 20, "one whole store"),
    .size("limits.board", \.room.board, 64 << 10...16 << 30, "the board: elements, histories and pages"),
    .size("limits.memberState", \.room.memberState, 1 << 10...16 << 20, "one member's whole state"),
    .size("limits.magixName", \.room.magixName, 16...1_024, "a custom event's name"),
    .size("limits.sceneName", \.room.sceneName, 16...1_024, "a scene's name"),
    .size("limits.scenePath", \.room.scenePath, 64...16 << 10, "a scene's whole path"),
    .count("limits.clientPhases", \.room.clientPhases, 1...288, "phases in one upload"),
  ]

  private static let web: [Setting] = [
    .size("limits.images", \.imageBytes, 16 << 10...64 << 20, "one image put onto a board"),
    .size("limits.roomImages", \.roomImageBytes, 1 << 20...1 << 40, "all images of one room"),
    .count("images", \.roomImages, 1...1_000_000, "images of one room"),
    .origins("cors.origins", \.corsOrigins, "pages of other origins that may use the HTTP interface"),
    .origins("origins", \.origins, "pages that may open a room's WebSocket"),
    .hosts(
      "open.hosts", \.openHosts,
      "names under which others call an open server (--open), which then may listen to them"),
    .flag("page.shown", \.showsPage, "whether browsers are shown the board and the player"),
    .file(
      "page.root", \.pageRoot, "folder with the page's files instead of the built-in ones; for development"),
    .origins("page.frames", \.pageFrames, "sites that may show the page in a frame of theirs"),
  ]

  private static let store: [Setting] = [
    .duration("commit", \.commitInterval, .zero...minutes(1), "least time between two small group commits"),
    .duration(
      "disk.patience", \.diskPatience, .seconds(1)...minutes(10),
      "time of a group commit after which the disk counts as hanging"),
    .choice(
      "database.durability", \.databaseDurability,
      "with a database that several nodes serve: whether they are ready only while it waits for a standby"),
    .duration(
      "scrub.every", \.scrubEvery, .zero...minutes(525_600),
      "time in which the server reads everything stored once, to find damage; 0: never"),
    .timeOrNever(
      "pack.after", \.packAfter, .zero...minutes(525_600),
      "time without events after which a room's stored events are packed smaller"),
    .timeOrNever(
      "keep.deleted", \.keepDeleted, .zero...minutes(5_256_000),
      "time after which a deleted room's log and images are removed for good"),
    .count(
      "keep.days", \.room.keeping.days, HistoryKeeping.mostDays,
      "days that a room's events are kept; 0: for ever"),
    .count(
      "keep.events", \.room.keeping.events, HistoryKeeping.mostEvents,
      "newest events of a room that are kept; 0: all"),
    .size(
      "keep.bytes", \.room.keeping.bytes, HistoryKeeping.mostBytes,
      "stored bytes of a room's events that are kept; 0: all"),
    .duration(
      "keep.every", \.keepEvery, .seconds(1)...minutes(1_440),
      "how often the server looks for what is not to be kept"),
    .size("journal.segment", \.segmentBytes, 4 << 20...1 << 30, "one segment of the journal"),
    .count("journal.segments", \.segments, 2...1_000, "segments in use before sealing is hurried"),
  ]

  private static let signaling: [Setting] = [
    .count(
      "spaces.account", \.spacesOfAccount, 0...1_000_000,
      "accounts and channels that one account has made in a minute; 0: no limit"),
    .count(
      "spaces.address", \.spacesOfAddress, 0...1_000_000,
      "the same of one address (IPv6: one /64), but for this machine's own"),
    .choice(
      "signaling.presence", \.signalingPresence,
      "whether __agora_user_online and __agora_channel_event tell of comings and goings"),
    .count(
      "signaling.messages", \.room.channelMessages, 1...1_000_000,
      "messages a second that a channel's _sendmsg_limit can allow"),
  ]

  private static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }

  /// The setting with this key; nil if there is none.
  public static func named(_ key: String) -> Setting? { all.first { $0.key == key } }

  /// The table as text, for help: two lines a key, so that it fits into 80 columns.
  public static var table: String {
    let width = all.map(\.key.count).max() ?? 0
    return all.map { setting in
      "  " + setting.key + String(repeating: " ", count: width - setting.key.count)
        + "  \(setting.standard)  (\(setting.form))\n      \(setting.meaning)"
    }.joined(separator: "\n")
  }

  /// The table as Markdown, for docs/OPERATIONS.md.
  public static var markdown: String {
    let rows = all.map {
      "| `\($0.key)` | `\($0.variable)` | \($0.standard) | \($0.form) | \($0.meaning) |"
    }
    return (["| key | variable | default | form | meaning |", "|---|---|---|---|---|"] + rows)
      .joined(separator: "\n")
  }
}
