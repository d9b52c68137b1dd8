import BoardroomClient
import BoardroomCodec
import BoardroomModel
import Synchronization

/// A transport of one party: counts the connections it is asked for, and can say something over those that are open.
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

  /// How many were asked for since the last time this was asked.
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
      case .closed, .refused: state.lines[number] = nil
      case .heard, .received: break
      }
    }
  }

  /// Something that nobody else hears of and that is answered, over every connection, whatever face it serves: a
  /// question with a number of its own, whose answer the client passes over. A channel's answer is that it takes no
  /// questions, which is a byte from the server like any other. To be called on the context of the party's client.
  func speak() {
    let open = state.withLock { state in
      state.lines.sorted { $0.key < $1.key }.map(\.value).filter(\.isOpen)
    }
    let ask = Ask(number: 1 << 40, question: .userStatus(account: Party.local.account))
    for line in open { line.connection.send(line.codec.encode(client: .ask(ask))) }
  }
}
