import BoardroomCodec
import BoardroomModel
import EventLogModel

// Random valid values of everything that travels.

extension Chance {
  mutating func text(_ longest: Int = 12) -> String {
    let letters = Array("abcXYZ019 _-\"\\\n\t\u{1}\u{7f}éß漢😀/.{}[],:")
    return String((0..<upTo(longest)).map { _ in pick(letters) })
  }

  mutating func word() -> String { "w" + String(number(upTo: 99_999)) }

  mutating func json(depth: Int = 3) -> JSONValue {
    switch upTo(depth > 0 ? 7 : 5) {
    case 0: .null
    case 1: .bool(coin())
    case 2: JSONValue(Int(signed(within: 1 << 53)))
    case 3: .number(pick(["0", "-0", "1.5", "-2.25e3", "1e10", "0.1", "12345678901234567890123", "5E-3"]))
    case 4, 5: .string(text())
    case 6: .array((0..<upTo(3)).map { _ in json(depth: depth - 1) })
    default: jsonObject(depth: depth - 1)
    }
  }

  mutating func jsonObject(depth: Int = 2) -> JSONValue {
    var members: [(String, JSONValue)] = []
    for place in 0..<upTo(4) { members.append(("k\(place)" + text(3), json(depth: depth))) }
    return .object(members)
  }

  mutating func jsonText() -> JSONText { json().text }

  mutating func id() -> LogID { LogID.random(using: &self) }
  mutating func elementID() -> ElementID {
    ElementID(member: MemberID(number(upTo: 1 << 40)), number: number(upTo: FieldRanges.exactInteger))
  }
  mutating func scene() -> SceneID { SceneID(number(upTo: UInt64(SceneID.max))) }

  mutating func style(scene: SceneID? = nil) -> StrokeStyle {
    let next = self.scene()
    return StrokeStyle(
      scene: scene ?? next, unit: Int8(upTo(31) - 16), tool: pick(StrokeTool.allCases),
      colour: Colour(red: UInt8(upTo(255)), green: UInt8(upTo(255)), blue: UInt8(upTo(255))),
      opacity: UInt8(upTo(255)), width: UInt16(number(upTo: FieldRanges.width)))
  }

  mutating func steps(begins: Bool, most: Int = 9, hasPressure: Bool? = nil) -> PointSteps {
    let count = upTo(most)
    let withPressure = hasPressure ?? coin()
    var pressures: [Int64] = []
    // A segment that does not begin its stroke counts from a pressure that it does not show.
    var last: Int64 = begins ? 0 : Int64(upTo(1_023))
    for _ in 0..<count {
      let pressure = Int64(upTo(1_023))
      pressures.append(pressure - last)
      last = pressure
    }
    return PointSteps(
      x: (0..<count).map { _ in signed(within: FieldRanges.coordinate) },
      y: (0..<count).map { _ in signed(within: FieldRanges.coordinate) },
      time: (0..<count).map { _ in number(upTo: FieldRanges.timeStep) },
      pressure: withPressure ? pressures : nil)
  }

  mutating func segment() -> StrokeSegment {
    let begin = coin() ? style() : nil
    return StrokeSegment(
      number: number(upTo: FieldRanges.exactInteger), begin: begin, ends: coin(),
      points: EncodedPoints(steps(begins: begin != nil)))
  }

  mutating func pointer() -> PointerMove {
    PointerMove(
      scene: scene(), unit: Int8(upTo(31) - 16), x: signed(within: FieldRanges.coordinate),
      y: signed(within: FieldRanges.coordinate))
  }

  mutating func camera() -> Camera {
    Camera(
      unit: Int8(upTo(31) - 16), x: signed(within: FieldRanges.coordinate),
      y: signed(within: FieldRanges.coordinate), scale: 1 + number(upTo: FieldRanges.scale - 1))
  }

  mutating func patch() -> JSONPatch {
    let value = jsonObject()
    return JSONPatch(
      (value.object ?? []).map { (key: $0.0, value: $0.1.isNull ? nil : $0.1.text) })
  }

