import BoardroomCodec
import BoardroomModel
import EventLogModel
import Foundation

/// The mix of events that docs/BENCHMARKS.md measures: 80 % stroke segments of about 3.2 points, 16 % cursor and camera,
/// 3.3 % element patches of about 236 bytes, 0.4 % custom events of about 1.1 KB, the rest presence.
/// Strokes come from a seeded pen model, or from real drawings where a corpus is given.
struct Workload {
  /// Ready record bodies with their kinds: what `LogAppender.append` takes.
  struct Item {
    var kind: UInt8
    var actor: UInt64
    /// Milliseconds since the item before.
    var step: Int64
    var body: [UInt8]
    var points: Int
  }

  private(set) var items: [Item] = []

  var rawBytes: Int {
    items.reduce(0) { $0 + $1.body.count + 3 + varintLength(UInt64($1.body.count)) }
  }
  var points: Int { items.reduce(0) { $0 + $1.points } }

  /// `count` events of one room with `members` members, the same for the same seed.
  ///
  /// - Parameter before: how many events of the same room came before: its members are there then, and go on with
  ///   fresh strokes.
  init(
    events count: Int, members: Int = 5, seed: UInt64 = 1, strokes: [Pen.Stroke]? = nil, only: Bool = false,
    after before: Int = 0
  ) {
    var chance = Chance(seed: seed)
    items.reserveCapacity(count + members + 1)
    if !only, before == 0 { begin(members: members) }
    // So that no number is used twice; shapes have the numbers from a million on.
    let drawn = before == 0 ? 0 : 2_000_000 + UInt64(before)
    var hands = (0..<members).map { Hand(member: UInt64($0), after: drawn) }
    var counters = Array(repeating: UInt64(before), count: members)
    var places = Array(repeating: (x: Int64(7_500), y: Int64(4_000)), count: members)
    var pool = strokes ?? []
    while items.count < count {
      let who = Int(chance.below(UInt64(members)))
      counters[who] += 1
      let dice = chance.below(1_000)
      let event: Event
      var points = 0
      if only || dice < 800 {
        if hands[who].isDone {
          hands[who].start(pool.isEmpty ? Pen.stroke(&chance) : pool[Int(chance.below(UInt64(pool.count)))])
        }
        let segment = hands[who].next(&chance)
        points = segment.points.count
        event = .drawing(.stroke(segment))
      } else {
        places[who].x += Int64(chance.below(120)) - 60
        places[who].y += Int64(chance.below(120)) - 60
        event = Self.other(dice, who: who, at: places[who], &chance)
      }
      let body = EventCodec.encodeBody(event, counter: counters[who])
      items.append(
        Item(
          kind: event.kind, actor: UInt64(who) + 1, step: Int64(chance.below(20)), body: body, points: points)
      )
    }
    pool = []
  }

  private mutating func begin(members: Int) {
    add(.room(.created(RoomCreated(name: "bench"))), actor: 0)
    for member in 0..<members {
      let joined = MemberJoined(
        session: SessionID(high: 7, low: UInt64(member)), uid: "user\(member)", role: .writer, writable: true,
        payload: nil, client: "bench")
      add(.members(.joined(joined)), actor: UInt64(member) + 1)
    }
  }

  private mutating func add(_ event: Event, actor: UInt64) {
    items.append(
      Item(
        kind: event.kind, actor: actor, step: 1, body: EventCodec.encodeBody(event, counter: 0), points: 0))
  }

  private static func other(
    _ dice: UInt64, who: Int, at place: (x: Int64, y: Int64), _ chance: inout Chance
  ) -> Event {
    let (x, y) = place
    if dice < 880 { return .drawing(.pointer(PointerMove(scene: 1, unit: -3, x: x, y: y))) }
    if dice < 960 { return .drawing(.camera(Camera(unit: -3, x: x, y: y, scale: 65_536))) }
    if dice < 993 {
      let number = chance.below(200)
      let text = """
        {"id":"\(who).\(1_000_000 + number)","scene":1,"type":"rectangle","x":\(x),"y":\(y),"width":\(80 + number),\
        "height":40,"style":{"strokeColor":[30,90,200],"fillColor":[250,250,250],"strokeWidth":2,"opacity":1,\
        "strokeType":"dotted","roundness":8}}
        """
      return .elements(
        .put(
          ElementPut(
            id: ElementID(member: MemberID(UInt64(who)), number: 1_000_000 + number), scene: 1,
            type: .rectangle,
            raw: JSONText(unchecked: text))))
    }
    let filler = (0..<60).map { "{\"row\":\($0),\"v\":\(chance.below(1_000))}" }.joined(separator: ",")
    let payload = "{\"cells\":[\(filler)]}"
    return .magix(
      MagixEvent(
        name: "update", payload: JSONText(unchecked: payload),
        raw: JSONText(unchecked: "{\"event\":\"update\",\"payload\":\(payload)}")))
  }
}

