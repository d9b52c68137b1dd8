import BoardroomClient
import BoardroomModel
import TestKit

/// A network that notes when connections are opened, in the world's seconds.
final class CountingTransport: Transport {
  let network: SimulatedNetwork
  private let world: World
  private let opened = Box<[Double]>([])

  init(_ world: World, _ network: SimulatedNetwork) { (self.world, self.network) = (world, network) }

  var seconds: [Double] { opened.value }
  func clear() { opened.value = [] }

  func open(
    _ endpoint: Endpoint, _ subprotocol: Subprotocol, events: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    let second = world.seconds
    opened.change { $0.append(second) }
    return network.open(endpoint, subprotocol, events: events)
  }
}
