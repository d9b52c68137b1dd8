import Logging

/// One kind of line that the server logs: its words, its level, its fields. The table is the reference in
/// docs/OPERATIONS.md, and a repository test compares it with the code.
public struct LogLine: Sendable, Hashable {
  /// The line's words, by which it is found.
  public var words: String
  public var level: Logger.Level
  /// Names of the fields after the words.
  public var fields: [String]
  public var meaning: String

  init(_ words: String, _ level: Logger.Level, _ fields: [String] = [], _ meaning: String) {
    self.words = words
    self.level = level
    self.fields = fields
    self.meaning = meaning
  }

  /// Every line there is, by its words.
  public static let all: [LogLine] = (running + troubles + webhooks).sorted { $0.words < $1.words }

  private static let running: [LogLine] = [
    LogLine(
      "listening", .info, ["data", "host", "key", "port", "tls"],
      "The server takes connections. `key` is the id of the pair that signs."),
    LogLine(
      "draining", .info, ["within"], "It was asked to stop: everyone is sent off, and what is open closes."),
    LogLine("stopped", .info, [], "Everything is committed and closed."),
    LogLine(
      "measurements are shown", .info, ["host", "port"],
      "`metrics.listen` is set: whoever reaches this port may read them."),
    LogLine("certificate reloaded", .notice, ["certificate"], "New connections get the new certificate."),
    LogLine(
      "a deleted room was removed for good", .notice, ["room"],
      "It was deleted `keep.deleted` ago, or an operator wanted it gone: its log and its images are in no file any more."
    ),
    LogLine(
      "images that nothing names were removed", .notice, ["images"],
      "So many images were named by no event of any kept log, twice, a day apart (LOG-32)."),
    LogLine(
      "old history was removed", .notice, ["room", "events", "first"],
      "So many events were older or more than the room keeps (`keep.days`, `keep.events`, `keep.bytes`); `first` is the first one left."
    ),
    LogLine(
      "the log takes events again", .notice, [],
      "Space was freed: writing goes on, nothing has to be started."),
  ]

  private static let troubles: [LogLine] = [
    LogLine(
      "the gatekeeper failed", .error, ["error"],
      "The gatekeeper of the program that embeds the server threw this type of error, which is no refusal: whoever asked was refused."
    ),
    LogLine(
      "the system allows fewer connections than connections.all", .warning, ["allowed", "set"],
      "The limit of open files is too low for the setting; `allowed` is what holds (LimitNOFILE, ulimit -n)."),
    LogLine(
      "no connection can be accepted for the moment", .warning, ["why"],
      "The system gives no descriptor or memory for another one: it is tried again ten times a second."),
    LogLine(
      "certificate not reloaded: the old one stays", .error, ["why"],
      "The new files cannot be used; they are tried again when they change."),
    LogLine(
      "the log takes no events", .error, ["what", "why"],
      "Writing is refused: `log full` ends by itself with free space, `disk hangs` when the disk answers; with `log stopped` the server "
        + "ends. `what` is the call that failed, its path and the system's number."),
    LogLine(
      "the log has stopped: the server ends", .critical, ["what"],
      "The disk failed, or the data folder is gone: members are told to come back, and the exit status is 74."
    ),
    LogLine(
      "sealing fails", .error, ["failures"],
      "The database cannot be written, most often for want of space: events stay in the journal, and when that is "
        + "full, too, the log is."),
    LogLine(
      "commits are slow", .warning, ["commits", "over"],
      "So many group commits of the last ten seconds took a second or more: the disk."),
    LogLine(
      "rooms are refused", .warning, ["limit", "refused"],
      "As many rooms are open as `rooms.open` allows; so many times somebody was turned away for it."),
    LogLine(
      "connections are refused", .warning, ["address", "all"],
      "Over `connections.address` or `connections.all`; so many times since the last such line."),
    LogLine(
      "waiting for the start of another node", .notice, ["data"],
      "At the start with a database: another server starts on it, or its tables are changed. This start goes on afterwards, and is refused if that server stays."
    ),
    LogLine(
      "a node was lost, and its logs are free", .warning, ["node", "logs"],
      "It did not beat for 1.5 s: this node has fenced it and recovered what it had committed. Clients come back to any node."
    ),
    LogLine(
      "the clock differs from the database's", .warning, ["seconds", "most"],
      "This machine's clock is more than a second ahead of the database's; negative: behind it. Times in logs jump when a room's owner changes. Check the time service of both machines."
    ),
    LogLine(
      "the logs of a lost node cannot be recovered now", .error, ["why"],
      "Its rooms cannot be entered until they are. It is tried again, by each of the other nodes."),
    LogLine(
      "other nodes have taken this one for dead", .critical, [],
      "It was silent for too long, and appends nothing any more: the server ends with status 74, and is to be started again."
    ),
    LogLine(
      "clients cannot be joined to other nodes", .warning, ["failures"],
      "So many clients since the last such line came for rooms of nodes that cannot be reached, do not answer or refuse them; all were told to come back."
    ),
    LogLine(
      "prefaces of other nodes are refused", .warning, ["why"],
      "Since the last such line, by reason: `late` means that the clocks of two nodes differ, `forged` that the keys do, or that somebody tries."
    ),
    LogLine(
      "the time to drain is over: connections are cut", .warning, [],
      "Some did not close in `drain`. What was acknowledged is on disk."),
    LogLine(
      "the log did not close in time: it is left as after a power cut", .error, [],
      "The disk did not answer within `drain`. The next start reads the journal, as after a kill."),
    LogLine(
      "events were lost", .error, ["where"],
      "Started with `--accept-loss`: these acknowledged events are gone, and it goes on without them."),
    LogLine(
      "damage was found", .error, ["where"],
      "The scrub has read something stored that is not as it was written. See *Damage*: `boardroom verify`, then a repair or a backup."
    ),
    LogLine(
      "the scrub cannot go on", .warning, ["what"],
      "Reading what is stored failed otherwise than by damage; it is tried again in ten minutes."),
    LogLine(
      "the scrub has read everything", .info, ["damages"],
      "A pass is over: so many damaged places were found. The next one ends `scrub.every` later."),
    LogLine(
      "images that nothing names cannot be looked for", .warning, ["what"],
      "A log cannot be read, and may name any image: all stay. It is tried again a day later; see `boardroom verify`."
    ),
    LogLine(
      "the history of a room cannot be removed", .warning, ["room", "what"],
      "What is not to be kept of this room stays for now; it is tried again after `keep.every`. Other rooms go on."
    ),
    LogLine(
      "what is not to be kept cannot be removed", .warning, ["what"],
      "A round of retention ended early; it is tried again after `keep.every`."),
    LogLine(
      "a new key was made for rooms that were there", .warning, ["file"],
      "At the start: the folder has rooms and no `keys.json`. Tokens that were given out before do not work any more; bring the file back from a backup."
    ),
    LogLine(
      "damage was met before", .warning, ["revisions", "where"],
      "At every start after one that met damage: how many revisions are lost for good, and the last of the places; "
        + "`boardroom verify` lists all under `earlier`."),
    LogLine(
      "a damaged part was replaced", .error, ["where"],
      "At the start: what it held stands elsewhere in the folder, so nothing is lost. Look at the disk."),
    LogLine(
      "the journal's last frame is not whole", .warning, ["where"],
      "At the start: its writing was cut short and nobody was told that it was stored, or it was damaged since."
    ),
    LogLine(
      "an import is not finished", .warning, ["room", "events", "of"],
      "At the start: nobody sees this room. Stop, import the same file again, or give it up with `boardroom import --discard`."
    ),
    LogLine(
      "images cannot be read: they are not in the database", .error, ["images", "why"],
      "At the start: files of this node's folder `images`, and why the first of them cannot be read. Mend that, and start again; until then nobody is shown them."
    ),
    LogLine(
      "images were brought into the database", .notice, ["images"],
      "At the start: images that were files of this node are in the database now, for all nodes. Their folder is called `images.moved`, or `images.moved.2` if there was one; remove it when you like."
    ),
    LogLine(
      "webhook cursors cannot be read: nothing is told meanwhile", .warning, ["endpoint", "at", "why"],
      "The database did not answer. It is asked again every second."
    ),
    LogLine(
      "an image is damaged", .error, ["room", "image"],
      "Its bytes are not those of its name: it was refused. Bring the file back from a backup, or put the same image again."
    ),
    LogLine(
      "a route failed", .error, ["error"], "A fault of ours in REST: the client got 500. Please report it."),
  ]