  mutating func shape(_ id: ElementID? = nil) -> ElementPut {
    let other = elementID()
    var members: [(String, JSONValue)] = [
      ("id", .string((id ?? other).description)), ("scene", JSONValue(Int(scene()))),
      ("x", .number("-1.5")), ("y", JSONValue(upTo(900))),
    ]
    if coin() {
      members.append(("type", .string("rectangle")))
      members += [("width", JSONValue(upTo(90))), ("height", .number("2e2"))]
    } else {
      members += [("type", .string("text")), ("text", .string(text(30)))]
      if coin() { members.append(("size", .number("12.5"))) }
    }
    if coin() { members.append(("style", jsonObject())) }
    members.shuffle(using: &self)
    return try! ElementPut(parsing: JSONValue.object(members).compact)
  }

  mutating func scenesPut(numbered: Bool) -> ScenesPut {
    ScenesPut(
      directory: pick(["/", "/a", "/a/b c"]), index: upTo(9),
      scenes: (0..<upTo(3)).map { _ in
        SceneSpec(id: numbered ? scene() : 0, name: word(), ppt: coin() ? jsonObject().text : nil)
      })
  }

  mutating func phases() -> [ClientPhase] {
    (0..<upTo(3)).map { _ in
      ClientPhase(phase: pick(RoomPhase.allCases).name, ago: Int64(number(upTo: 1 << 40)))
    }
  }

  mutating func joined() -> MemberJoined {
    var joined = MemberJoined(
      session: id(), uid: coin() ? text() : nil, role: pick(Role.allCases), writable: coin(),
      payload: coin() ? jsonText() : nil, client: coin() ? text() : nil, token: coin() ? text() : nil)
    joined.isBound = joined.uid != nil && joined.role == .writer
    return joined
  }

  mutating func event(_ kind: EventKind? = nil) -> Event {
    guard let kind else { return .unknown(kind: UInt8(66 + upTo(189)), payload: blob()) }
    switch kind {
    case .stroke: return .drawing(.stroke(segment()))
    case .pointer: return .drawing(.pointer(pointer()))
    case .camera: return .drawing(.camera(camera()))
    case .roomCreated:
      return .room(.created(RoomCreated(name: text(), limit: upTo(100), isRecord: coin())))
    case .memberJoined: return .members(.joined(joined()))
    case .memberLeft: return .members(.left(pick(LeaveCause.allCases)))
    case .memberPhase:
      return .members(
        .phase(
          MemberPhaseChange(
            phase: pick(MemberPhase.allCases), generation: Generation(number(upTo: 1 << 32 - 1)))))
    case .memberWritable: return .members(.writable(coin()))
    case .memberKicked:
      return .members(
        .kicked(
          MemberKicked(member: MemberID(number(upTo: 999)), reason: pick(KickReason.allCases))))
    case .memberReplaced: return .members(.replaced(MemberReplaced(by: id())))
    case .globalState: return .state(.global(patch()))
    case .memberState: return .state(.member(patch()))
    case .viewMode: return .members(.viewMode(pick(ViewMode.allCases)))
    case .scenesPut: return .scenes(.put(scenesPut(numbered: true)))
    case .sceneSwitched: return .scenes(.switched(scene()))
    case .erased: return .elements(.erased((0..<upTo(4)).map { _ in elementID() }))
    case .elementPut: return .elements(.put(shape()))
    case .magix: return .magix(MagixEvent(name: word(), payload: jsonText()))
    case .refused:
      return .diagnostics(
        .refused(
          RefusedCommand(
            kind: UInt8(upTo(255)), code: pick(RefusalCode.allCases), id: upTo(1) == 0 ? nil : word())))
    case .clientPhases: return .diagnostics(.clientPhases(phases()))
    case .nothingChanged: return .diagnostics(.nothingChanged(kind: UInt8(upTo(255))))
    case .reaction: return .reaction(reaction())
    case .contentErased:
      return .diagnostics(
        .contentErased(
          ErasedContent(kind: UInt8(upTo(255)), hash: String(repeating: "0a", count: 32))))
    case .elementsChanged, .elementsCopied, .sceneCleaned, .scenesRemoved, .sceneMoved, .pptStepped,
      .storeSet,
      .storeDeleted, .historySet, .undone, .redone, .roomBanned, .limitsSet, .roomDeleted, .banSet,
      .banLifted, .handRaised, .writingAllowed, .roomLocked:
      return boardEvent(kind)
    case .spaceCreated, .attributesSet, .attributesCleared, .channelMessage, .numbersTold, .spaceExpired,
      .inboxMessage, .inboxAcked, .inboxExpired, .channelEntered, .channelLeft, .inviteMoved, .inviteHeard,
      .presence:
      return spaceEvent(kind) ?? .room(.deleted)
    }
  }

