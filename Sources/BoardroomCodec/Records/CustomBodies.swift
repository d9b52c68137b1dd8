import BoardroomModel
import EventLogModel

// The JSON payloads of the family `custom`, both ways; a command's is its event's.

extension JSONFields {
  func custom(_ kind: EventKind) throws(CodecError) -> Custom {
    switch kind {
    case .magix: .magix(try magix())
    case .reaction: .reaction(try reaction())
    default: throw .unknownKind(kind.rawValue)
    }
  }

  /// {"event","payload"}; kept as it came.
  func magix() throws(CodecError) -> MagixEvent {
    let name = try string("event")
    guard !name.isEmpty else { throw badName("event", "must not be empty") }
    return MagixEvent(name: name, payload: object["payload"]?.text ?? .null, raw: object.text)
  }

  /// {"emoji","scene","x","y"} or {"emoji","element"}. Whether the text is an emoji is decided by the room: what is one
  /// changes with Unicode, and a log stays.
  func reaction() throws(CodecError) -> Reaction {
    let emoji = try label("emoji")
    guard has("element") else {
      let range = -FieldRanges.coordinate...FieldRanges.coordinate
      return Reaction(
        emoji,
        at: .page(try scene("scene"), x: try signed("x", in: range), y: try signed("y", in: range)))
    }
    guard !has("scene"), !has("x"), !has("y") else {
      throw error("element", "or scene, x and y must be given, and not both")
    }
    return Reaction(emoji, at: .element(try element("element")))
  }
}

extension JSONWriter {
  mutating func custom(_ custom: Custom) {
    switch custom {
    case .magix(let magix): raw(magix.raw.bytes)
    case .reaction(let reaction): self.reaction(reaction)
    }
  }

  mutating func reaction(_ reaction: Reaction) {
    object { writer in
      writer.field("emoji", reaction.emoji)
      switch reaction.target {
      case .page(let scene, let x, let y):
        writer.field("scene", scene)
        writer.field("x", x)
        writer.field("y", y)
      case .element(let id): writer.field("element", id.description)
      }
    }
  }
}
