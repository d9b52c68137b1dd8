import BoardroomModel
import EventLogModel

extension RoomEvent {
  /// What happened, in a few words for people, without who and when: the words of `boardroom replay`. It holds names and the
  /// beginning of what members set, made visible: no character of it moves a terminal's cursor. It holds no payloads, no
  /// points, and no texts of messages.
  public var summary: String {
    switch event {
    case .drawing(let act): act.words(by: actor)
    case .elements(let what): what.words
    case .scenes(let what): what.words
    case .state(let what): what.words
    case .history(let what): what.words
    case .members(let what): what.words
    case .moderation(let what): what.words
    case .room(let what): what.words
    case .custom(let what): what.words
    // Names of accounts, channels and attributes stand in it as they were given.
    case .space(let what): visible(what.words, limit: mostSpaceLetters)
    case .diagnostics(let what): what.words
    case .unknown(let kind, let payload): "kind \(kind), \(payload.count) bytes"
    }
  }
}

/// Letters of what happened in a channel or to an account: a command may set many attributes.
private let mostSpaceLetters = 240

/// Text of members may contain anything; only the beginning of a long one is shown.
func visible(_ text: String, limit: Int = 60) -> String { VisibleText.line(text, limit: limit) }

/// `1 element`, `2 elements`.
func counted(_ number: Int, _ thing: String) -> String { "\(number) \(thing)\(number == 1 ? "" : "s")" }

extension DrawingAct {
  func words(by actor: Actor) -> String {
    switch self {
    case .stroke(let stroke): stroke.words(by: actor)
    case .pointer(let move):
      "points at \(move.x), \(move.y) (unit 2^\(move.unit)) on scene \(move.scene)"
    case .camera(let camera): "looks at \(camera.x), \(camera.y), scale \(camera.scale)/65536"
    }
  }
}

extension ElementEvent {
  var words: String {
    switch self {
    case .erased(let elements): "erased \(elements.count) elements"
    case .put(let put): "put \(put.type.rawValue) \(put.id) on scene \(put.scene)"
    case .changed(let change): change.words
    case .copied(let copies): "copied \(counted(copies.count, "element"))"
    }
  }
}

extension SceneEvent {
  var words: String {
    switch self {
    case .put(let put): "put \(put.scenes.count) scenes into \(visible(put.directory))"
    case .switched(let scene): "switched to scene \(scene)"
    case .cleaned(let clean):
      "cleaned scene \(clean.scene)\(clean.retainPPT ? ", its ppt stays" : "")"
    case .removed(let removed): removed.words
    case .moved(let move):
      "moved scene \(move.scene) to \(visible(move.directory)), named \(visible(move.name))"
        + (move.index.map { ", to place \($0)" } ?? "")
    case .pptStepped(let step): "ppt at step \(step.step) of scene \(step.scene)"
    }
  }
}

extension StateEvent {
  var words: String {
    switch self {
    case .global(let patch): "globalState \(visible(patch.raw.text))"
    case .member(let patch): "memberState \(visible(patch.raw.text))"
    case .storeSet(let set):
      "store \(visible(set.store)) \(set.resets ? "is now" : "gets") \(visible(set.patch.raw.text))"
    case .storeDeleted(let store): "deleted store \(visible(store))"
    }
  }
}

extension HistoryEvent {
  var words: String {
    switch self {
    case .kept(let kept):
      kept.scenes == 0 ? "keeps no history" : "keeps \(kept.depth) steps on each of \(kept.scenes) scenes"
    case .undone(let compensation): "took back \(compensation.words)"
    case .redone(let compensation): "did again \(compensation.words)"
    }
  }
}

extension MemberEvent {
  var words: String {
    switch self {
    case .joined(let joined): joined.words
    case .left(let cause): "left (\(cause.rawValue))"
    case .phase(let change): "\(change.phase.rawValue), generation \(change.generation)"
    case .writable(let writable): writable ? "became writable" : "became read-only"
    case .kicked(let kicked): "kicked member \(kicked.member) (\(kicked.reason.rawValue))"
    case .replaced(let replaced): "was replaced by session \(replaced.by)"
    case .viewMode(let mode): "view mode \(mode.rawValue)"
    }
  }
}

