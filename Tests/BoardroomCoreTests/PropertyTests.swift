import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

@Suite("Whatever comes")
struct PropertyTests {
  /// A command of any kind, right as often as wrong.
  static func command(_ member: MemberID, _ chance: inout Chance) -> Command {
    let number = chance.below(40)
    let scene = SceneID(1 + chance.below(12))
    let names = ["a", "b", "init", "x/y", ""]
    switch chance.below(40) {
    case 0...9: return begin(chance.below(1 << 40), on: 1, ends: chance.below(2) == 0)
    case 10...12: return begin(number, on: scene, ends: chance.below(2) == 0)
    case 13...22: return extend(number, ends: chance.below(5) == 0)
    case 23: return pointer(Int64(number), on: scene)
    case 24: return camera(Int64(number))
    case 25 where number < 4: return .moderation(.lock(number == 0))
    case 25 where number < 12: return .moderation(.writing(member, isAllowed: number < 9))
    case 25 where number < 16: return .moderation(.hand(number < 14))
    case 25: return .members(.setWritable(chance.below(4) > 0))
    case 26: return .state(.global(patch([("k\(number)", chance.below(2) == 0 ? nil : "\(scene)")])))
    case 27: return .state(.member(patch([("k\(number)", chance.below(2) == 0 ? nil : "1")])))
    case 28: return .members(.viewMode(ViewMode.allCases[Int(chance.below(3))]))
    case 29 where number == 0:
      let directory = ["/", "/d", "/d/e", "/a", "bad"][Int(chance.below(5))]
      return pages(directory, [names[Int(chance.below(5))]], at: Int(chance.below(4)))
    case 29, 30: return .scenes(.switchTo(.path(["/", "/a", "/d", "/d/b", "e"][Int(chance.below(5))])))
    case 31: return .scenes(.switchTo(.index(Int(chance.below(4)) - 1)))
    case 32...34:
      let ids = (0..<3).map { _ in
        ElementID(member: MemberID(chance.below(3)), number: chance.below(40))
      }
      return .elements(.erase(ids))
    case 35...37: return shape(chance.below(4) == 0 ? 0 : member, chance.below(40), on: scene)
    case 38: return magix(names[Int(chance.below(5))])
    default: return .diagnostics(.clientPhases([ClientPhase(phase: "reconnecting", ago: Int64(number) - 1)]))
    }
  }

  @Test(
    "FOLD-11: a room's own state is the fold of its events, in 100,000 random commands",
    .timeLimit(.minutes(15)))
  func aheadIsTheFold() throws {
    var chance = Chance(20_260_728)
    var trial = Trial(RoomPolicy(rate: .init(sustained: 20_000, burst: 50)))
    for uid in ["a", "b", "c"] { try trial.join(uid, role: uid == "a" ? .admin : .writer) }
    var members = trial.state.roster.map(\.id)
    var mirror = RoomState()
    var folded = 0
    var counts = (done: 0, refused: 0)
    for step in 0..<100_000 {
      if chance.below(20) == 0 { trial.wait(Int64(chance.below(60))) }
      let seat = Int(chance.below(3))
      let decision = trial.say(Self.command(members[seat], &chance), members[seat])
      if decision.isDone { counts.done += 1 } else if decision.code != nil { counts.refused += 1 }
      _ = trial.passDue()
      if chance.below(5_000) == 0 {
        members[seat] = try trial.join(["a", "b", "c"][seat], role: seat == 0 ? .admin : .writer)
      }
      if step % 10_000 == 0 || step == 99_999 {
        for event in trial.log[folded...] { mirror.apply(event) }
        folded = trial.log.count
        #expect(mirror == trial.state, "step \(step)")
      }
    }
    #expect(trial.anomalies.isEmpty, "what a room decides always fits")
    #expect(counts.done > 20_000, "\(counts)")
    #expect(counts.refused > 10_000, "\(counts)")
    checkInvariants(trial.state)
    let open = trial.state.elements.openStrokes
    #expect(open.allSatisfy { trial.state.members[$0.member]?.writable == true })
  }

  @Test("FOLD-12: folding the rest from the state at any prefix gives the state of the whole")
  func anyPrefix() throws {
    var chance = Chance(7)
    var trial = Trial(RoomPolicy(rate: nil))
    for _ in 0..<3 { try trial.join() }
    for _ in 0..<300 {
      let member = MemberID(chance.below(3))
      trial.say(Self.command(member, &chance), member)
    }
    var state = RoomState()
    for cut in trial.log.indices {
      // The state as a snapshot restores it, not a copy of the value.
      var restored = state
      restored.elements = ElementStore(places: state.elements.places)
      for event in trial.log[cut...] { restored.apply(event) }
      #expect(restored == trial.state)
      state.apply(trial.log[cut])
    }
  }