  // All of these have the field of the endpoint.
  private static let webhooks: [LogLine] = [
    LogLine("a new webhook endpoint", .info, ["endpoint"], "It is told of what happens from now on."),
    LogLine(
      "a webhook endpoint fails: it is tried again", .warning, ["endpoint", "why"],
      "It does not answer, or not with success; events wait in the log."),
    LogLine("a webhook endpoint answers again", .notice, ["endpoint"], "It took an event after failures."),
    LogLine(
      "a webhook endpoint refuses an event: its room waits", .warning, ["endpoint", "why"],
      "Its answer says that the event is wrong; other rooms go on."),
    LogLine(
      "a webhook endpoint wants no more (410): it is left alone until the server starts again", .error,
      ["endpoint"], "Take it out of the settings, or mend it and start the server again."),
    LogLine(
      "a webhook endpoint was never told", .error, ["endpoint", "events", "first", "last", "room", "why"],
      "These events were given up for it; they stand in the log."),
    LogLine(
      "the loss could not be written down", .error, ["endpoint"], "The line before has no copy on disk."),
    LogLine(
      "a room's log cannot be read for webhooks", .warning, ["endpoint", "room", "why"],
      "Its events wait; see `boardroom verify`."),
    LogLine(
      "logs could not be listed: events of the last run may wait for the next start", .error,
      ["endpoint", "why"], "New events are told; what was left over at the last stop is not."),
    LogLine(
      "webhook cursors could not be read: some events are told again", .warning, ["endpoint", "lines"],
      "The file of cursors is damaged; endpoints know events by their ids."),
    LogLine(
      "webhook cursors could not be written: after a restart, events are told again", .error,
      ["endpoint", "why"], "The folder cannot be written; see *disk full*."),
  ]

  /// The table as Markdown, for docs/OPERATIONS.md.
  public static var markdown: String {
    let rows = all.map { line in
      let fields = line.fields.map { "`\($0)`" }.joined(separator: ", ")
      return "| \(line.words) | \(line.level.rawValue) | \(fields) | \(line.meaning) |"
    }
    return (["| line | level | beside it | meaning |", "|---|---|---|---|"] + rows).joined(separator: "\n")
  }
}
