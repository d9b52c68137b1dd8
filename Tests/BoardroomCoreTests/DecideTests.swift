import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

@Suite("Decisions")
struct DecideTests {
  private func trial(_ policy: RoomPolicy = RoomPolicy()) throws -> Trial {
    var trial = Trial(policy)
    for _ in 0..<2 { try trial.join() }
    return trial
  }

  @Test("DEC-2: member, then counter, then authority, then rate, then the command's own needs")
  func order() throws {
    var trial = try trial(RoomPolicy(rate: .init(sustained: 1, burst: 1)))
    let wrong = Command.scenes(.switchTo(.path("no slash")))
    func number(_ counter: CommandCounter, _ command: Command) -> NumberedCommand {
      NumberedCommand(counter: counter, command: command)
    }
    #expect(trial.say(number(7, wrong), 42).code == .notMember)
    #expect(trial.say(.members(.setWritable(false)), 0).isDone, "takes the only token")
    #expect(trial.say(number(9, wrong), 0).code == .outOfOrder)
    #expect(trial.say(number(2, wrong), 0).code == .notWritable)
    #expect(trial.say(number(3, .members(.setWritable(true))), 0).code == .rateLimited)
    trial.wait(1_000)
    #expect(trial.say(number(4, .members(.setWritable(true))), 0).isDone)
    #expect(trial.say(number(5, wrong), 0).code == .rateLimited)
    trial.wait(1_000)
    #expect(trial.say(number(6, wrong), 0).code == .badName)
  }

  @Test("WIRE-17: a command with an empty list is badParameter, whatever its kind")
  func emptyLists() throws {
    var trial = try trial()
    for command in [
      .elements(.erase([])), .elements(.change(ElementsChanged([]))), .elements(.copy([])),
      .diagnostics(.clientPhases([])),
      .scenes(.put(ScenesPut(directory: "/", index: 0, scenes: []))),
    ] as [Command] {
      #expect(trial.say(command, 0).code == .badParameter, "\(command)")
    }
    #expect(trial.room.decide(serverCommand: .elements(.erase([]))).code == .badParameter)
  }

