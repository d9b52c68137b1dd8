import BoardroomModel
import EventLogModel

// A node that ends gives its spaces to the others, and one that hears of another's end parts from it.

extension RoomServerEngine {
  /// Spaces that are given up together. 64: one transaction for all of them, and their members do not come back all at
  /// once with those of others.
  static let givenUpTogether = 64

  /// Gives up the spaces that are open here, some at a time, and sends their members off to the nodes that own them next. A
  /// space stands still from the moment at which its log takes no more until its members are in again, and goes on until
  /// then; nobody's stay ends. From here on nobody new is taken in.
  ///
  /// Ends early if a space cannot be given up now, or when the task is cancelled: `drain` parts from who is left. Does
  /// nothing if the server is alone.
  public func handOver() async {
    guard let owners else { return }
    census.drain()
    var spaces: [RoomID] = []
    for loopRooms in allLoopRooms {
      spaces += await Self.visit(loopRooms) { loopRooms, done in
        loopRooms.partFromOtherNodes()
        done(loopRooms.beginGivingUp())
      }
    }
    guard !spaces.isEmpty, await owners.release([]) else { return }
    while !spaces.isEmpty, !Task.isCancelled {
      let portion = Set(spaces.prefix(Self.givenUpTogether))
      spaces.removeFirst(portion.count)
      for loopRooms in allLoopRooms {
        await Self.visit(loopRooms) { loopRooms, done in done(loopRooms.hold(portion)) }
      }
      guard await owners.release(portion.sorted()) else { return }
      for loopRooms in allLoopRooms {
        await Self.visit(loopRooms) { loopRooms, done in done(loopRooms.sendOn(portion)) }
      }
    }
  }

  /// Another node is gone: whoever is joined to it comes back and finds the next owner.
  package func part(from node: NodeAddress) async {
    guard let owners else { return }
    owners.forget(node)
    for loopRooms in allLoopRooms {
      await Self.visit(loopRooms) { loopRooms, done in done(loopRooms.part(from: node)) }
    }
  }
}

extension LoopRooms {
  /// Sends off those whose rooms are elsewhere. Their rooms go on; only the way there ends here.
  func partFromOtherNodes() {
    for handle in piped.values { handle.lostOwner() }
  }

  func part(from node: NodeAddress) {
    for handle in piped.values where handle.isPiped(to: node) { handle.lostOwner() }
  }

  /// The spaces that are open, in order. The next owner has less to fold of those in which nothing happens.
  func beginGivingUp() -> [RoomID] {
    let hosts = hosts.sorted { $0.id < $1.id }
    for host in hosts { host.keepSnapshot() }
    return hosts.map(\.id)
  }

  func hold(_ spaces: Set<RoomID>) {
    for host in hosts where spaces.contains(host.id) { host.isGivenUp = true }
  }

  /// They are nobody's: whoever comes back finds them free.
  func sendOn(_ spaces: Set<RoomID>) {
    for host in hosts.sorted(by: { $0.id < $1.id }) where spaces.contains(host.id) {
      host.close(with: .movingRoom)
    }
  }
}

extension Farewell {
  /// The node that has the room, or had it, is gone or going: the client comes back, and finds it where it is then.
  static let movingRoom = Farewell(Refusal(.goingAway), kick: .GatewayAdjust, comeBack: true)

  /// Another node has the room, and the client can go there itself (ADDR-9).
  static func sendingOn(to node: NodeAddress) -> Farewell {
    var farewell = movingRoom
    farewell.address = ServerAddress(host: node.host, port: node.port, isSecure: node.isSecure)
    return farewell
  }
}
