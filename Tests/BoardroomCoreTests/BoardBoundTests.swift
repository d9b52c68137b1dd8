import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

@Suite("What a board may count for")
struct BoardBoundTests {
  private func limits(_ fields: (String, Int?)...) -> LimitsPatch {
    LimitsPatch(fields.map { LimitsPatch.Field(name: $0.0, value: $0.1) })
  }

  private static let text = "\"" + String(repeating: "t", count: 50_000) + "\""

  /// A room for 256 KiB, with one text of 50 KB.
  private func room(histories: Int = 0) throws -> Trial {
    var trial = try Trial.withHistories(histories)
    if histories == 0 { try trial.join() }
    trial.record(try trial.room.setLimits(limits(("limits.board", 256 << 10))))
    #expect(trial.say(shape(0, 1, Self.text), 0).isDone)
    return trial
  }

  @Test(
    "BOUND-1, EL-8: copies pay for the bytes that they make, and the refusal names limit, actual and allowed")
  func copyBomb() throws {
    var trial = try room()
    let bomb = (2...40).map {
      ElementCopy(from: element("0.1"), id: ElementID(member: 0, number: UInt64($0)), scene: 1)
    }
    let before = trial.room.boardBytes
    let refusal = try #require(trial.say(.elements(.copy(bomb)), 0).refusal)
    #expect(refusal.code == .tooLarge)
    #expect(refusal.limit == "limits.board")
    #expect(refusal.allowed == 256 << 10)
    #expect(refusal.actual == before + 39 * trial.state.elements[element("0.1")]!.bytes)
    #expect(trial.state.elements.count == 1)
    #expect(trial.room.boardBytes == before)
    for number in 2...5 { #expect(trial.say(copy("0.1", as: "0.\(number)"), 0).isDone) }
    #expect(trial.say(copy("0.1", as: "0.6"), 0).refusal?.limit == "limits.board")
  }

  @Test("BOUND-1: strokes, shapes, attributes and pages pay, each by its own way", arguments: 0..<5)
  func ways(_ way: Int) throws {
    var trial = try room()
    for number in 2...5 { trial.say(copy("0.1", as: "0.\(number)"), 0) }
    let left = (256 << 10) - trial.room.boardBytes
    trial.say(begin(6), 0)
    let many = EncodedPoints(count: 5_000, bytes: [UInt8](repeating: 2, count: left)[...])
    let long = "\"" + String(repeating: "l", count: left) + "\""
    let command: Command =
      switch way {
      case 0: .drawing(.stroke(StrokeSegment(number: 7, begin: style(on: 1), ends: true, points: many)))
      case 1: .drawing(.stroke(StrokeSegment(number: 6, begin: nil, ends: true, points: many)))
      case 2: shape(0, 7, long)
      case 3: change("0.1", ("meta", long))
      default:
        .scenes(
          .put(
            ScenesPut(directory: "/", index: 0, scenes: [SceneSpec(id: 0, name: "a", ppt: json(long))])))
      }
    #expect(trial.say(command, 0).refusal?.limit == "limits.board")
    #expect(trial.say(extend(6, ends: true), 0).isDone, "what is small still fits")
  }

  @Test(
    "BOUND-1, LIM-3: over its limit a board may still shrink, change without growing, and end its strokes")
  func shrinking() throws {
    var trial = try room()
    trial.say(begin(2), 0)
    trial.say(copy("0.1", as: "0.6"), 0)
    trial.say(rectangle("0.3", set: [("meta", "\"long enough to shrink\"")]), 0)
    trial.record(try trial.room.setLimits(limits(("limits.board", 64 << 10))))
    trial.say(copy("0.1", as: "0.4"), 0)
    #expect(!trial.has("0.4"))
    let end = StrokeSegment(
      number: 2, begin: nil, ends: true, points: EncodedPoints(count: 0, bytes: [4, 0]))
    #expect(trial.say(.drawing(.stroke(end)), 0).isDone)
    #expect(trial.say(change("0.3", ("meta", "\"x\"")), 0).isDone)
    #expect(trial.say(shape(0, 1, "{}"), 0).isDone, "the same shape, smaller")
    #expect(trial.say(erase("0.1"), 0).isDone)
    #expect(trial.say(copy("0.3", as: "0.5"), 0).isDone, "there is room again")
    #expect(trial.say(.scenes(.clean(SceneClean(scene: nil, retainPPT: false))), 0).isDone)
    #expect(trial.state.elements.bytes == 0)
  }

  @Test("BOUND-1: what a history holds counts, until its member ends it or has gone")
  func histories() throws {
    var trial = try room(histories: 2)
    let one = trial.room.boardBytes
    #expect(trial.say(shape(0, 1, Self.text), 0).isDone)
    #expect(trial.say(erase("0.1"), 0).isDone)
    #expect(trial.room.boardBytes >= one, "it can be brought back")
    for number in 2...9 { trial.say(shape(1, UInt64(number), Self.text), 1) }
    #expect(trial.state.elements.count < 6)
    #expect(trial.say(.history(.undo(nil)), 0).isDone, "it was counted all the while")
    #expect(trial.say(erase("0.1"), 0).isDone)
    trial.say(.history(.keep(scenes: 0)), 0)
    #expect(trial.say(shape(1, 20, Self.text), 1).isDone, "its grave is given up")
    trial.record(trial.room.leave(1, .left))
    let rest = trial.state.elements.bytes + trial.state.scenes.reduce(0) { $0 + $1.bytes }
    #expect(trial.room.boardBytes == rest)
  }

  @Test(
    "BOUND-1: the count is one of the state: after any life, and after a restart, it is the sum over what is there"
  )
  func counted() throws {
    var trial = try Trial.withHistories(3)
    var chance = Chance(42)
    for _ in 0..<3_000 {
      let member = MemberID(chance.below(3))
      let id = "\(chance.below(3)).\(1 + chance.below(40))"
      let own = "\(member.rawValue).\(1 + chance.below(40))"
      let word = String(repeating: "w", count: Int(chance.below(30)))
      let command: Command =
        switch chance.below(12) {
        case 0: begin(1 + chance.below(40))
        case 1: extend(1 + chance.below(40), ends: chance.below(2) == 0)
        case 2, 3: rectangle(own, x: Int(chance.below(999)), set: [("meta", "\"\(word)\"")])
        case 4, 5: change(id, ("meta", "\"\(word)\""), ("x", chance.below(3) == 0 ? nil : "7"))
        case 6: copy(id, as: own, on: 1, [("meta", "\"\(word)\"")])
        case 7: erase(id)
        case 8, 9: .history(.undo(nil))
        case 10: .history(.redo(nil))
        default:
          chance.below(30) == 0
            ? .scenes(.clean(SceneClean(scene: nil, retainPPT: false))) : pages("/a", [word + "p"])
        }
      trial.say(command, member)
      trial.wait(50)
    }
    var encoder = StateEncoder()
    let restored = try StateDecoder.state(of: encoder.snapshot(of: trial.state))
    #expect(restored.elements.bytes == trial.state.elements.bytes)
    #expect(Room(state: restored).boardBytes == trial.room.boardBytes)
    #expect(trial.state.elements.bytes == trial.state.elements.places.reduce(0) { $0 + ($1?.bytes ?? 0) })
    for history in trial.state.histories.values {
      let operations = history.tracks.flatMap { $0.undo + $0.redo }.flatMap(\.operations)
      #expect(history.bytes == operations.reduce(0) { $0 + $1.bytes })
    }
  }

  @Test("BOUND-2: copies use up the rate by the bytes that they make, 4 KiB for one command")
  func copiesAreRated() throws {
    var trial = Trial(RoomPolicy(rate: .init(sustained: 10, burst: 40)))
    try trial.join()
    #expect(trial.say(shape(0, 1, Self.text), 0).isDone)
    // 12 commands' worth each.
    for number in 2...4 { #expect(trial.say(copy("0.1", as: "0.\(number)"), 0).isDone) }
    let refusal = trial.say(copy("0.1", as: "0.5"), 0).refusal
    #expect(refusal?.code == .rateLimited)
    #expect(refusal?.limit == "rate")
    #expect(trial.say(rectangle("0.9"), 0).isDone, "one command is one command")
    trial.wait(2_000)
    #expect(trial.say(copy("0.1", as: "0.5"), 0).isDone)
    trial.wait(60_000)
    let many = (10...30).map {
      ElementCopy(from: element("0.1"), id: ElementID(member: 0, number: UInt64($0)), scene: 1)
    }
    #expect(trial.say(.elements(.copy(many)), 0).isDone, "more than the burst goes when nothing else went")
    trial.wait(10_000)
    #expect(trial.say(rectangle("0.40"), 0).code == .rateLimited, "and is paid for afterwards")
  }

  @Test("BOUND-7, DEC-3, DEC-4: refusals of one member are recorded once a second at most; all are told")
  func refusals() throws {
    var trial = Trial()
    try trial.join()
    try trial.join()
    let flood: [Command] = [
      erase("9.9"), copy("9.9", as: "0.1"), rectangle("5.5"), .history(.undo(nil)), pointer(1, on: 9),
    ]
    let before = trial.log.count
    for step in 0..<600 {
      #expect(trial.say(flood[step % flood.count], 0).code != nil)
      trial.wait(10)
    }
    #expect(trial.log.count == before + 6, "six seconds")
    #expect(trial.say(erase("9.9"), 1).proposed.count == 1, "another member's are its own")
    #expect(trial.say(rectangle("0.1"), 0).isDone, "its numbers have no gap")
    let gap = NumberedCommand(counter: trial.counters[0]! + 5, command: rectangle("0.2"))
    trial.wait(1_000)
    #expect(trial.say(gap, 0).proposed.count == 1)
    #expect(trial.say(gap, 0).code == .outOfOrder)
    #expect(trial.say(gap, 0).proposed.isEmpty, "gaps count among them")
  }

  @Test("BOUND-6: what is said by REST has the rates of one member, by kind and in all")
  func backends() {
    var trial = Trial()
    var done = 0
    while case .events(let events) = trial.room.decide(serverCommand: magix(), at: trial.now) {
      trial.record(events)
      done += 1
      if done > 1_000 { break }
    }
    #expect(done == 200)
    guard case .refused(let refusal, _) = trial.room.decide(serverCommand: magix(), at: trial.now) else {
      Issue.record("it goes on")
      return
    }
    #expect(refusal.code == .rateLimited)
    #expect(refusal.limit == "rate.magix")
    #expect(refusal.allowed == 50)
    trial.wait(20)
    #expect(trial.room.decide(serverCommand: magix(), at: trial.now).isDone)
    #expect(trial.room.decide(serverCommand: pages("/", ["a"]), at: trial.now).isDone)
  }

  @Test("BOUND-1, LIM-1: members are told the limits of their room in force")
  func announced() throws {
    var trial = Trial()
    #expect(trial.room.announced.board == 64 << 20)
    #expect(trial.room.announced.members == 10_000)
    trial.record(try trial.room.setLimits(limits(("limits.board", 1 << 20), ("members", 7))))
    #expect(trial.room.announced.board == 1 << 20)
    #expect(trial.room.announced.members == 7)
    #expect(trial.room.announced.elements == 100_000)
  }
}
