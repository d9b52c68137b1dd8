import BoardroomCodec
import BoardroomModel
import EventLogModel
import Synchronization

/// The way from one space to another, whichever loop holds it, and whichever node with a courier that goes there. Shared by
/// all loops of an engine, and the only place where something goes from the loop of one space to that of another.
final class SpaceRouter: Sendable {
  private let exchanges = Mutex<[Confined<SpaceExchange>]>([])
  /// Nil: each message is one turn of the receiver's loop later, in order.
  private let courier: (any SpaceCourier)?

  /// The engine, as others name it (`AskingLoop.engine`).
  let engine: UInt64

  init(courier: (any SpaceCourier)? = nil, engine: UInt64 = 0) {
    self.courier = courier
    self.engine = engine
  }

  /// By their places. None: the engine is gone, and nothing is delivered any more.
  func know(_ all: [Confined<SpaceExchange>]) { exchanges.withLock { $0 = all } }

  static func place(of room: RoomID, among count: Int) -> Int {
    Int(truncatingIfNeeded: (room.high ^ room.low) % UInt64(count))
  }

  func send(_ message: SpaceMessage) {
    guard let courier else { return deliver(message) }
    courier.carry(message) { [self] in deliver($0) }
  }

  /// Brings a message to the loop of this engine that it is for.
  func deliver(_ message: SpaceMessage) {
    guard let exchange = exchange(for: message) else { return }
    exchange.loop.execute {
      switch message {
      case .question(let question): exchange.value.receive(question)
      case .answer(let answer): exchange.value.hear(answer)
      }
    }
  }

  /// Nil for an answer to another engine, or to this node's before it was started again.
  private static func asker(
    _ loop: AskingLoop, _ engine: UInt64, among all: [Confined<SpaceExchange>]
  ) -> Confined<SpaceExchange>? {
    loop.engine == engine && all.indices.contains(loop.place) ? all[loop.place] : nil
  }

  private func exchange(for message: SpaceMessage) -> Confined<SpaceExchange>? {
    exchanges.withLock { all in
      guard !all.isEmpty else { return nil }
      return switch message {
      case .question(let question): all[Self.place(of: question.space.log, among: all.count)]
      case .answer(let answer): Self.asker(answer.number.loop, engine, among: all)
      }
    }
  }
}
