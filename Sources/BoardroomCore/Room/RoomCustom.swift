import BoardroomModel
import EventLogModel

/// What the family `custom` needs; it changes no state.
extension Room {
  func custom(_ what: Custom) throws(Refusal) -> Outcome {
    switch what {
    case .magix(let event): return try magix(event)
    case .reaction(let reaction): return try react(reaction)
    }
  }

  private func magix(_ event: MagixEvent) throws(Refusal) -> Outcome {
    try checkSize(event.raw.bytes.count, inForce.limits.magix, LimitName.magix)
    try checkSize(event.name.utf8.count, inForce.magixName, LimitName.magixName)
    try checkName(event.name, of: "event")
    return Outcome(event: .magix(event), isVerbatim: true)
  }

  /// REACT-1, REACT-2: a reaction is shown on a page or an element that is there, a locked element too.
  private func react(_ reaction: Reaction) throws(Refusal) -> Outcome {
    guard Reaction.isEmoji(reaction.emoji) else {
      throw Refusal(
        .badParameter, cause: "The text of a reaction is not one emoji.",
        cure: "Send one emoji of at most \(Reaction.longest) code points.",
        actual: reaction.emoji.unicodeScalars.count, allowed: Reaction.longest)
    }
    switch reaction.target {
    case .page(let scene, _, _): try checkScene(scene)
    case .element(let id): guard state.elements[id] != nil else { throw Refusal(.noSuchElement) }
    }
    return Outcome(event: .reaction(reaction), isVerbatim: true)
  }
}
