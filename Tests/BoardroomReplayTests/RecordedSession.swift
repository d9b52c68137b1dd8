import BoardroomCodec
import BoardroomModel
import BoardroomReplay
import EventLog
import EventLogModel
import StorageTestKit

/// A room's log made from a seed: joins, strokes in segments, patches, custom events, an outage, a kick, kinds of
/// a later version.
struct RecordedSession {
  static let room = RoomID(high: 0x0123_4567_89ab_cdef, low: 0x0011_2233_4455_6677)
  static let start = Timestamp(milliseconds: 1_700_000_000_000)

  private(set) var records: [Record] = []
  private var generator: SeededGenerator
  private var now = Self.start
  private var counters: [UInt64: UInt64] = [:]
  private var strokes: [UInt64: (number: UInt64, left: Int)] = [:]
  private var numbers: [UInt64: UInt64] = [:]

  init(seed: UInt64, events: Int) {
    generator = SeededGenerator(seed: seed)
    add(.room(.created(RoomCreated(name: "session \(seed)"))), by: nil)
    for member in 0..<3 { join(UInt64(member)) }
    while records.count < events { something() }
  }

  // MARK: What happens

  private mutating func join(_ member: UInt64) {
    let joined = MemberJoined(
      session: SessionID(high: 7, low: member), uid: "user\(member)", role: .writer, writable: true,
      payload: JSONText(unchecked: #"{"colour":"blue"}"#), client: "tests/1")
    add(.members(.joined(joined)), by: member)
  }

  private mutating func something() {
    now = now + .milliseconds(Int(generator.next() % 40))
    let member = generator.next() % 3
    switch generator.next() % 20 {
    case 0:
      command(.state(.global(JSONPatch([(key: "key\(generator.next() % 5)", value: number())]))), by: member)
    case 1: command(.magix(MagixEvent(name: "ping", payload: number())), by: member)
    case 2: command(.drawing(.pointer(PointerMove(scene: 1, unit: 0, x: small(), y: small()))), by: member)
    case 3: command(.unknown(kind: 200, payload: [1, 2, 3]), by: member)
    case 4: add(.members(.phase(MemberPhaseChange(phase: .reconnecting, generation: 1))), by: member)
    case 5: add(.members(.phase(MemberPhaseChange(phase: .connected, generation: 2))), by: member)
    case 6: erase(member)
    default: draw(member)
    }
  }

  private mutating func draw(_ member: UInt64) {
    let open = strokes[member]
    if open == nil { numbers[member, default: 0] += 1 }
    let number = open?.number ?? numbers[member]!
    let left = (open?.left ?? 3) - 1
    strokes[member] = left == 0 ? nil : (number, left)
    command(.drawing(.stroke(segment(number, begins: open == nil, ends: left == 0))), by: member)
  }

  private mutating func segment(_ number: UInt64, begins: Bool, ends: Bool) -> StrokeSegment {
    let style = StrokeStyle(
      scene: 1, unit: -2, tool: .pencil, colour: Colour(red: 20, green: 90, blue: 200), width: 12)
    let count = 3
    let steps = PointSteps(
      x: (0..<count).map { _ in small() }, y: (0..<count).map { _ in small() },
      time: (0..<count).map { _ in 16 }, pressure: begins ? [500, 3, 4] : [0, -2, 1])
    return StrokeSegment(
      number: number, begin: begins ? style : nil, ends: ends, points: EncodedPoints(steps))
  }

  private mutating func erase(_ member: UInt64) {
    guard let number = numbers[member], strokes[member] == nil else { return }
    command(.elements(.erased([ElementID(member: MemberID(member), number: number)])), by: member)
  }

  private mutating func small() -> Int64 { Int64(generator.next() % 200) - 80 }
  private mutating func number() -> JSONText { JSONText(unchecked: "\(generator.next() % 1_000)") }

  // MARK: The log

  mutating func command(_ event: Event, by member: UInt64) {
    counters[member, default: 0] += 1
    add(event, by: member, counter: counters[member]!)
  }

  mutating func add(_ event: Event, by member: UInt64?, counter: CommandCounter = 0) {
    let actor = member.map { Actor.member(MemberID($0)) } ?? .server
    records.append(
      Record(
        kind: event.kind, time: now, actor: actor.code, body: EventCodec.encodeBody(event, counter: counter)))
  }

  mutating func wait(_ duration: Duration) { now = now + duration }

  var events: [RoomEvent] {
    get throws {
      try records.enumerated().map { index, record in
        try EventCodec.decode(record, at: Revision(UInt64(index + 1)))
      }
    }
  }

  /// The state after the first `count` events, folded from nothing.
  func state(after count: Int) throws -> RoomState {
    var fold = Fold()
    for event in try events.prefix(count) { fold.apply(event) }
    return fold.state
  }

  /// Writes the log into a store, with a snapshot after every so many events.
  func stored(
    in store: some LogStore = MemoryLogStore(), snapshotEvery spacing: Int? = nil
  ) async throws -> Recording {
    _ = try await store.create(Self.room, at: Self.start)
    try await store.append(records, to: Self.room, expecting: .zero, epoch: nil)
    if let spacing {
      for count in stride(from: spacing, through: records.count, by: spacing) {
        var encoder = StateEncoder()
        try await store.put(encoder.snapshot(of: try state(after: count)), for: Self.room)
      }
    }
    return try await Recording.open(Self.room, in: store)
  }
}
