import BoardroomCodec
import BoardroomModel
import EventLogModel

// Random valid values of kinds 33 to 48.

extension Chance {
  mutating func boardEvent(_ kind: EventKind) -> Event {
    switch kind {
    case .elementsChanged: .elements(.changed(ElementsChanged(changes())))
    case .elementsCopied: .elements(.copied(copies()))
    case .sceneCleaned: .scenes(.cleaned(SceneCleaned(scene: scene(), retainPPT: coin())))
    case .scenesRemoved:
      .scenes(
        .removed(
          ScenesRemoved(
            scenes: (0..<upTo(3)).map { _ in scene() }, current: scene(), fresh: coin() ? scene() : nil)))
    case .sceneMoved:
      .scenes(
        .moved(
          SceneMoved(
            scene: scene(), directory: pick(["/", "/a"]), name: word(), index: coin() ? upTo(9) : nil)))
    case .pptStepped: .scenes(.pptStepped(PPTStep(scene: scene(), step: upTo(99))))
    case .storeSet: .state(.storeSet(storeSet(isCommand: false)))
    case .storeDeleted: .state(.storeDeleted(word()))
    case .historySet: .history(.kept(HistoryDepth(scenes: upTo(20), depth: upTo(100))))
    case .undone: .history(.undone(compensation()))
    case .redone: .history(.redone(compensation()))
    case .roomBanned: .room(.banned(coin()))
    case .limitsSet: .room(.limitsSet(LimitsPatch([.init(name: word(), value: coin() ? upTo(999) : nil)])))
    case .roomDeleted: .room(.deleted)
    case .banSet: .room(.banSet(ban(number(upTo: 99))))
    case .banLifted: .room(.banLifted(number(upTo: 99)))
    case .handRaised: .moderation(.hand(coin()))
    case .writingAllowed: .moderation(.writing(MemberID(number(upTo: 999)), isAllowed: coin()))
    case .roomLocked: .moderation(.lock(coin()))
    case .stroke, .pointer, .camera, .roomCreated, .memberJoined, .memberLeft, .memberPhase, .memberWritable,
      .memberKicked, .memberReplaced, .globalState, .memberState, .viewMode, .scenesPut, .sceneSwitched,
      .erased, .elementPut, .magix, .refused, .clientPhases, .spaceCreated, .attributesSet,
      .attributesCleared, .channelMessage, .numbersTold, .spaceExpired,
      .inboxMessage, .inboxAcked, .inboxExpired, .channelEntered, .channelLeft, .inviteMoved, .inviteHeard,
      .presence, .nothingChanged, .contentErased, .reaction:
      event(kind)
    }
  }

  mutating func reaction() -> Reaction {
    let emoji = pick(["👍", "❤️", "👩🏽‍❤️‍💋‍👨🏿", "not one", ""])
    let edge = FieldRanges.coordinate
    return Reaction(
      emoji,
      at: coin() ? .element(elementID()) : .page(scene(), x: pick([0, -5, edge, -edge]), y: Int64(upTo(999))))
  }

  /// Each attribute that there is, now and then.
  mutating func attributes() -> JSONPatch {
    let all: [(String, String)] = [
      ("x", "-1.5"), ("y", "2e3"), ("width", "0"), ("height", "12"), ("size", "16.5"),
      ("text", JSONText(unchecked: "\"a\\nb\"").text), ("src", "\"https://example.org/a.png\""),
      ("points", "[[0,0],[1.5,-2]]"), ("transform", "[1,0,0,1,5,-5]"), ("order", "\"V0000001V\""),
      ("locked", pick(["true", "false"])), ("uniformScale", "true"), ("meta", "{\"a\":[null]}"),
      ("style.colour", "[1,2,3]"), ("style.any thing", "{}"),
    ]
    var fields: [(key: String, value: JSONText?)] = []
    for (key, value) in all where upTo(3) == 0 {
      fields.append((key, upTo(4) == 0 ? nil : JSONText(unchecked: value)))
    }
    return JSONPatch(fields)
  }

  mutating func changes() -> [ElementChange] {
    (0..<upTo(3)).map { _ in ElementChange(id: elementID(), set: attributes()) }
  }

  mutating func copies() -> [ElementCopy] {
    (0..<upTo(3)).map { _ in
      ElementCopy(from: elementID(), id: elementID(), scene: scene(), set: coin() ? attributes() : nil)
    }
  }

  mutating func storeSet(isCommand: Bool) -> StoreSet {
    let resets = coin()
    return StoreSet(
      store: word(), patch: patch(), resets: resets, onlyAbsent: isCommand && !resets && coin())
  }

  mutating func compensation() -> Compensation {
    Compensation(
      scene: scene(), erased: (0..<upTo(2)).map { _ in elementID() },
      restored: (0..<upTo(2)).map { _ in elementID() },
      puts: (0..<upTo(2)).map { _ in Compensation.ShapePut(id: elementID(), shape: shape()) },
      changes: changes())
  }

  mutating func ban(_ number: UInt64) -> Ban {
    Ban(
      number: number, room: coin() ? id() : nil, uid: coin() ? text() : nil,
      address: coin() ? "10.0.0.1" : nil,
      until: coin() ? Timestamp(milliseconds: Int64(upTo(1 << 40))) : nil, token: coin() ? text() : nil,
      since: coin() ? Timestamp(milliseconds: Int64(upTo(1 << 40))) : nil,
      member: coin() ? MemberID(UInt64(upTo(99))) : nil, name: coin() ? text() : nil)
  }

  mutating func history() -> History {
    History(
      kept: HistoryDepth(scenes: 1 + upTo(9), depth: 1 + upTo(99)),
      tracks: (0..<upTo(3)).map { _ in SceneTrack(scene: scene(), undo: historySteps(), redo: historySteps())
      })
  }

  private mutating func historySteps() -> [HistoryStep] {
    (0..<upTo(3)).map { _ in
      HistoryStep(
        revision: Revision(number(upTo: 1 << 50)), operations: (0..<1 + upTo(3)).map { _ in stepOperation() })
    }
  }

  private mutating func stepOperation() -> StepOperation {
    switch upTo(3) {
    case 0: .put(elementID())
    case 1: .erase(elementID())
    case 2:
      .set(
        elementID(), key: pick(["x", "style.colour"]), before: coin() ? JSONText(unchecked: "1") : nil,
        after: coin() ? JSONText(unchecked: "[2]") : nil)
    default: .replace(elementID(), before: shapeContent(), after: shapeContent())
    }
  }

  private mutating func shapeContent() -> ShapeContent {
    let put = shape()
    return ShapeContent(
      type: put.type, raw: put.raw,
      attributes: attributes().fields.reduce(into: [:]) { $0[$1.key] = $1.value }, isCopy: coin())
  }
}