  mutating func anyEvent() -> Event {
    upTo(20) == 0 ? event(nil) : event(pick(EventKind.allCases))
  }

  mutating func command(_ kind: EventKind) -> Command? {
    switch kind {
    case .stroke: .drawing(.stroke(segment()))
    case .pointer: .drawing(.pointer(pointer()))
    case .camera: .drawing(.camera(camera()))
    case .memberWritable: .members(.setWritable(coin()))
    case .globalState: .state(.global(patch()))
    case .memberState: .state(.member(patch()))
    case .viewMode: .members(.viewMode(pick(ViewMode.allCases)))
    case .scenesPut: .scenes(.put(scenesPut(numbered: false)))
    case .sceneSwitched: .scenes(.switchTo(coin() ? .index(upTo(99)) : .path(pick(["/", "/a", "/init"]))))
    case .erased: .elements(.erase((0..<upTo(4)).map { _ in elementID() }))
    case .elementPut: .elements(.put(shape()))
    case .magix: .magix(MagixEvent(name: word(), payload: jsonText()))
    case .clientPhases: .diagnostics(.clientPhases(phases()))
    case .elementsChanged: .elements(.change(ElementsChanged(changes())))
    case .elementsCopied: .elements(.copy(copies()))
    case .sceneCleaned: .scenes(.clean(SceneClean(scene: coin() ? scene() : nil, retainPPT: coin())))
    case .scenesRemoved: .scenes(.remove(path: pick(["/", "/a", "/a/b c"])))
    case .sceneMoved:
      .scenes(.move(path: "/init", target: pick(["/a", "/a/b"]), index: coin() ? upTo(9) : nil))
    case .handRaised: .moderation(.hand(coin()))
    case .writingAllowed: .moderation(.writing(MemberID(number(upTo: 999)), isAllowed: coin()))
    case .roomLocked: .moderation(.lock(coin()))
    case .reaction: .react(reaction())
    case .pptStepped: .scenes(.stepPPT(pick(PPTDirection.allCases)))
    case .storeSet: .state(.setStore(storeSet(isCommand: true)))
    case .storeDeleted: .state(.deleteStore(word()))
    case .historySet: .history(.keep(scenes: upTo(20)))
    case .undone: .history(.undo(coin() ? scene() : nil))
    case .redone: .history(.redo(coin() ? scene() : nil))
    case .roomCreated, .memberJoined, .memberLeft, .memberPhase, .memberKicked, .memberReplaced, .refused,
      .roomBanned, .limitsSet, .roomDeleted, .banSet, .banLifted, .nothingChanged, .contentErased:
      nil
    case .spaceCreated, .attributesSet, .attributesCleared, .channelMessage, .numbersTold, .spaceExpired,
      .inboxMessage, .inboxAcked, .inboxExpired, .channelEntered, .channelLeft, .inviteMoved, .inviteHeard,
      .presence:
      spaceCommand(kind)
    }
  }

  mutating func blob(_ longest: Int = 40) -> [UInt8] {
    (0..<upTo(longest)).map { _ in UInt8.random(in: 0...255, using: &self) }
  }

  /// A body that is what its kind describes, or one that is not: damaged, cut off, with space around JSON.
  mutating func body(damaged: Bool) -> (kind: UInt8, body: [UInt8]) {
    let event = anyEvent()
    let body = EventCodec.encodeBody(event, counter: number(upTo: .max))
    return (event.kind, damaged ? mutate(body) : body)
  }

  mutating func run(records count: Int, damaged: Bool = false) -> Run {
    var builder = RunBuilder(
      first: Revision(1 + number(upTo: 1 << 60)),
      base: Timestamp(milliseconds: Int64(number(upTo: 1 << 42))))
    var time = builder.base
    for _ in 0..<count {
      time = time + .milliseconds(upTo(10_000))
      let (kind, body) = self.body(damaged: damaged && coin())
      builder.append(Record(kind: kind, time: time, actor: number(upTo: .max), body: body))
    }
    return builder.take()!
  }
}
