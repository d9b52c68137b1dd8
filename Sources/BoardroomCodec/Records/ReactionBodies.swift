import BoardroomModel
import EventLogModel

// The JSON payload of a reaction, both ways: {"emoji","scene","x","y"} or {"emoji","element"}.

extension JSONFields {
  /// Whether the text is an emoji is decided by the room: what is one changes with Unicode, and a log stays.
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