  /// Any event of any actor, mostly nonsense.
  private func garbage(_ chance: inout Chance) -> Event {
    let edge: [UInt64] = [0, 1, 2, 3, .max, .max - 1]
    let number = edge[Int(chance.below(6))]
    let member = MemberID(edge[Int(chance.below(6))])
    let scene = SceneID(truncatingIfNeeded: edge[Int(chance.below(6))])
    let segment = StrokeSegment(
      number: number, begin: chance.below(2) == 0 ? style(on: scene) : nil, ends: chance.below(3) == 0,
      points: EncodedPoints(count: Int.max, bytes: [1]))
    let id = ElementID(member: member, number: number)
    switch chance.below(42) {
    case 0, 1: return .drawing(.stroke(segment))
    case 2: return .drawing(.pointer(PointerMove(scene: scene, unit: 99, x: .min, y: .max)))
    case 3: return .drawing(.camera(Camera(unit: 0, x: 0, y: 0, scale: 0)))
    case 4: return .room(.created(RoomCreated(name: "", limit: -1)))
    case 5, 6:
      return .members(
        .joined(
          MemberJoined(
            session: SessionID(high: 0, low: 0), uid: "u", role: .reader, writable: chance.below(2) == 0,
            payload: nil, client: nil)))
    case 7: return .members(.left(.any(number)))
    case 8: return .members(.phase(MemberPhaseChange(phase: .reconnecting, generation: .max)))
    case 9: return .members(.writable(chance.below(2) == 0))
    case 10: return .members(.kicked(MemberKicked(member: member, reason: .crash)))
    case 11: return .members(.replaced(MemberReplaced(by: SessionID(high: 0, low: 0))))
    case 12: return .state(.global(patch([("a", nil), ("a", "1"), ("", "2")])))
    case 13: return .state(.member(patch([("a", "1"), ("a", nil)])))
    case 14: return .members(.viewMode(ViewMode.allCases[Int(chance.below(3))]))
    case 15:
      let index = [Int.min, -1, 0, 5, .max][Int(chance.below(5))]
      let specs = (0...UInt32(chance.below(3))).map { SceneSpec(id: scene &+ $0, name: "n\($0)") }
      return .scenes(
        .put(
          ScenesPut(directory: ["/", "", "x"][Int(chance.below(3))], index: index, scenes: specs)))
    case 16: return .scenes(.switched(scene))
    case 17: return .elements(.erased([ElementID(member: member, number: number)]))
    case 18:
      return .elements(
        .put(
          ElementPut(
            id: ElementID(member: member, number: number), scene: scene, type: .text, raw: json("{}"))))
    case 19: return .diagnostics(.refused(RefusedCommand(kind: 255, code: .conflict)))
    case 20: return .unknown(kind: 255, payload: [])
    default: return boardGarbage(id, scene, &chance)
    }
  }

  private func boardGarbage(_ id: ElementID, _ scene: SceneID, _ chance: inout Chance) -> Event {
    let edge = [Int.min, -1, 0, 1, 2, .max][Int(chance.below(6))]
    let set = patch([("a", nil), ("a", "1"), ("locked", "true")])
    let shape = ElementPut(id: id, scene: scene, type: .text, raw: json("{"), set: set)
    let compensation = Compensation(
      scene: scene, erased: [id, id], restored: [id],
      puts: [Compensation.ShapePut(id: id, shape: shape)], changes: [ElementChange(id: id, set: set)])
    switch chance.below(24) {
    case 21: return .moderation(.hand(edge > 0))
    case 22: return .moderation(.lock(edge > 0))
    case 23: return .moderation(.writing(id.member, isAllowed: edge > 0))
    case 0, 1, 2: return .elements(.put(shape))
    case 3: return .elements(.changed(ElementsChanged([ElementChange(id: id, set: set)])))
    case 4:
      return .elements(
        .copied([
          ElementCopy(from: id, id: ElementID(member: 7, number: chance.below(3)), scene: scene, set: set)
        ]))
    case 5: return .scenes(.cleaned(SceneCleaned(scene: scene, retainPPT: chance.below(2) == 0)))
    case 6: return .scenes(.removed(ScenesRemoved(scenes: [scene], current: 1, fresh: nil)))
    case 7: return .scenes(.removed(ScenesRemoved(scenes: [1, scene], current: 9, fresh: 9)))
    case 8: return .scenes(.moved(SceneMoved(scene: scene, directory: "", name: "n0", index: edge)))
    case 9: return .scenes(.pptStepped(PPTStep(scene: scene, step: edge)))
    case 10: return .state(.storeSet(StoreSet(store: "s", patch: set, resets: edge == 0, onlyAbsent: true)))
    case 11: return .state(.storeDeleted("s"))
    case 12, 13, 14: return .history(.kept(HistoryDepth(scenes: edge, depth: 1 + Int(chance.below(3)))))
    case 15: return .history(.undone(compensation))
    case 16: return .history(.redone(compensation))
    case 17: return .history(.undone(Compensation(scene: scene)))
    case 18: return .room(.limitsSet(LimitsPatch([LimitsPatch.Field(name: "a", value: edge)])))
    case 19: return .room(.banSet(Ban(number: id.number, room: nil, uid: nil, address: nil, until: nil)))
    default: return .elements(.erased([id]))
    }
  }