  @Test("IDEM-1: a command sent again is a duplicate and applies once, whether it was done or refused")
  func duplicates() throws {
    var trial = try trial()
    let done = NumberedCommand(counter: 1, command: begin(1))
    let refused = NumberedCommand(counter: 2, command: extend(99))
    #expect(trial.say(done, 0).isDone)
    #expect(trial.say(refused, 0).code == .noSuchElement)
    let (log, state) = (trial.log, trial.state)
    for command in [done, refused] { #expect(trial.say(command, 0) == .duplicate) }
    #expect(trial.log == log)
    #expect(trial.state == state)
  }

  @Test("IDEM-2: a room folded from its log knows the duplicates as well as the one that decided")
  func duplicatesAfterRestart() throws {
    var trial = try trial()
    trial.say(begin(1), 0)
    trial.say(extend(9), 0)
    trial.room = Room(state: trial.state)
    #expect(trial.say(NumberedCommand(counter: 2, command: magix()), 0) == .duplicate)
    #expect(trial.say(NumberedCommand(counter: 3, command: magix()), 0).isDone)
  }

  @Test("IDEM-3: a counter that leaves a gap is refused and not used up")
  func gap() throws {
    var trial = try trial()
    let late = NumberedCommand(counter: 3, command: magix())
    #expect(trial.say(late, 0).code == .outOfOrder)
    #expect(trial.log.last?.counter == 0)
    #expect(trial.log.last?.event == .diagnostics(.refused(RefusedCommand(kind: 30, code: .outOfOrder))))
    for counter in 1...2 as ClosedRange<UInt64> {
      #expect(trial.say(NumberedCommand(counter: counter, command: magix()), 0).isDone)
    }
    #expect(trial.say(late, 0).isDone)
  }

  @Test("DEC-3: what a member was refused is recorded, with its kind, code and counter")
  func recorded() throws {
    var trial = try trial()
    #expect(trial.say(extend(1), 1).code == .noSuchElement)
    let last = try #require(trial.log.last)
    #expect(last.actor == .member(1))
    #expect(last.counter == 1)
    #expect(last.event == .diagnostics(.refused(RefusedCommand(kind: 1, code: .noSuchElement))))
  }

  @Test("DEC-4: of a flood's refusals the first is recorded, not the flood")
  func flood() throws {
    var trial = try trial(RoomPolicy(rate: .init(sustained: 10, burst: 5)))
    let before = trial.log.count
    let codes = (0..<1_000).map { _ in trial.say(magix(), 0).code }
    #expect(codes.filter { $0 == nil }.count == 5)
    #expect(codes.filter { $0 == .rateLimited }.count == 995)
    #expect(trial.log.count - before == 6)
    for _ in 0..<1_000 { trial.say(NumberedCommand(counter: 9_999, command: magix()), 0) }
    #expect(trial.log.count - before == 6, "gaps of a flood are not recorded either")
    #expect(trial.say(magix(), 1).isDone, "others are not slowed down")
    trial.wait(100)
    #expect(trial.say(magix(), 0).isDone)
    #expect(trial.say(magix(), 0).code == .rateLimited)
  }

  @Test("DEC-5: the usual rate lets 500 a second through for ever, and 2,000 at once")
  func usualRate() throws {
    var trial = try trial()
    #expect((0..<2_000).allSatisfy { _ in trial.say(.scenes(.switchTo(.index(0))), 0).isDone })
    #expect(trial.say(.scenes(.switchTo(.index(0))), 0).code == .rateLimited)
    for _ in 0..<100 {
      trial.wait(10)
      #expect((0..<5).allSatisfy { _ in trial.say(.scenes(.switchTo(.index(0))), 0).isDone })
    }
    var free = try self.trial(RoomPolicy(rate: nil))
    #expect((0..<5_000).allSatisfy { _ in free.say(.scenes(.switchTo(.index(0))), 0).isDone })
  }

  static let forReaders: [(Command, Bool)] = [
    (.members(.setWritable(false)), true), (camera(1), true), (phases, true),
    (.members(.viewMode(.freedom)), true),
    (.members(.viewMode(.broadcaster)), false), (begin(1), false), (pointer(1), false), (magix(), false),
    (.state(.global(patch([("a", "1")]))), false), (.state(.member(patch([("a", "1")]))), false),
    (pages("/", ["a"]), false), (.scenes(.switchTo(.index(0))), false), (.elements(.erase([])), false),
    (shape(2, 1), false),
  ]

  @Test("DEC-6, P-12, ME-11: a read-only member moves its own view only", arguments: forReaders.indices)
  func readers(row: Int) throws {
    var trial = try trial()
    let reader = try trial.join(role: .reader)
    let (command, isAllowed) = Self.forReaders[row]
    #expect(trial.say(command, reader).code == (isAllowed ? nil : .notWritable), "\(command)")
  }

  @Test("W-1: a reader's token joins read-only and cannot become writable; a writer's can, either way")
  func tokens() throws {
    var trial = try trial()
    let reader = try trial.join(role: .reader, isWritable: true)
    #expect(trial.state.members[reader]?.writable == false)
    #expect(trial.say(.members(.setWritable(true)), reader).code == .forbidden)
    let quiet = try trial.join(role: .writer, isWritable: false)
    #expect(trial.say(begin(1), quiet).code == .notWritable)
    #expect(trial.say(.members(.setWritable(true)), quiet).isDone)
    #expect(trial.say(begin(1), quiet).isDone)
  }

  static let sizes: [(Command, Int, Int)] = [
    (.state(.global(patch([("k", "\"12345678\"")]))), 16, 10),
    (.state(.member(patch([("k", "\"12345678\"")]))), 16, 10),
    (shape(0, 1, "{\"long\":123}"), 12, 10), (magix("n", "12345678"), 32, 10),
    (.drawing(.stroke(StrokeSegment(number: 1, begin: style(on: 1), ends: true, points: points(9)))), 29, 10),
  ]

  @Test("DEC-7: what is too large is refused with the size and the limit", arguments: sizes.indices)
  func tooLarge(row: Int) throws {
    let limits = WireLimits(stroke: 10, magix: 10, statePatch: 10, element: 10)
    var trial = try trial(RoomPolicy(limits: limits))
    guard case .refused(let refusal, _) = trial.say(Self.sizes[row].0, 0) else {
      Issue.record("not refused: \(Self.sizes[row].0)")
      return
    }
    #expect(refusal.code == .tooLarge)
    #expect(refusal.actual == Self.sizes[row].1)
    #expect(refusal.allowed == 10)
  }

  @Test("DEC-7: the whole globalState and the whole member state have limits, and may shrink above them")
  func wholeStates() throws {
    var trial = try trial(RoomPolicy(limits: WireLimits(globalState: 40), memberState: 40))
    for key in ["a", "b"] {
      #expect(trial.say(.state(.global(patch([(key, "\"12345678\"")]))), 0).isDone)
      #expect(trial.say(.state(.member(patch([(key, "\"12345678\"")]))), 0).isDone)
    }
    #expect(trial.say(.state(.global(patch([("c", "\"12345678\"")]))), 1).code == .tooLarge)
    #expect(trial.say(.state(.member(patch([("c", "\"12345678\"")]))), 0).code == .tooLarge)
    #expect(trial.say(.state(.global(patch([("a", nil), ("c", "\"12345678\"")]))), 1).isDone)
    var lowered = trial
    lowered.room = Room(state: trial.state, policy: RoomPolicy(limits: WireLimits(globalState: 5)))
    #expect(lowered.say(.state(.global(patch([("b", nil)]))), 1).isDone)
    #expect(lowered.say(.state(.global(patch([("b", "1")]))), 1).code == .tooLarge)
  }

  @Test("DEC-8: erasing drops ids that are not there, and is refused only if none is left")
  func erasing() throws {
    var trial = try trial()
    trial.say(begin(1, ends: true), 0)
    trial.say(shape(1, 1), 1)
    let (stroke, rectangle) = (ElementID("0.1")!, ElementID("1.1")!)
    let none = ElementID("5.5")!
    #expect(trial.say(.elements(.erase([none])), 0).code == .noSuchElement)
    #expect(trial.say(.elements(.erase([])), 0).code == .badParameter)
    let command = NumberedCommand(
      counter: 4, command: .elements(.erase([none, rectangle, rectangle, stroke])))
    let decision = trial.say(command, 0, raw: [1, 2])
    #expect(decision.proposed.map(\.event) == [.elements(.erased([rectangle, stroke]))])
    #expect(decision.proposed.first?.rawBody == nil)
    #expect(trial.state.elements.count == 0)
    #expect(trial.anomalies.isEmpty)
  }

  @Test("DEC-9: a fresh id is of its maker's numbers; what is there anybody may put anew, but no stroke")
  func putting() throws {
    var trial = try trial()
    #expect(trial.say(shape(1, 1), 0).code == .noSuchElement)
    #expect(trial.say(shape(0, 1, on: 9), 0).code == .noSuchScene)
    #expect(trial.say(shape(0, 1), 0).isDone)
    #expect(trial.say(shape(0, 1, "{\"x\":1}"), 1).isDone)
    let content = trial.state.elements[ElementID("0.1")!]?.content
    #expect(content == .shape(type: .rectangle, raw: json("{\"x\":1}")))
    trial.say(begin(2), 0)
    #expect(trial.say(shape(0, 2), 0).code == .badParameter)
    #expect(trial.say(begin(1), 0).code == .badParameter)
  }

  @Test("DEC-10: a stroke begins on a scene that is there, and goes on until it ends")
  func strokes() throws {
    var trial = try trial()
    #expect(trial.say(begin(1, on: 9), 0).code == .noSuchScene)
    #expect(trial.say(extend(1), 0).code == .noSuchElement)
    #expect(trial.say(begin(1), 0).isDone)
    #expect(trial.say(begin(1), 0).code == .badParameter)
    #expect(trial.say(extend(1), 1).code == .noSuchElement, "its author's only")
    #expect(trial.say(extend(1), 0).isDone)
    #expect(trial.say(extend(1, ends: true), 0).isDone)
    #expect(trial.say(extend(1), 0).code == .noSuchElement)
    #expect(trial.say(begin(2, ends: true), 0).isDone)
    #expect(trial.say(extend(2), 0).code == .noSuchElement)
    #expect(trial.anomalies.isEmpty)
  }

  static let verbatim: [(Command, Bool)] = [
    (begin(1), true), (pointer(1), true), (camera(1), true), (.state(.global(patch([("a", "1")]))), true),
    (.state(.member(patch([("a", "1")]))), true), (.members(.viewMode(.broadcaster)), true),
    (shape(0, 5), true),
    (magix(), true), (.members(.setWritable(true)), true), (phases, true), (pages("/", ["a"]), false),
    (.scenes(.switchTo(.index(0))), false), (extend(9), false),
  ]

  @Test(
    "WIRE-1: a command's bytes go into the log as they came where the body is the same",
    arguments: verbatim.indices)
  func raw(row: Int) throws {
    var trial = try trial()
    let (command, isVerbatim) = Self.verbatim[row]
    let decision = trial.say(NumberedCommand(counter: 1, command: command), 0, raw: [1, 9, 9])
    #expect(decision.proposed.count == 1)
    #expect(decision.proposed.first?.rawBody == (isVerbatim ? [1, 9, 9] : nil), "\(command)")
  }

  @Test("DEC-11: the server gives commands in its own name, but not those that need a member")
  func server() throws {
    var trial = try trial()
    for command in [pages("/", ["a"]), .state(.global(patch([("a", "1")]))), magix()] {
      let decision = trial.room.decide(serverCommand: command)
      #expect(decision.proposed.map(\.actor) == [.server])
      trial.record(decision.proposed)
    }
    #expect(trial.state.globalState["a"] == json("1"))
    #expect(trial.state.scenes.count == 2)
    for command in [
      begin(1), pointer(1), camera(1), .members(.viewMode(.freedom)), .members(.setWritable(true)),
    ] {
      #expect(trial.room.decide(serverCommand: command).code == .badParameter)
    }
    #expect(trial.room.decide(serverCommand: shape(0, 9)).code == .noSuchElement)
  }

  static let names: [(Command, RefusalCode)] = [
    (magix(""), .badName), (magix("a\nb"), .badName), (magix(String(repeating: "n", count: 257)), .tooLarge),
    (.drawing(.camera(Camera(unit: 0, x: 0, y: 0, scale: 0))), .badParameter),
    (pointer(1, on: 8), .noSuchScene),
    (.diagnostics(.clientPhases([ClientPhase(phase: "connected", ago: -1)])), .badParameter),
    (.diagnostics(.clientPhases([ClientPhase(phase: "\u{1b}]0;mine\u{7}", ago: 1)])), .badParameter),
    (.diagnostics(.clientPhases([ClientPhase(phase: "Connected", ago: 1)])), .badParameter),
    (
      .diagnostics(.clientPhases(Array(repeating: ClientPhase(phase: "connected", ago: 1), count: 1_001))),
      .tooLarge
    ),
  ]

  @Test(
    "DEC-12: names are printable, scales above zero, phases a room's and in the past",
    arguments: names.indices)
  func values(row: Int) throws {
    var trial = try trial()
    #expect(trial.say(Self.names[row].0, 0).code == Self.names[row].1)
  }
}
