import BoardroomCodec
import BoardroomModel
import BoardroomReplay
import EventLogModel

/// A moment as `replay` prints it.
struct MomentReport {
  var moment: Moment
  var info: LogInfo
  /// The timeline; nil if it was not asked for.
  var timeline: Timeline?
  var gaps: [Gap]

  var lines: [String] {
    let state = moment.state
    var lines = [
      "room      \(Text.visible(state.created?.name ?? "")) \(info.log)",
      "revision  \(moment.revision) of \(info.last), \(Text.time(moment.time))",
      "hash      \(Text.hex(moment.stateHash))",
      "scenes    \(state.scenes.count), current \(Text.visible(state.scene(state.currentScene)?.path ?? "none"))",
      "elements  \(elements)",
    ]
    for key in state.globalState.keys.sorted() {
      let value = Text.visible(state.globalState[key]?.text ?? "")
      lines.append("global    \(Text.visible(key)) = \(value)")
    }
    lines += ["roster    \(state.members.count)"] + state.roster.map(Self.line)
    if let timeline { lines += ["phases    \(timeline.entries.count)"] + timeline.entries.map(Self.line) }
    lines += gaps.map { "gap       \($0)" }
    return lines
  }

  private var elements: String {
    var counts = (strokes: 0, shapes: 0)
    let elements = moment.state.elements
    for (ordinal, element) in elements.places.enumerated() where !elements.isBuried(ordinal: ordinal) {
      switch element?.content {
      case .stroke: counts.strokes += 1
      case .shape: counts.shapes += 1
      case nil: break
      }
    }
    return "\(moment.state.elements.count): \(counts.strokes) strokes, \(counts.shapes) shapes"
  }

  private static func line(_ member: Member) -> String {
    let name = Text.padded(Text.visible(member.uid ?? "–", limit: 20), 20)
    return "  \(Text.padded(member.id.description, 6)) \(name) \(member.role.rawValue)"
      + "\(member.writable ? "" : ", read-only"), \(member.phase.rawValue), generation \(member.generation),"
      + " since \(Text.clock(member.joined))"
  }

  private static func line(_ entry: Timeline.Entry) -> String {
    "  \(Text.padded(entry.revision.description, 8)) \(Text.clock(entry.time))  "
      + "\(Text.padded("member \(entry.member)", 10)) \(words(entry.what))"
  }

  private static func words(_ what: Timeline.What) -> String {
    switch what {
    case .joined(let uid, let role, let client):
      "joined\(uid.map { " as \"\(Text.visible($0))\"" } ?? ""), \(role.rawValue)"
        + "\(client.map { ", with \(Text.visible($0))" } ?? "")"
    case .phase(let phase, let generation): "\(phase.rawValue), generation \(generation)"
    case .clientPhase(let phase): "saw \(Text.visible(phase)) itself"
    case .writable(let writable): writable ? "writable" : "read-only"
    case .allowed(let isAllowed, let actor):
      "\(isAllowed ? "may" : "may not") write, by \(actor.member.map { "member \($0)" } ?? "the server")"
    case .hand(let isRaised): isRaised ? "hand up" : "hand down"
    case .kicked(let reason, let actor):
      "kicked (\(reason.rawValue)) by \(actor.member.map { "member \($0)" } ?? "the server")"
    case .replaced(let session): "replaced by session \(session)"
    case .left(let cause): "left (\(cause.rawValue))"
    }
  }

  /// One object; `state` is the root of section 7 of docs/PROTOCOL.md.
  var json: String {
    var encoder = StateEncoder()
    let snapshot = encoder.snapshot(of: moment.state)
    var fields = [
      ("room", Text.json(info.log.description)), ("epoch", Text.json(info.epoch.description)),
      ("last", info.last.description), ("revision", moment.revision.description),
      ("time", moment.time.description), ("stateHash", Text.json(Text.hex(snapshot.stateHash))),
      ("elements", moment.state.elements.count.description),
      ("state", String(decoding: snapshot.root, as: UTF8.self)),
    ]
    if let timeline {
      fields.append(("phases", "[" + timeline.entries.map(Self.json).joined(separator: ",") + "]"))
    }
    fields.append(("gaps", "[" + gaps.map { "[\($0.first),\($0.last)]" }.joined(separator: ",") + "]"))
    return Self.object(fields)
  }

  private static func json(_ entry: Timeline.Entry) -> String {
    let what: [(String, String)] =
      switch entry.what {
      case .joined: [("what", "\"joined\"")]
      case .phase(let phase, let generation):
        [("what", "\"phase\""), ("phase", Text.json(phase.rawValue)), ("generation", "\(generation)")]
      case .clientPhase(let phase): [("what", "\"clientPhase\""), ("phase", Text.json(phase))]
      case .writable(let writable): [("what", "\"writable\""), ("writable", "\(writable)")]
      case .allowed(let isAllowed, _): [("what", "\"allowed\""), ("allowed", "\(isAllowed)")]
      case .hand(let isRaised): [("what", "\"hand\""), ("raised", "\(isRaised)")]
      case .kicked(let reason, _): [("what", "\"kicked\""), ("reason", Text.json(reason.rawValue))]
      case .replaced(let session): [("what", "\"replaced\""), ("by", Text.json("\(session)"))]
      case .left(let cause): [("what", "\"left\""), ("cause", Text.json(cause.rawValue))]
      }
    return object(
      [
        ("rev", "\(entry.revision)"), ("t", "\(entry.time)"), ("member", "\(entry.member)"),
      ] + what)
  }

  private static func object(_ fields: [(String, String)]) -> String {
    "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }

  static func text(of change: MomentChange) -> String {
    var parts: [String] = []
    if !change.globalState.isEmpty {
      parts.append("globalState \(change.globalState.joined(separator: ", "))")
    }
    if !change.joined.isEmpty { parts.append("joined \(change.joined)") }
    if !change.left.isEmpty { parts.append("left \(change.left)") }
    if !change.changed.isEmpty { parts.append("changed \(change.changed)") }
    if change.scenes { parts.append("scenes") }
    if change.currentScene { parts.append("current scene") }
    if change.broadcaster { parts.append("broadcaster") }
    if !change.stores.isEmpty { parts.append("stores \(change.stores.joined(separator: ", "))") }
    if change.moderation { parts.append("bans, lock and limits") }
    if change.put + change.erased > 0 { parts.append("elements +\(change.put) −\(change.erased)") }
    let what = parts.isEmpty ? "nothing differs" : parts.joined(separator: "; ")
    return "\(change.from) → \(change.to)  \(Text.visible(what, limit: 200))"
  }

  static func json(of change: MomentChange) -> String {
    func list(_ members: [MemberID]) -> String {
      "[" + members.map(\.description).joined(separator: ",") + "]"
    }
    return object([
      ("from", "\(change.from)"), ("to", "\(change.to)"),
      ("globalState", "[" + change.globalState.map(Text.json).joined(separator: ",") + "]"),
      ("joined", list(change.joined)), ("left", list(change.left)), ("changed", list(change.changed)),
      ("scenes", "\(change.scenes)"), ("currentScene", "\(change.currentScene)"),
      ("broadcaster", "\(change.broadcaster)"),
      ("stores", "[" + change.stores.map(Text.json).joined(separator: ",") + "]"),
      ("moderation", "\(change.moderation)"), ("put", "\(change.put)"), ("erased", "\(change.erased)"),
    ])
  }
}
