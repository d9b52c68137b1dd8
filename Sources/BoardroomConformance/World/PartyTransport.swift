import BoardroomClient
import BoardroomCodec
import BoardroomModel
import Synchronization

/// The transport of one party. It counts the requested connections, and can send something over the open
/// ones.
final class PartyTransport: Transport {
  private struct PartyConnection {
    var connection: any TransportConnection
    var codec: WireCodec
    var isOpen = false
  }

  private struct State {
    var asked = 0
    var seen = 0
    var lines: [Int: PartyConnection] = [:]
  }
  private let inner: any Transport
  private let state = Mutex(State())

  init(_ inner: any Transport) { self.inner = inner }

  /// How many connections were requested since this was last called.
  func newAttempts() -> Int {
    state.withLock { state in
      defer { state.seen = state.asked }
      return state.asked - state.seen
    }
  }

  func open(
    _ endpoint: Endpoint, _ subprotocol: Subprotocol, events: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    let number = state.withLock { state in
      state.asked += 1
      return state.asked
    }
    let connection = inner.open(endpoint, subprotocol) { [weak self] event in
      self?.note(event, of: number)
      events(event)
    }
    state.withLock {
      $0.lines[number] = PartyConnection(connection: connection, codec: WireCodec(subprotocol))
    }
    return connection
  }

  private func note(_ event: TransportEvent, of number: Int) {
    state.withLock { state in
      switch event {
      case .opened: state.lines[number]?.isOpen = true
      case .closed, .failed, .refused: state.lines[number] = nil
      case .reached, .heard, .received: break
      }
    }
  }

  /// Sends something over every connection that is answered, and of which the others are not told: a question
  /// with a number of its own, whose answer the client ignores. A channel answers that it takes no questions,
  /// which also are bytes from the server. Call it on the context of the party's client.
  func speak() {
    let open = state.withLock { state in
      state.lines.sorted { $0.key < $1.key }.map(\.value).filter(\.isOpen)
    }
    let ask = Ask(number: 1 << 40, question: .userStatus(account: Party.local.account))
    for line in open { line.connection.send(line.codec.encode(client: .ask(ask))) }
  }
}
