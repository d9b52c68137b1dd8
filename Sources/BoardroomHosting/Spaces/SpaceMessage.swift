import BoardroomModel

/// The loop from which a question comes.
package struct AskingLoop: Sendable, Hashable, Codable {
  /// The engine: a number that it has chosen by chance at its start; 0 for one that is alone.
  package var engine: UInt64
  /// The loop's place among its engine's loops.
  package var place: Int

  package init(engine: UInt64 = 0, place: Int) { (self.engine, self.place) = (engine, place) }
}

/// Which question it is: the loop of the asking space numbers those of its spaces, from 1.
package struct QuestionNumber: Sendable, Hashable, Codable {
  package var loop: AskingLoop
  package var serial: UInt64

  package init(loop: AskingLoop, serial: UInt64) { (self.loop, self.serial) = (loop, serial) }
}

/// What goes from one loop to another between spaces, also of different nodes.
package enum SpaceMessage: Sendable, Hashable, Codable {
  case question(NumberedQuestion)
  case answer(NumberedAnswer)

  package var number: QuestionNumber {
    switch self {
    case .question(let question): question.number
    case .answer(let answer): answer.number
    }
  }
}

package struct NumberedQuestion: Sendable, Hashable, Codable {
  package var number: QuestionNumber
  package var space: SpaceName
  package var question: SpaceQuestion
  /// Who has the space made if it is not there; nil: it is not made.
  package var payer: SpaceBudget.Payer?
  /// Of the questions of the asking loop, all up to this one have their answers, or wait for none any more.
  package var settled: UInt64

  package init(
    _ number: QuestionNumber, of space: SpaceName, _ question: SpaceQuestion, payer: SpaceBudget.Payer? = nil,
    settled: UInt64 = 0
  ) {
    (self.number, self.space, self.question) = (number, space, question)
    (self.payer, self.settled) = (payer, settled)
  }

  /// As the log of the asked space names it.
  var applied: QuestionApplied {
    QuestionApplied(
      engine: number.loop.engine, loop: number.loop.place, serial: number.serial, settled: settled)
  }
}

package struct NumberedAnswer: Sendable, Hashable, Codable {
  package var number: QuestionNumber
  package var answer: SpaceAnswer

  package init(_ number: QuestionNumber, _ answer: SpaceAnswer) {
    (self.number, self.answer) = (number, answer)
  }
}

/// Carries messages between spaces, in place of the loops alone: to other nodes, and in simulations, which lose, delay and
/// repeat them.
package protocol SpaceCourier: Sendable {
  /// Calls `deliver` with the message: once, never, later, or again. Called on the sender's loop; may be delivered from
  /// any thread.
  func carry(_ message: SpaceMessage, _ deliver: @escaping @Sendable (SpaceMessage) -> Void)
}
