import BoardroomCore
import BoardroomModel
import EventLogModel

/// A room with its driver and its log, under a clock that only the test moves.
struct Trial {
  var room: Room
  var log: [RoomEvent] = []
  var now = Timestamp(milliseconds: 1_000_000)
  var counters: [MemberID: CommandCounter] = [:]
  var anomalies: [Anomaly] = []
  private var sessions: UInt64 = 0

  init(_ policy: RoomPolicy = RoomPolicy(), limit: Int = 0, created: Bool = true) {
    room = Room(policy: policy)
    if created { record(room.create(RoomCreated(name: "trial", limit: limit))) }
  }

  var state: RoomState { room.state }

  mutating func wait(_ milliseconds: Int64) { now = now + .milliseconds(milliseconds) }

  /// What a driver does with what is proposed: revisions, then apply.
  mutating func record(_ proposed: [Proposed]) {
    for one in proposed {
      let revision = room.state.revision.next
      log.append(
        RoomEvent(
          revision: revision, time: now, actor: one.actor, counter: one.counter, event: one.event))
      if let anomaly = room.apply(one, revision: revision, at: now) { anomalies.append(anomaly) }
    }
  }

  func request(_ uid: String? = nil, role: Role = .writer, isWritable: Bool = true) -> JoinRequest {
    JoinRequest(
      session: SessionID(high: 7, low: sessions + 1), uid: uid, role: role, isWritable: isWritable)
  }

  @discardableResult
  mutating func join(
    _ uid: String? = nil, role: Role = .writer, isWritable: Bool = true
  ) throws -> MemberID {
    let admission = try room.join(request(uid, role: role, isWritable: isWritable))
    sessions += 1
    record(admission.events)
    return admission.member
  }

  /// Gives a command with the member's next counter, and records what comes of it.
  @discardableResult
  mutating func say(_ command: Command, _ member: MemberID) -> Decision {
    let counter = counters[member, default: 0] + 1
    counters[member] = counter
    return say(NumberedCommand(counter: counter, command: command), member)
  }

  @discardableResult
  mutating func say(_ command: NumberedCommand, _ member: MemberID, raw: [UInt8]? = nil) -> Decision {
    let decision = room.decide(command, from: member, at: now, raw: raw.map { $0[...] })
    switch decision {
    case .events(let proposed), .refused(_, let proposed): record(proposed)
    case .duplicate, .later: break
    }
    return decision
  }

  mutating func passDue() -> [Proposed] {
    let due = room.due(at: now)
    record(due)
    return due
  }
}

extension Decision {
  var code: RefusalCode? {
    if case .refused(let refusal, _) = self { refusal.code } else { nil }
  }
  var isDone: Bool { if case .events = self { true } else { false } }
  var proposed: [Proposed] {
    switch self {
    case .events(let proposed), .refused(_, let proposed): proposed
    case .duplicate, .later: []
    }
  }
}

func json(_ text: String) -> JSONText { JSONText(unchecked: text) }

func patch(_ fields: [(String, String?)]) -> JSONPatch {
  let body = fields.map { "\"\($0.0)\":\($0.1 ?? "null")" }.joined(separator: ",")
  return JSONPatch(raw: json("{\(body)}"), fields: fields.map { ($0.0, $0.1.map(json)) })
}

func style(on scene: SceneID) -> StrokeStyle {
  StrokeStyle(
    scene: scene, unit: -2, tool: .pencil, colour: Colour(red: 1, green: 2, blue: 3), width: 8)
}

/// What a client saw while it was away.
let phases = Command.diagnostics(.clientPhases([ClientPhase(phase: "connected", ago: 0)]))

func points(_ count: Int = 1) -> EncodedPoints {
  EncodedPoints(count: count, bytes: [4, UInt8(count)] + Array(repeating: 2, count: count * 3)[...])
}

func begin(_ number: UInt64, on scene: SceneID = 1, ends: Bool = false) -> Command {
  .drawing(.stroke(StrokeSegment(number: number, begin: style(on: scene), ends: ends, points: points())))
}

func extend(_ number: UInt64, ends: Bool = false) -> Command {
  .drawing(.stroke(StrokeSegment(number: number, begin: nil, ends: ends, points: points(2))))
}

func shape(_ member: MemberID, _ number: UInt64, on scene: SceneID = 1, _ text: String = "{}") -> Command {
  .elements(
    .put(
      ElementPut(
        id: ElementID(member: member, number: number), scene: scene, type: .rectangle, raw: json(text))))
}

func pages(_ directory: String, _ names: [String], at index: Int = .max) -> Command {
  .scenes(
    .put(
      ScenesPut(directory: directory, index: index, scenes: names.map { SceneSpec(id: 0, name: $0) })))
}

func pointer(_ x: Int64, on scene: SceneID = 1) -> Command {
  .drawing(.pointer(PointerMove(scene: scene, unit: 0, x: x, y: 0)))
}

func camera(_ x: Int64) -> Command { .drawing(.camera(Camera(unit: 0, x: x, y: 0, scale: 65_536))) }

func magix(_ name: String = "hello", _ payload: String = "1") -> Command {
  .magix(
    MagixEvent(
      name: name, payload: json(payload), raw: json("{\"event\":\"\(name)\",\"payload\":\(payload)}")))
}

/// SplitMix64: the same numbers from the same seed, everywhere.
struct Chance: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
  mutating func below(_ bound: UInt64) -> UInt64 { next() % bound }
}
