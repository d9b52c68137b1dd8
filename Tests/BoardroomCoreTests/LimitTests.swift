import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

@Suite("Limits")
struct LimitTests {
  private func limits(_ fields: (String, Int?)...) -> LimitsPatch {
    LimitsPatch(fields.map { LimitsPatch.Field(name: $0.0, value: $0.1) })
  }

  private func refusal(_ body: () throws -> Void) -> Refusal? {
    do { try body() } catch let refusal as Refusal { return refusal } catch {}
    return nil
  }

  struct Row: Sendable {
    var limit: String
    var value: Int
    var command: Command
    var code: RefusalCode
    var actual: Int
  }

  static let long = String(repeating: "n", count: 2_000)
  static let rows: [Row] = [
    Row(limit: "elements", value: 2, command: begin(3), code: .tooMany, actual: 3),
    Row(limit: "elements", value: 2, command: rectangle("0.3"), code: .tooMany, actual: 3),
    Row(limit: "elements", value: 2, command: copy("0.1", as: "0.3"), code: .tooMany, actual: 3),
    Row(limit: "limits.element", value: 1_024, command: shape(0, 1, long), code: .tooLarge, actual: 2_000),
    Row(
      limit: "limits.element", value: 1_024, command: change("0.1", ("meta", "\"\(long)\"")), code: .tooLarge,
      actual: 2_011),
    Row(
      limit: "limits.magix", value: 1_024, command: magix("a", "\"\(long)\""), code: .tooLarge, actual: 2_026),
    Row(
      limit: "limits.magixName", value: 16, command: magix("12345678901234567", "1"), code: .tooLarge,
      actual: 17),
    Row(
      limit: "limits.sceneName", value: 16, command: pages("/", ["12345678901234567"]), code: .tooLarge,
      actual: 17),
    Row(
      limit: "limits.statePatch", value: 1_024, command: .state(.global(patch([("a", "\"\(long)\"")]))),
      code: .tooLarge, actual: 2_008),
    Row(
      limit: "limits.memberState", value: 1_024, command: .state(.member(patch([("a", "\"\(long)\"")]))),
      code: .tooLarge, actual: 2_009),
    Row(limit: "limits.scenes", value: 1, command: pages("/", ["a"]), code: .tooLarge, actual: 2),
    Row(
      limit: "limits.clientPhases", value: 1,
      command: .diagnostics(
        .clientPhases([
          ClientPhase(phase: "connected", ago: 1), ClientPhase(phase: "connected", ago: 1),
        ])),
      code: .tooLarge, actual: 2),
  ]

  @Test(
    "LIM-1, LIM-2: a room's own limit holds over the server's, and a refusal names limit, actual and allowed",
    arguments: rows.indices)
  func own(index: Int) throws {
    let row = Self.rows[index]
    var trial = Trial()
    try trial.join()
    for number in 1...2 { trial.say(rectangle("0.\(number)"), 0) }
    var free = trial
    #expect(free.say(row.command, 0).isDone, "\(row.limit) as the server has it")
    trial.record(try trial.room.setLimits(limits((row.limit, row.value))))
    let refusal = trial.say(row.command, 0).refusal
    #expect(refusal?.code == row.code, "\(row.limit)")
    #expect(refusal?.limit == row.limit, "\(row.limit)")
    #expect(refusal?.actual == row.actual, "\(row.limit)")
    #expect(refusal?.allowed == row.value, "\(row.limit)")
    trial.record(try trial.room.setLimits(limits((row.limit, nil))))
    #expect(trial.state.limits.isEmpty)
    #expect(trial.say(row.command, 0).isDone)
  }

  @Test("LIM-1: a limit holds after a restart, from the log alone")
  func restart() throws {
    var trial = Trial()
    try trial.join()
    trial.record(try trial.room.setLimits(limits(("elements", 1))))
    trial.say(begin(1), 0)
    trial.room = Room(state: trial.state)
    #expect(trial.say(begin(2), 0).code == .tooMany)
  }

  @Test("LIM-2: a stroke has no more points than its limit, and always ends")
  func points() throws {
    var trial = Trial(RoomPolicy(points: 5))
    try trial.join()
    #expect(trial.say(begin(1), 0).isDone)
    #expect(trial.say(extend(1), 0).isDone)
    #expect(trial.say(extend(1), 0).isDone)
    let refusal = trial.say(extend(1), 0).refusal
    #expect(refusal?.code == .tooMany)
    #expect(refusal?.limit == "points")
    #expect(refusal?.actual == 7)
    #expect(refusal?.allowed == 5)
    let end = StrokeSegment(
      number: 1, begin: nil, ends: true, points: EncodedPoints(count: 0, bytes: [4, 0]))
    #expect(trial.say(.drawing(.stroke(end)), 0).isDone)
  }

  static let wrong: [(String, Int?)] = [
    ("elephants", 1), ("elephants", nil), ("elements", 0), ("elements", -1), ("members", -1),
    ("members", 1_000_001),
    ("rate", -1), ("rate.burst", 0), ("rate.memberJoined", 5), ("limits.magix", 1), ("limits.magix", 1 << 20),
  ]