/// A seeded random source (SplitMix64), the same on every machine.
struct Chance {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
  mutating func below(_ limit: UInt64) -> UInt64 { next() % limit }
}

/// One member's pen, cutting a stroke into segments of 50 ms as a client does.
private struct Hand {
  let member: UInt64
  private var stroke: Pen.Stroke = Pen.Stroke(x: [], y: [], t: [], p: [], unit: 0)
  private var at = 0
  private var number: UInt64 = 0

  init(member: UInt64, after number: UInt64) {
    self.member = member
    self.number = number
  }

  var isDone: Bool { at >= stroke.x.count }

  mutating func start(_ stroke: Pen.Stroke) {
    self.stroke = stroke
    at = 0
    number += 1
  }

  mutating func next(_ chance: inout Chance) -> StrokeSegment {
    let begins = at == 0
    let from = at
    var end = at + 1
    while end < stroke.x.count, stroke.t[end] - stroke.t[from] < 50 { end += 1 }
    at = end
    var bytes: [UInt8] = [stroke.p.isEmpty ? 4 : 0]
    bytes.appendVarint(UInt64(end - from))
    for channel in [stroke.x, stroke.y] {
      for index in from..<end { bytes.appendZigzag(channel[index] - (index == 0 ? 0 : channel[index - 1])) }
    }
    for index in from..<end {
      bytes.appendVarint(UInt64(max(0, stroke.t[index] - (index == 0 ? 0 : stroke.t[index - 1]))))
    }
    if !stroke.p.isEmpty {
      for index in from..<end { bytes.appendZigzag(stroke.p[index] - (index == 0 ? 0 : stroke.p[index - 1])) }
    }
    let style = StrokeStyle(
      scene: 1, unit: stroke.unit, tool: .pencil, colour: Colour(red: 30, green: 90, blue: 200), width: 12)
    return StrokeSegment(
      number: number, begin: begins ? style : nil, ends: at >= stroke.x.count,
      points: EncodedPoints(count: end - from, bytes: bytes[...]))
  }
}

enum Pen {
  struct Stroke {
    var x: [Int64]
    var y: [Int64]
    var t: [Int64]
    var p: [Int64]
    var unit: Int8
  }

  /// Real strokes of a pen, where the corpus is at hand: `wacom_pen.ndjson`, whole pixels, ms, pressure 0 to 100.
  static func real(in folder: String) throws -> [Stroke] {
    let lines = try String(contentsOfFile: folder + "/wacom_pen.ndjson", encoding: .utf8)
    return try lines.split(separator: "\n").compactMap { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      guard let channels = object?["ch"] as? [String: [Int64]], let x = channels["X"], let y = channels["Y"],
        let t = channels["Timestamp"], let p = channels["Pressure"], x.count > 1
      else { return nil }
      return Stroke(
        x: sums(x).map { $0 / 100 }, y: sums(y).map { $0 / 100 }, t: sums(t), p: sums(p).map { max(0, $0) },
        unit: 0)
    }
  }

  private static func sums(_ steps: [Int64]) -> [Int64] {
    var sum: Int64 = 0
    return steps.map { step in
      sum += step
      return sum
    }
  }

  /// A stroke like that of a hand: it turns slowly, gets faster and slower, has 60 points a second, and
  /// changing pressure.
  static func stroke(_ chance: inout Chance) -> Stroke {
    let count = 12 + Int(chance.below(40))
    var x = Int64(chance.below(12_000)), y = Int64(chance.below(7_000))
    var angle = Double(chance.below(628)) / 100, turn = 0.0, speed = 8.0
    var stroke = Stroke(x: [], y: [], t: [], p: [], unit: -3)
    var time: Int64 = 0
    for index in 0..<count {
      stroke.x.append(x)
      stroke.y.append(y)
      stroke.t.append(time)
      let swell = Double(min(index, count - 1 - index)) * 60
      stroke.p.append(Int64(min(700, swell)) + Int64(chance.below(24)))
      turn = turn * 0.8 + (Double(chance.below(200)) - 100) / 900
      angle += turn
      speed = max(1, min(60, speed + Double(chance.below(13)) - 6))
      x += Int64(speed * sine(angle + 1.5708))
      y += Int64(speed * sine(angle))
      time += 15 + Int64(chance.below(4))
    }
    return stroke
  }

  /// Sine by its series, so that the same seed gives the same stroke on every platform.
  private static func sine(_ angle: Double) -> Double {
    var rest = angle.truncatingRemainder(dividingBy: 6.283185307179586)
    if rest > 3.141592653589793 { rest -= 6.283185307179586 }
    if rest < -3.141592653589793 { rest += 6.283185307179586 }
    let square = rest * rest
    return rest * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72))))
  }
}
