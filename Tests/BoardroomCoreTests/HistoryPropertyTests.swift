import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

/// Who did what last, kept by another method than the one that is tested: by looking at events alone.
private struct LastWriters {
  private struct Mark { var order: Int, member: MemberID? }
  private var whole: [ElementID: Mark] = [:]
  private var keys: [ElementID: [String: Mark]] = [:]
  private var order = 0

  mutating func touch(_ id: ElementID, by member: MemberID?) {
    order += 1
    whole[id] = Mark(order: order, member: member)
  }
  mutating func touch(_ id: ElementID, _ key: String, by member: MemberID?) {
    order += 1
    keys[id, default: [:]][key] = Mark(order: order, member: member)
  }
  /// Of the element in any way.
  func last(_ id: ElementID) -> MemberID? {
    let marks = (keys[id]?.values.map { $0 } ?? []) + (whole[id].map { [$0] } ?? [])
    return marks.max { $0.order < $1.order }?.member
  }
  func last(_ id: ElementID, _ key: String) -> MemberID? {
    let marks = [whole[id], keys[id]?[key]].compactMap { $0 }
    return marks.max { $0.order < $1.order }?.member
  }
}

@Suite("Histories, whatever comes")
struct HistoryPropertyTests {
  static func command(_ member: MemberID, _ state: RoomState, _ chance: inout Chance) -> Command {
    let own = "\(member).\(chance.below(30))"
    let any = "\(chance.below(4)).\(chance.below(30))"
    let scene = state.scenes[Int(chance.below(UInt64(state.scenes.count)))].id
    let value: String? = chance.below(4) == 0 ? nil : "\(chance.below(5))"
    let key = ["x", "y", "width"][Int(chance.below(3))]
    switch chance.below(44) {
    case 0...2: return begin(chance.below(30), on: scene, ends: chance.below(2) == 0)
    case 3: return extend(chance.below(30), ends: chance.below(2) == 0)
    case 4...7: return rectangle(own, x: Int(chance.below(9)), on: scene)
    case 8...10:
      return rectangle(
        any, x: Int(chance.below(9)), on: scene, set: chance.below(2) == 0 ? [(key, "1")] : nil)
    case 11...18: return change(any, (key, value))
    case 19, 20:
      return changes(
        (0..<3).map { _ in
          ("\(chance.below(4)).\(chance.below(30))", [(key, value), ("height", "\(chance.below(9))")])
        })
    case 21: return change(any, ("locked", chance.below(4) == 0 ? "true" : "false"))
    case 22...24: return copy(any, as: own, on: scene, chance.below(2) == 0 ? [(key, value)] : nil)
    case 25...27:
      return .elements(.erase((0..<3).map { _ in element("\(chance.below(4)).\(chance.below(30))") }))
    case 28 where chance.below(3) == 0: return .scenes(.clean(SceneClean(scene: scene)))
    case 29 where chance.below(6) == 0:
      return .scenes(.remove(path: ["/", "/a", "/d", "/d/b"][Int(chance.below(4))]))
    case 29:
      return pages(["/", "/d"][Int(chance.below(2))], [["a", "b", "init"][Int(chance.below(3))]], at: 0)
    case 30: return .scenes(.switchTo(.path(["/", "/a", "/d"][Int(chance.below(3))])))
    case 31 where chance.below(8) == 0: return .history(.keep(scenes: Int(chance.below(4))))
    case 32: return store("s\(chance.below(3))", [(key, value)], resets: chance.below(5) == 0)
    case 33: return .scenes(.move(path: "/a", target: "/d"))
    case 34...39: return .history(.undo(chance.below(2) == 0 ? scene : nil))
    default: return .history(.redo(chance.below(2) == 0 ? scene : nil))
    }
  }