  @Test("LIM-1: names that are not known and values out of range are refused", arguments: wrong.indices)
  func unknown(row: Int) throws {
    var trial = Trial()
    try trial.join()
    let refusal = refusal { _ = try trial.room.setLimits(limits(Self.wrong[row])) }
    #expect(refusal?.code == .badParameter)
  }

  @Test("LIM-1: names are those of the table, each once, and each can be set and read back")
  func table() {
    #expect(Set(RoomLimit.all.map(\.name)).count == RoomLimit.all.count)
    for limit in RoomLimit.all where !limit.name.hasSuffix(LimitName.burst) {
      for value in [limit.range.lowerBound, limit.range.upperBound] {
        let policy = RoomPolicy().with([limit.name: value])
        #expect(limit.value(in: policy) == value, "\(limit.name)")
      }
    }
    let policy = RoomPolicy().with(["rate.magix": 7, "rate.magix.burst": 9, "rate": 0, "later": 3])
    #expect(policy.rates[.magix] == RoomPolicy.Rate(sustained: 7, burst: 9))
    #expect(policy.rate == nil)
  }

  @Test("LIM-3: what takes away is taken whatever the limits: no limit locks a room")
  func shrinking() throws {
    var trial = try Trial.withHistories(1)
    trial.say(pages("/", ["a"]), 0)
    for number in 1...4 as ClosedRange<UInt64> { trial.say(begin(number), 0) }
    trial.say(store("s", [("x", "1")]), 0)
    trial.record(try trial.room.setLimits(limits(("elements", 1), ("stores", 0), ("limits.scenes", 1))))
    let taken: [Command] = [
      extend(1, ends: true), .history(.undo(nil)), change("0.3", ("x", "1")), erase("0.1"),
      .state(.deleteStore("s")),
      .scenes(.remove(path: "/a")), .scenes(.clean(SceneClean())),
    ]
    for command in taken { #expect(trial.say(command, 0).isDone, "\(command)") }
    let back = trial.say(.history(.undo(nil)), 0).refusal
    #expect(back?.code == .tooMany)
    #expect(back?.actual == 2)
    #expect(back?.limit == "elements")
    trial.record(trial.room.leave(0, .left))
    #expect(trial.state.members.isEmpty)
    #expect(trial.anomalies.isEmpty)
  }

  @Test(
    "LIM-4: magix has a rate of its own: 50 a second, 200 at once; other kinds do not wait for it")
  func magixRate() throws {
    var trial = Trial()
    for _ in 0..<2 { try trial.join() }
    #expect((0..<200).allSatisfy { _ in trial.say(magix(), 0).isDone })
    let before = trial.log.count
    let refusals = (0..<50).compactMap { _ in trial.say(magix(), 0).refusal }
    #expect(refusals.count == 50)
    #expect(refusals.allSatisfy { $0.limit == "rate.magix" && $0.allowed == 50 && $0.actual == 51 })
    #expect(trial.log.count == before + 1, "DEC-4: the first one only is recorded")
    #expect(trial.say(begin(1), 0).isDone)
    #expect(trial.say(magix(), 1).isDone)
    #expect(trial.say(magix(), 0).code == .rateLimited)
    #expect(trial.log.count == before + 3, "still the same flood")
    trial.wait(1_000)
    #expect((0..<50).allSatisfy { _ in trial.say(magix(), 0).isDone })
    #expect(trial.say(magix(), 0).code == .rateLimited)
  }

  @Test("LIM-4: the whole room has a rate if an operator wants one; a flood of it is recorded once a member")
  func roomRate() throws {
    var trial = Trial(RoomPolicy(roomRate: .init(sustained: 10, burst: 4)))
    for _ in 0..<2 { try trial.join() }
    #expect((0..<4).allSatisfy { trial.say(begin(UInt64($0)), MemberID(UInt64($0 % 2))).isDone })
    let before = trial.log.count
    for number in 10..<30 as Range<UInt64> {
      let refusal = trial.say(begin(number), MemberID(number % 2)).refusal
      #expect(refusal?.code == .rateLimited)
      #expect(refusal?.limit == "rate.room")
      #expect(refusal?.allowed == 10)
    }
    #expect(trial.log.count == before + 2)
    trial.wait(100)
    #expect(trial.say(begin(40), 0).isDone)
    #expect(trial.say(begin(41), 0).code == .rateLimited)
  }

  @Test("LIM-5: a room holds as many members as its limit, readers too; a takeover needs no place")
  func members() throws {
    var trial = Trial(RoomPolicy(members: 2))
    let ann = try trial.join("ann")
    try trial.join("bob", role: .reader)
    let full = refusal { _ = try trial.room.join(trial.request("eve", role: .reader)) }
    #expect(full?.code == .membersFull)
    #expect(full?.limit == "members")
    #expect(full?.actual == 3)
    #expect(full?.allowed == 2)
    #expect(try trial.join("ann") > ann)
    trial.record(try trial.room.setLimits(limits(("members", 0))))
    for _ in 0..<9 { try trial.join() }
    #expect(trial.state.members.count == 11)
  }
}
