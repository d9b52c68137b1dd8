import BoardroomCodec
import BoardroomHosting
import EventLogModel

/// Carries what spaces ask each other between the nodes of a world, by the same rules as `NodeCourier` does between servers: where the owner
/// is dead, or none, or not the one that was asked, the question is lost, and `SpaceExchange` asks again. What a node has on the way when
/// it dies is lost with it.
final class WorldCourier: SpaceCourier {
  private let number: Int
  private unowned let nodes: WorldNodes

  init(_ number: Int, of nodes: WorldNodes) { (self.number, self.nodes) = (number, nodes) }

  func carry(_ message: SpaceMessage, _ deliver: @escaping @Sendable (SpaceMessage) -> Void) {
    let node = nodes.node(number)
    let isOwn = message.number.loop.engine == node.engine.questionOrigin
    switch message {
    case .question(let asked):
      // One of another node came here because its space is here.
      guard isOwn, let owners = node.engine.owners, owners.kept(asked.space.log) != .here else {
        return deliver(message)
      }
      Task(executorPreference: node.process) { await self.ask(asked, owners, deliver) }
    case .answer(let answer):
      if isOwn { return deliver(message) }
      guard let asker = nodes.node(asking: answer.number.loop.engine) else { return }
      asker.process.execute(after: WorldNodes.way) {
        if node.process.isAlive { asker.engine.deliver(.answer(answer)) }
      }
    }
  }

  private func ask(
    _ asked: NumberedQuestion, _ owners: OwnerBook, _ deliver: @Sendable (SpaceMessage) -> Void
  ) async {
    switch await owners.settledOwner(of: asked.space.log) {
    case .here: deliver(.question(asked))
    case .nobodyYet: break
    case .at(let address):
      guard nodes.fault != .losesQuestions, let other = nodes.node(at: address) else { return }
      send(asked, to: other)
      if nodes.fault == .repeatsQuestions { send(asked.renumbered, to: other) }
    }
  }

  private func send(_ asked: NumberedQuestion, to other: WorldNodes.WorldNode) {
    let asker = nodes.node(number)
    let refused: @Sendable () -> Void = {
      asker.process.execute(after: WorldNodes.way) { asker.engine.owners?.forget(asked.space.log) }
    }
    nodes.loop.execute(after: WorldNodes.way) {
      guard asker.process.isAlive else { return }
      guard other.process.isAlive else { return refused() }
      Task(executorPreference: other.process) {
        guard await other.engine.owners?.settledOwner(of: asked.space.log) == .here else { return refused() }
        other.engine.deliver(.question(asked))
      }
    }
  }
}

extension NumberedQuestion {
  fileprivate var renumbered: NumberedQuestion {
    var copy = self
    copy.number.serial += 1 << 32
    return copy
  }
}