  /// What the events say, without a state of histories.
  private func follow(_ event: RoomEvent, _ before: RoomState, _ writers: inout LastWriters) {
    let member = event.actor.member
    func own(_ id: ElementID) { #expect(writers.last(id) == member, "\(event.event) of \(id)") }
    switch event.event {
    case .drawing(.stroke(let segment)) where segment.begin != nil:
      writers.touch(ElementID(member: member!, number: segment.number), by: member)
    case .elements(.put(let put)): writers.touch(put.id, by: member)
    case .elements(.copied(let copies)): for copy in copies { writers.touch(copy.id, by: member) }
    case .elements(.erased(let ids)): for id in ids { writers.touch(id, by: member) }
    case .scenes(.cleaned(let clean)):
      for element in before.elements.all(in: clean.scene) { writers.touch(element.id, by: member) }
    case .elements(.changed(let changed)):
      for change in changed.changes {
        for field in change.set.fields { writers.touch(change.id, field.key, by: member) }
      }
    case .history(.undone(let compensation)), .history(.redone(let compensation)):
      for id in compensation.erased + compensation.restored + compensation.puts.map(\.id) {
        own(id)
        writers.touch(id, by: member)
      }
      for change in compensation.changes {
        for field in change.set.fields {
          #expect(writers.last(change.id, field.key) == member, "\(event.event)")
          writers.touch(change.id, field.key, by: member)
        }
      }
    default: break
    }
  }

  /// What is true of every room with histories.
  private func check(_ state: RoomState) {
    var referred: Set<ElementID> = []
    for (member, history) in state.histories {
      #expect(state.members[member] != nil, "a history without a member")
      #expect(history.tracks.count <= history.kept.scenes)
      #expect(Set(history.tracks.map(\.scene)).count == history.tracks.count)
      for track in history.tracks {
        #expect(track.undo.count + track.redo.count <= history.kept.depth)
        #expect(!track.undo.isEmpty || !track.redo.isEmpty)
        for step in track.undo + track.redo {
          #expect(!step.operations.isEmpty)
          for operation in step.operations {
            let id = operation.element
            let found = state.elements[id] ?? state.elements.buried(id)
            #expect(found?.scene == track.scene, "\(operation) refers to what is gone or elsewhere")
            #expect(history.refers(to: id))
            referred.insert(id)
          }
        }
        if let top = track.undo.last {
          for operation in top.operations.suffix(1) { checkNewest(operation, state) }
        }
      }
      #expect(Set(history.elements).count == history.elements.count)
      #expect(referred.isSuperset(of: history.elements))
      #expect(History(kept: history.kept, tracks: history.tracks) == history)
    }
    let buried = state.elements.places.indices.filter { state.elements.isBuried(ordinal: $0) }
    #expect(buried.count == state.elements.buriedCount)
    let orphans = buried.compactMap { state.elements.places[$0]?.id }.filter { !referred.contains($0) }
    #expect(orphans.isEmpty, "graves that nothing refers to")
  }

  /// What was done last is what is there.
  private func checkNewest(_ operation: StepOperation, _ state: RoomState) {
    let element = state.elements[operation.element]
    switch operation {
    case .put: #expect(element != nil)
    case .erase: #expect(state.elements.isBuried(operation.element))
    case .set(_, let key, _, let after): #expect(element?.attributes[key] == after)
    case .replace(_, _, let after):
      #expect(element?.content == .shape(type: after.type, raw: after.raw))
      #expect(element?.isCopy == after.isCopy)
      #expect(element?.attributes == after.attributes)
    }
  }

  /// Undoing and redoing at once leaves everything as it was.
  private func checkRoundTrip(_ trial: Trial, _ member: MemberID) {
    for scene in trial.state.scenes.map(\.id) {
      for (first, second) in [
        (Command.history(.undo(scene)), Command.history(.redo(scene))),
        (.history(.redo(scene)), .history(.undo(scene))),
      ] {
        var copy = trial
        guard copy.say(first, member).isDone else { continue }
        #expect(copy.say(second, member).isDone)
        var (was, isNow) = (trial.state.elements, copy.state.elements)
        // What was taken off and put back is no longer being drawn.
        for id in was.openStrokes.subtracting(isNow.openStrokes) { _ = was.endStroke(id) }
        _ = isNow.count
        #expect(was == isNow, "\(first)")
        #expect(copy.anomalies.isEmpty, "\(first)")
        for (owner, history) in trial.state.histories {
          let other = copy.state.histories[owner]?.tracks.sorted { $0.scene < $1.scene }
          #expect(history.tracks.sorted { $0.scene < $1.scene } == other, "\(first) of \(member), \(owner)'s")
        }
      }
    }
  }

  private func run(_ seed: UInt64, _ count: Int, _ body: (Int, Trial) throws -> Void) throws -> Trial {
    var chance = Chance(seed)
    let policy = RoomPolicy(rate: nil, history: HistoryDepth(scenes: 3, depth: 8))
    var trial = try Trial.withHistories(3, policy)
    try trial.join()
    trial.say(pages("/", ["a"]), 0)
    var writers = LastWriters()
    var taken = 0
    for step in 0..<count {
      let members = trial.state.roster.map(\.id)
      let member = members[Int(chance.below(UInt64(members.count)))]
      let (before, from) = (trial.state, trial.log.count)
      let decision = trial.say(Self.command(member, before, &chance), member)
      if decision.isDone, case .history(.undone)? = decision.proposed.first?.event { taken += 1 }
      for event in trial.log[from...] { follow(event, before, &writers) }
      if chance.below(400) == 0 {
        trial.record(trial.room.leave(member, .left))
        let fresh = try trial.join()
        trial.say(.history(.keep(scenes: 20)), fresh)
      }
      try body(step, trial)
    }
    #expect(taken > count / 60, "\(taken) steps undone")
    #expect(trial.anomalies.isEmpty, "\(trial.anomalies.prefix(3))")
    return trial
  }

  @Test(
    "HIST-6, HIST-7: an undo never changes what another did last, and graves are those referred to",
    arguments: 1...6)
  func neverAnothers(seed: UInt64) throws {
    let trial = try run(seed, 1_500) { step, trial in
      if step % 10 == 0 { check(trial.state) }
      if step % 50 == 0 { for member in trial.state.roster { checkRoundTrip(trial, member.id) } }
    }
    var last = trial
    for member in trial.state.roster {
      for scene in trial.state.scenes {
        while last.state.undoSteps(of: member.id, on: scene.id) > 0 {
          let decision = last.say(.history(.undo(scene.id)), member.id)
          guard decision.isDone else {
            // Reached elsewhere: only where a lock is left at the end, which no seed of today leaves.
            #expect(decision.code == .locked, "every step that is told can be taken")
            break
          }
        }
      }
    }
    check(last.state)
    #expect(last.anomalies.isEmpty)
  }

  @Test(
    "FOLD-12, HIST-10: histories, graves and stores come back from a snapshot, and go on from there",
    arguments: 11...13)
  func snapshots(seed: UInt64) throws {
    let trial = try run(seed, 400) { _, _ in }
    var state = RoomState()
    let hash = StateEncoder.hash(of: trial.state)
    for (cut, event) in trial.log.enumerated() {
      if cut % 37 == 0 {
        var encoder = StateEncoder()
        var restored = try StateDecoder.state(of: encoder.snapshot(of: state))
        #expect(restored == state)
        for event in trial.log[cut...] { restored.apply(event) }
        #expect(restored == trial.state)
        #expect(StateEncoder.hash(of: restored) == hash)
      }
      state.apply(event)
    }
  }

  @Test(
    "FOLD-12: every event of the whole board comes back from its record, and folds the same",
    arguments: 21...22)
  func records(seed: UInt64) throws {
    let trial = try run(seed, 600) { _, _ in }
    var state = RoomState()
    for event in trial.log {
      let body = EventCodec.encodeBody(event.event, counter: event.counter)
      let (_, payload) = try EventCodec.split(body[...])
      var again = event
      again.event = try EventCodec.event(kind: event.event.kind, payload: payload)
      state.apply(again)
    }
    #expect(state == trial.state)
  }
}
