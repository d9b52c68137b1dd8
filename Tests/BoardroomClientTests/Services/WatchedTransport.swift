import BoardroomClient
import BoardroomCodec
import BoardroomModel
import TestKit

/// A network that notes which channels a client comes to, and which it asks to leave. It can make the server one of before that question.
final class WatchedTransport: Transport {
  private let network: SimulatedNetwork
  private let isOld: Bool
  private let asked = Box<[String]>([])
  private let greeted = Box<[String]>([])

  init(_ network: SimulatedNetwork, isOld: Bool = false) { (self.network, self.isOld) = (network, isOld) }

  /// The channels of all `leaveChannel` so far.
  var leaves: [String] { asked.value }
  /// The channels of all hellos so far.
  var hellos: [String] { greeted.value }

  func open(
    _ endpoint: Endpoint, _ subprotocol: Subprotocol, events: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    let (codec, isOld) = (WireCodec(subprotocol), isOld)
    let line = network.open(endpoint, subprotocol) { event in
      guard isOld, case .received(let bytes) = event,
        case .welcome(var welcome)? = try? codec.decodeServer(bytes)
      else { return events(event) }
      welcome.acceptsLeaveChannel = false
      events(.received(codec.encode(server: .welcome(welcome))))
    }
    return WatchedConnection(line: line) { [asked, greeted] bytes in
      switch try? codec.decodeClient(bytes) {
      case .hello(let hello)?: if let channel = hello.place?.channel { greeted.change { $0.append(channel) } }
      case .ask(let ask)?:
        if case .leaveChannel(let channel) = ask.question { asked.change { $0.append(channel) } }
      default: break
      }
    }
  }
}

private struct WatchedConnection: TransportConnection {
  let line: any TransportConnection
  let note: @Sendable ([UInt8]) -> Void

  func send(_ message: [UInt8]) {
    note(message)
    line.send(message)
  }
  func close() { line.close() }
  func abandon() { line.abandon() }
}
