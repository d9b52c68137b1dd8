import BoardroomCodec
import BoardroomModel
import EventLogModel

/// A small room's log as JSONL.
enum SampleLog {
  static let room = "0123456789abcdef0123456789abcdef"
  static let start: Int64 = 1_700_000_000_000
  static let count = 60

  static let lines: [String] = {
    var builder = RunBuilder(first: 1)
    for (index, (actor, event)) in events.enumerated() {
      builder.append(
        Record(
          kind: event.kind, time: Timestamp(milliseconds: start + Int64(index) * 100), actor: actor.code,
          body: EventCodec.encodeBody(event, counter: actor == .server || index < 3 ? 0 : UInt64(index))))
    }
    guard let run = builder.takeRun() else { return [] }
    return RecordMirror.lines(of: run).map { line in
      String(decoding: line, as: UTF8.self).split(separator: "\n").joined()
    }
  }()

  static var text: String { lines.map { $0 + "\n" }.joined() }

  private static let events: [(Actor, Event)] = {
    let ada = Actor.member(0)
    let joined = MemberJoined(
      session: SessionID(high: 1, low: 2), uid: "ada", role: .writer, writable: true, payload: nil,
      client: "tests/1")
    var events: [(Actor, Event)] = [
      (.server, .room(.created(RoomCreated(name: "sample")))), (ada, .members(.joined(joined))),
      (ada, .members(.phase(MemberPhaseChange(phase: .reconnecting, generation: 1)))),
      (ada, .members(.phase(MemberPhaseChange(phase: .connected, generation: 2)))),
    ]
    var number: UInt64 = 0
    while events.count < count {
      number += 1
      events.append((ada, .drawing(.stroke(stroke(number)))))
      events.append((ada, .magix(MagixEvent(name: "tick", payload: JSONText(unchecked: "\(number)")))))
    }
    return events
  }()

  private static func stroke(_ number: UInt64) -> StrokeSegment {
    let style = StrokeStyle(
      scene: 1, unit: 0, tool: .pencil, colour: Colour(red: 10, green: 20, blue: 200), width: 12)
    let steps = PointSteps(
      x: [Int64(number) * 8, 20, 10], y: [10, 30, -5], time: [0, 16, 16], pressure: [400, 200, 100])
    return StrokeSegment(number: number, begin: style, ends: true, points: EncodedPoints(steps))
  }
}