extension RoomLifeEvent {
  var words: String {
    switch self {
    case .created(let room): "room \"\(visible(room.name))\" created, limit \(room.limit)"
    case .banned(let banned): banned ? "banned the room" : "lifted the room's ban"
    case .limitsSet(let patch): patch.words
    case .deleted: "deleted the room"
    case .banSet(let ban): ban.words
    case .banLifted(let number): "lifted ban \(number)"
    }
  }
}

extension DiagnosticEvent {
  var words: String {
    switch self {
    case .refused(let refused): "was refused (\(refused.code.rawValue)), kind \(refused.kind)"
    case .clientPhases(let phases):
      "saw \(visible(phases.map(\.phase).joined(separator: ", ")))"
    case .nothingChanged(let kind): "changed nothing, kind \(kind)"
    case .contentErased(let erased): "content erased, kind \(erased.kind)"
    }
  }
}

extension Custom {
  var words: String {
    switch self {
    case .magix(let magix): "magix \"\(visible(magix.name))\", \(magix.payload.bytes.count) bytes"
    case .reaction(let reaction): reaction.words
    }
  }
}

extension Reaction {
  var words: String {
    let place =
      switch target {
      case .page(let scene, let x, let y): "at \(x), \(y) on scene \(scene)"
      case .element(let id): "on \(id)"
      }
    return "reacts with \(visible(emoji)) \(place)"
  }
}

extension Moderation {
  var words: String {
    switch self {
    case .hand(let isRaised): isRaised ? "raised a hand" : "took the hand down"
    case .writing(let member, let isAllowed): "\(isAllowed ? "lets" : "does not let") member \(member) write"
    case .lock(let isLocked): isLocked ? "locked the room" : "unlocked the room"
    }
  }
}

extension ElementsChanged {
  var words: String {
    guard changes.count == 1, let change = changes.first else {
      return "changed \(counted(changes.count, "element"))"
    }
    let keys = change.set.fields.map(\.key).joined(separator: ", ")
    return "changed \(visible(keys)) of \(change.id)"
  }
}

extension ScenesRemoved {
  var words: String {
    let next = fresh == nil ? "switched to scene \(current)" : "a new /init is scene \(current)"
    return "removed \(counted(scenes.count, "scene")), \(next)"
  }
}

extension Compensation {
  var words: String {
    let parts = [
      (erased.count, "erased"), (restored.count, "restored"), (puts.count, "put back"),
      (changes.count, "changed back"),
    ]
    let what = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return "a step on scene \(scene): \(what.isEmpty ? "nothing" : what)"
  }
}

extension LimitsPatch {
  var words: String {
    let set = fields.map { "\(visible($0.name)) \($0.value.map(String.init) ?? "as the server's")" }
    return "limits: \(set.joined(separator: ", "))"
  }
}

extension Ban {
  var words: String {
    let whom = [
      room.map { "room \($0)" }, uid.map { "user \"\(visible($0))\"" },
      token.map { "the token \(visible($0, limit: 8))" }, address.map { "address \(visible($0))" },
      member.map { "set for member \($0)" }, name.map { "called \"\(visible($0))\"" },
    ].compactMap(\.self)
    let end = until.map { "until \($0.iso8601)" } ?? "for good"
    return "ban \(number): \(whom.joined(separator: ", ")) \(end)"
  }
}

extension StrokeSegment {
  func words(by actor: Actor) -> String {
    let name = "\(actor.member.map(\.description) ?? "server").\(number)"
    let part = begin != nil ? (ends ? "drawn" : "begun") : (ends ? "ended" : "extended")
    return "stroke \(name) \(part), \(points.count) points"
  }
}

extension MemberJoined {
  var words: String {
    let name = uid.map { " as \"\(visible($0))\"" } ?? ""
    return "joined\(name), \(role.rawValue)\(writable ? "" : ", read-only")"
  }
}
