import BoardroomCodec
import BoardroomModel
import EventLogModel

// The family `history`: random valid values.

extension Chance {
  mutating func historyEvent(_ kind: EventKind) -> Event? {
    switch kind {
    case .historySet: .history(.kept(HistoryDepth(scenes: upTo(20), depth: upTo(100))))
    case .undone: .history(.undone(compensation()))
    case .redone: .history(.redone(compensation()))
    default: nil
    }
  }

  mutating func historyCommand(_ kind: EventKind) -> Command? {
    switch kind {
    case .historySet: .history(.keep(scenes: upTo(20)))
    case .undone: .history(.undo(coin() ? scene() : nil))
    case .redone: .history(.redo(coin() ? scene() : nil))
    default: nil
    }
  }

  mutating func compensation() -> Compensation {
    Compensation(
      scene: scene(), erased: (0..<upTo(2)).map { _ in elementID() },
      restored: (0..<upTo(2)).map { _ in elementID() },
      puts: (0..<upTo(2)).map { _ in Compensation.ShapePut(id: elementID(), shape: shape()) },
      changes: changes())
  }

  mutating func history() -> History {
    History(
      kept: HistoryDepth(scenes: 1 + upTo(9), depth: 1 + upTo(99)),
      tracks: (0..<upTo(3)).map { _ in SceneTrack(scene: scene(), undo: historySteps(), redo: historySteps())
      })
  }

  private mutating func historySteps() -> [HistoryStep] {
    (0..<upTo(3)).map { _ in
      HistoryStep(
        revision: Revision(number(upTo: 1 << 50)), operations: (0..<1 + upTo(3)).map { _ in stepOperation() })
    }
  }

  private mutating func stepOperation() -> StepOperation {
    switch upTo(3) {
    case 0: .put(elementID())
    case 1: .erase(elementID())
    case 2:
      .set(
        elementID(), key: pick(["x", "style.colour"]), before: coin() ? JSONText(unchecked: "1") : nil,
        after: coin() ? JSONText(unchecked: "[2]") : nil)
    default: .replace(elementID(), before: shapeContent(), after: shapeContent())
    }
  }

  private mutating func shapeContent() -> ShapeContent {
    let put = shape()
    return ShapeContent(
      type: put.type, raw: put.raw,
      attributes: attributes().fields.reduce(into: [:]) { $0[$1.key] = $1.value }, isCopy: coin())
  }
}
