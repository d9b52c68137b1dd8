import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import Synchronization

/// The way from one space to another, whichever loop holds it. Shared by all loops of an engine.
final class SpaceRouter: Sendable {
  private let allLoopRooms = Mutex<[LoopRoomsAddress]>([])

  func know(_ all: [LoopRoomsAddress]) { allLoopRooms.withLock { $0 = all } }

  /// Nil once the engine is gone.
  func loopRooms(of room: RoomID) -> LoopRoomsAddress? {
    allLoopRooms.withLock { $0.isEmpty ? nil : $0[Self.place(of: room, among: $0.count)] }
  }

  static func place(of room: RoomID, among count: Int) -> Int {
    Int(truncatingIfNeeded: (room.high ^ room.low) % UInt64(count))
  }

  /// Runs `work` with the rooms of a log's loop, in a later turn.
  func visit(_ log: RoomID, _ work: @escaping @Sendable (LoopRooms) -> Void) {
    guard let loopRooms = loopRooms(of: log) else { return }
    loopRooms.loop.execute { work(loopRooms.value) }
  }

  /// Asks the host of another space, or of the same, and hears the answer on `home` in a later turn. `question` must
  /// call its last argument once. A space that is not there is made only for a `payer`; else: `notFound`.
  func reach<Value: Sendable>(
    _ name: SpaceName, making payer: SpaceBudget.Payer?, from home: any RoomLoop,
    _ question: @escaping SpaceCall<Value>,
    then answer: @escaping (Result<Value, Refusal>) -> Void
  ) {
    let reply = Confined(answer, to: home)
    let back: @Sendable (Result<Value, Refusal>) -> Void = { result in
      home.execute { reply.value(result) }
    }
    let log = name.log
    guard let loopRooms = loopRooms(of: log) else { return back(.failure(Refusal(.goingAway))) }
    loopRooms.loop.execute {
      let space = payer.map { NewSpace(name: name, payer: $0) }
      loopRooms.value.withHost(log, making: space, makesNothing: space == nil) { found in
        switch found {
        case .failure(let refusal): back(.failure(refusal))
        case .success(let host):
          question(host) { back(.success($0)) }
          host.endTurn()
        }
      }
    }
  }

  typealias SpaceCall<Value> = @Sendable (RoomHost, @escaping @Sendable (Value) -> Void) -> Void
}

extension RoomHost {
  /// The same, from this host; nothing is heard once it is closed.
  func reach<Value: Sendable>(
    _ name: SpaceName, making payer: SpaceBudget.Payer? = nil,
    _ question: @escaping SpaceRouter.SpaceCall<Value>,
    then answer: @escaping (Result<Value, Refusal>) -> Void
  ) {
    neighbours.reach(name, making: payer, from: loop, question) { [self] result in
      guard !isClosed else { return }
      restsUntil = .zero
      answer(result)
      endTurn()
    }
  }

  /// What was decided in this turn goes on its way.
  func endTurn() {
    guard !isClosed else { return }
    settle(at: clock())
    dispatch()
  }

  /// Calls back on this loop once the log holds all that was decided so far; with a refusal if it never will.
  func afterward(_ call: @escaping @Sendable (Refusal?) -> Void) {
    awaited.add(
      .tell { result in
        switch result {
        case .success: call(nil)
        case .failure(let refusal): call(refusal)
        }
      }, at: room.state.revision)
  }

  /// The same, for this host's own next step; not at all if the log fails.
  func once(durable step: @escaping @Sendable (RoomHost) -> Void) {
    let me = Confined(self, to: loop)
    afterward { refusal in
      guard refusal == nil, !me.value.isClosed else { return }
      step(me.value)
    }
  }

  /// Records what the server does; false if the log did not take it.
  func recordByServer(_ events: [SpaceEvent], by actor: Actor = .server, at now: Timestamp) -> Bool {
    let proposals = events.map { Proposed(actor: actor, event: .space($0)) }
    switch recordUnlessFull(proposals, at: now) {
    case .at: return true
    case .full, .failed: return false
    }
  }
}
