import BoardroomCodec
import BoardroomModel
import EventLogModel
import Synchronization

/// The way from one space to another, whichever loop holds it. Shared by all loops of an engine, and the only place
/// where something goes from the loop of one space to that of another.
final class SpaceRouter: Sendable {
  private let exchanges = Mutex<[Confined<SpaceExchange>]>([])
  /// Nil: each message is one turn of the receiver's loop later, in order.
  private let courier: (any SpaceCourier)?

  init(courier: (any SpaceCourier)? = nil) { self.courier = courier }

  /// By their places. None: the engine is gone, and nothing is delivered any more.
  func know(_ all: [Confined<SpaceExchange>]) { exchanges.withLock { $0 = all } }

  static func place(of room: RoomID, among count: Int) -> Int {
    Int(truncatingIfNeeded: (room.high ^ room.low) % UInt64(count))
  }

  func send(_ message: SpaceMessage) {
    guard let courier else { return deliver(message) }
    courier.carry(message) { [self] in deliver($0) }
  }

  private func deliver(_ message: SpaceMessage) {
    guard let exchange = exchange(for: message) else { return }
    exchange.loop.execute {
      switch message {
      case .question(let question): exchange.value.receive(question)
      case .answer(let answer): exchange.value.hear(answer)
      }
    }
  }

  private func exchange(for message: SpaceMessage) -> Confined<SpaceExchange>? {
    exchanges.withLock { all in
      guard !all.isEmpty else { return nil }
      return switch message {
      case .question(let question): all[Self.place(of: question.space.log, among: all.count)]
      case .answer(let answer): all[answer.number.loop]
      }
    }
  }
}