  @Test("FOLD-13: no sequence of events traps, and every state is sound", arguments: 0..<50)
  func neverTraps(seed: UInt64) {
    var chance = Chance(seed)
    var state = RoomState()
    var anomalies = 0
    for _ in 0..<800 {
      let actor = Actor(code: [0, 1, 2, 3, 4, .max, .max - 1][Int(chance.below(7))])
      let event = RoomEvent(
        revision: Revision(chance.next()), time: Timestamp(milliseconds: Int64(bitPattern: chance.next())),
        actor: actor, counter: chance.next(), event: garbage(&chance))
      var touched: RoomParts = []
      if state.apply(event, touching: &touched) != nil { anomalies += 1 }
      let mayTouch = EventKind(rawValue: event.event.kind)?.traits.touches ?? []
      #expect(touched.isSubset(of: mayTouch), "KIND-1: \(event.event)")
      #expect(state.revision == event.revision)
      #expect(state.time == event.time)
      checkInvariants(state)
    }
    #expect(anomalies > 0)
  }

  /// What is true of every state that events can lead to.
  private func checkInvariants(_ state: RoomState) {
    #expect(state.members.keys.allSatisfy { $0.rawValue < state.nextMember })
    #expect(Set(state.scenes.map(\.id)).count == state.scenes.count)
    #expect(Set(state.scenes.map { [$0.directory, $0.name] }).count == state.scenes.count)
    #expect(state.scenes.allSatisfy { $0.id < state.nextScene })
    #expect((state.created == nil) == state.scenes.isEmpty)
    #expect(state.scenes.isEmpty || state.scene(state.currentScene) != nil, "the current scene is there")
    let broadcasters = state.members.values.filter { $0.viewMode == .broadcaster }.map(\.id)
    #expect(broadcasters == (state.broadcaster.map { [$0] } ?? []))
    #expect(state.broadcaster != nil || state.members.values.allSatisfy { $0.viewMode == .freedom })
    let open = state.elements.places.compactMap { $0?.isOpenStroke == true ? $0?.id : nil }
    #expect(Set(open) == state.elements.openStrokes)
    #expect(state.elements.openStrokes.allSatisfy { state.members[$0.member] != nil })
    let shown = Set(state.elements.places.compactMap { $0?.scene })
    #expect(shown.isSubset(of: state.scenes.map(\.id)), "no element is on a scene that is gone")
    #expect(state.elements.count + state.elements.buriedCount == state.elements.places.count { $0 != nil })
    #expect(state.histories.keys.allSatisfy { state.members[$0] != nil })
    for history in state.histories.values {
      let operations = history.tracks.flatMap { ($0.undo + $0.redo).flatMap(\.operations) }
      #expect(operations.allSatisfy { state.elements.isKnown($0.element) })
      #expect(Set(operations.map(\.element)) == Set(history.elements))
    }
    let graves = state.elements.places.indices.filter { state.elements.isBuried(ordinal: $0) }
    let buried = Set(graves.compactMap { state.elements.places[$0]?.id })
    #expect(buried.isSubset(of: state.histories.values.flatMap(\.elements)))
  }
}

extension LeaveCause {
  fileprivate static func any(_ number: UInt64) -> LeaveCause {
    allCases[Int(number % UInt64(allCases.count))]
  }
}
