import BoardroomModel
import EventLogModel

extension Room {
  /// REACT-1, REACT-2: a reaction is shown on a page or an element that is there, a locked element too.
  func react(_ reaction: Reaction) throws(Refusal) -> Outcome {
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
