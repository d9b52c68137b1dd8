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

  mutating func patch() -> JSONPatch {
    let value = jsonObject()
    return JSONPatch(
      (value.object ?? []).map { (key: $0.0, value: $0.1.isNull ? nil : $0.1.text) })
  }

  /// Nil: a kind of a later version.
  mutating func event(_ kind: EventKind? = nil) -> Event {
    guard let kind else { return .unknown(kind: UInt8(66 + upTo(189)), payload: blob()) }
    guard let event = known(kind) else { preconditionFailure("\(kind) has no sample in its family's file.") }
    return event
  }

  private mutating func known(_ kind: EventKind) -> Event? {
    switch kind.family {
    case .drawing: drawingEvent(kind)
    case .elements: elementsEvent(kind)
    case .scenes: scenesEvent(kind)
    case .state: stateEvent(kind)
    case .history: historyEvent(kind)
    case .members: membersEvent(kind)
    case .moderation: moderationEvent(kind)
    case .room: roomEvent(kind)
    case .custom: customEvent(kind)
    case .space: spaceEvent(kind)
    case .diagnostics: diagnosticsEvent(kind)
    }
  }

  mutating func anyEvent() -> Event {
    upTo(20) == 0 ? event(nil) : event(pick(EventKind.allCases))
  }

  /// Nil where clients can send none.
  mutating func command(_ kind: EventKind) -> Command? {
    switch kind.family {
    case .drawing: drawingCommand(kind)
    case .elements: elementsCommand(kind)
    case .scenes: scenesCommand(kind)
    case .state: stateCommand(kind)
    case .history: historyCommand(kind)
    case .members: membersCommand(kind)
    case .moderation: moderationCommand(kind)
    case .custom: customCommand(kind)
    case .room: nil
    case .space: spaceCommand(kind)
    case .diagnostics: diagnosticsCommand(kind)
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
    return builder.takeRun()!
  }
}
