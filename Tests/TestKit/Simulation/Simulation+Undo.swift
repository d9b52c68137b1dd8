import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel
import StorageTestKit

/// EL-7, where nobody interferes: undoing all steps gives the elements of before, and redoing them those of after.
/// Whether an undo takes back what others did is for `TouchWatch` to see, everywhere.
extension Simulation {
  /// What was wrong; asked in quiet plans, at the end, of the first person.
  func takeBackAll() -> [String] {
    let person = people[0]
    guard plan.isQuiet, plan.policy.room.rate == nil, person.isLive, let stay = person.stay else { return [] }
    var luck = SeededGenerator(seed: plan.seed)
    say(person, [.members(.setWritable(true)), .history(.keep(scenes: 0)), .history(.keep(scenes: 20))])
    person.skipNumbers()
    let before = person.mirror.board
    for _ in 0..<luck.number(1...12) {
      // One at a time: a shape that is put where something was erased buries that for good.
      var drafts = drafts(of: person, stay, &luck)
      say(person, [drafts.undoable()])
      if luck.isLucky(1, in: 8) { interrupt(person) }
      // A session that is not resumed is over, and its history with it.
      guard person.stay === stay else { return [] }
    }
    let after = person.mirror.board
    for scene in person.mirror.scenes { say(person, Array(repeating: .history(.undo(scene.id)), count: 40)) }
    let undone = person.mirror.board
    for scene in person.mirror.scenes { say(person, Array(repeating: .history(.redo(scene.id)), count: 40)) }
    let redone = person.mirror.board
    var faults: [String] = []
    if undone != before { faults.append("undo all: \(Self.difference(undone, before))") }
    if redone != after { faults.append("redo all: \(Self.difference(redone, after))") }
    return faults
  }

  private func say(_ person: Person, _ commands: [Command]) {
    note("  \(commands)")
    person.say(commands, at: now)
    // Large rooms gather their commits until time goes by.
    wait(.milliseconds(100))
  }

  private func interrupt(_ person: Person) {
    person.lose()
    come(person, .properly)
    wait(.milliseconds(100))
  }

  private static func difference(_ one: [ElementID: Element], _ other: [ElementID: Element]) -> String {
    Set(one.keys).union(other.keys).sorted().filter { one[$0] != other[$0] }.map { id in
      "\(id) is \(String(describing: one[id])) instead of \(String(describing: other[id]))"
    }.joined(separator: "; ")
  }
}

extension RoomState {
  /// What is on the board. Whether a pen is still down is no step of anybody's.
  fileprivate var board: [ElementID: Element] {
    var board: [ElementID: Element] = [:]
    for place in elements.places.indices {
      guard var element = elements.shown(at: place) else { continue }
      if case .stroke(var stroke) = element.content {
        stroke.ended = true
        element.content = .stroke(stroke)
      }
      board[element.id] = element
    }
    return board
  }
}

extension Drafts {
  /// A command that is a step: new elements under new numbers, on scenes that are there.
  mutating func undoable() -> Command {
    let (scene, fresh) = (anyScene(), ElementID(member: member, number: newNumber()))
    switch luck.number(0...6) {
    case 0: return .drawing(.stroke(wholeStroke(fresh.number, on: scene)))
    case 1: return .elements(.put(element(fresh, on: scene)))
    case 2:
      guard let old = shown.randomElement(using: &luck) else {
        return .elements(.put(element(fresh, on: scene)))
      }
      return .elements(.put(element(old.id, on: old.scene)))
    case 3: return .elements(.erase([anyElement(), anyElement()]))
    case 4: return .scenes(.clean(SceneClean(scene: scene, retainPPT: true)))
    case 5:
      let copy = ElementCopy(from: anyElement(), id: fresh, scene: scene, set: attributes())
      return .elements(.copy([copy]))
    default:
      return .elements(
        .change(
          ElementsChanged((0..<2).map { _ in ElementChange(id: anyElement(), set: attributes()) })))
    }
  }
}
