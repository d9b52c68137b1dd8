/// Which of several addresses of a server the next attempt is for (ADDR-2, ADDR-3). Pure: it knows the addresses by their places
/// in its owner's list, 0, 1, 2…, and is given chance.
public struct ServerTurn: Sendable, Hashable {
  /// All places of the list, each once.
  private let order: [Int]
  private var position = 0

  /// Of a client that has one address.
  public static let single = ServerTurn(order: [0])

  private init(order: [Int]) { self.order = order }

  /// An order for `count` addresses, all orders equally likely: of the clients that lose one server together, each next one
  /// gets as many as any other. `chance` gives random numbers from 0 up to 1, and is asked once for each address but one.
  public init(among count: Int, chance: () -> Double) {
    var order = Array(0..<max(count, 1))
    for last in order.indices.dropFirst().reversed() {
      let luck = min(max(chance(), 0), 1)
      order.swapAt(last, min(Int(luck * Double(last + 1)), last))
    }
    self.init(order: order)
  }

  /// How many addresses there are; one at least.
  public var count: Int { order.count }

  /// The place of the address that is in use, or tried next.
  public var current: Int { order[position] }

  /// What is in use does not work: the next one's turn, and after the last the first one's.
  public mutating func advance() { position = (position + 1) % order.count }

  /// That place's turn, and from there on in the order. A place that is not in the list changes nothing.
  public mutating func go(to place: Int) { position = order.firstIndex(of: place) ?? position }
}
