import BoardroomCodec
import BoardroomModel
import EventLogModel

// The family `custom`: random valid values, and bodies that it does not have.

extension Chance {
  mutating func customEvent(_ kind: EventKind) -> Event? {
    switch kind {
    case .magix: .magix(MagixEvent(name: word(), payload: jsonText()))
    case .reaction: .reaction(reaction())
    default: nil
    }
  }

  mutating func customCommand(_ kind: EventKind) -> Command? {
    switch kind {
    case .magix: .magix(MagixEvent(name: word(), payload: jsonText()))
    case .reaction: .react(reaction())
    default: nil
    }
  }

  mutating func reaction() -> Reaction {
    let emoji = pick(["👍", "❤️", "👩🏽‍❤️‍💋‍👨🏿", "not one", ""])
    let edge = FieldRanges.coordinate
    return Reaction(
      emoji,
      at: coin() ? .element(elementID()) : .page(scene(), x: pick([0, -5, edge, -edge]), y: Int64(upTo(999))))
  }
}

extension BadInput {
  static let custom: [BadInput] = [
    .body("a magix without a name", "magix", "{\"payload\":1}", bad("magix.event", "is missing")),
    .body(
      "a magix with an empty name", "magix", "{\"event\":\"\"}", badName("magix.event", "must not be empty"),
      .badName),
  ]
}
