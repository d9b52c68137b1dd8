import BoardroomModel
import EventLogModel

// A node that ends gives its spaces to the others, and one that hears of another's end parts from it.

extension RoomServerEngine {
  /// Spaces that are given up together. 64: one transaction for all of them, and their members do not come back all at
  /// once with those of others.
  static let givenUpTogether = 64
  /// How long the snapshots of these are waited for, while their members go on. 1 s: some hundred commits. Of a space without one the next
  /// owner folds more of the log.
  static let snapshotsWithin = Duration.seconds(1)
  /// The same of all portions together; later ones go without. 3 s: the usual time to drain is 20 s, of which half is for this, and most of
  /// that has to be left for giving up.
  static let snapshotsInAll = Duration.seconds(3)

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
        done(loopRooms.hosts.map(\.id).sorted())
      }
    }
    let began = clock()
    while !spaces.isEmpty, !Task.isCancelled {
      let portion = Set(spaces.prefix(Self.givenUpTogether))
      spaces.removeFirst(portion.count)
      if clock() - began < Self.snapshotsInAll { await keepSnapshots(of: portion) }
      // What takes long is done while they go on.
      guard await owners.release([]) else { return }
      for loopRooms in allLoopRooms {
        await Self.visit(loopRooms) { loopRooms, done in done(loopRooms.hold(portion)) }
      }
      guard await owners.release(portion.sorted()) else { return }
      for loopRooms in allLoopRooms {
        await Self.visit(loopRooms) { loopRooms, done in done(loopRooms.sendOn(portion)) }
      }
    }
  }

  private func keepSnapshots(of spaces: Set<RoomID>) async {
    await withTaskGroup(of: Void.self) { tasks in
      for loopRooms in allLoopRooms {
        tasks.addTask {
          await Self.visit(loopRooms) { loopRooms, done in loopRooms.keepSnapshots(of: spaces) { done(()) } }
        }
      }
    }
  }

  /// Another node is gone: whoever is joined to it comes back and finds the next owner, and accounts ask for what it may have been about to
  /// tell them.
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
    for handle in pipedInOrder { handle.lostOwner() }
  }

  func part(from node: NodeAddress) {
    for handle in pipedInOrder where handle.isPiped(to: node) { handle.lostOwner() }
    for host in hosts.sorted(by: { $0.id < $1.id }) { host.behaviour?.nodeIsGone() }
  }

  /// As they came, so that a simulation is the same every time.
  private var pipedInOrder: [ConnectionHandle] { piped.values.sorted { $0.id < $1.id } }

  /// Has snapshots kept, so that the next owner has little to fold; `done` is called when they are, or when it is no use to wait longer.
  func keepSnapshots(of spaces: Set<RoomID>, _ done: @escaping () -> Void) {
    let due = hosts.filter { spaces.contains($0.id) }.sorted { $0.id < $1.id }
    let waiting = SnapshotsToCome(due.count, done)
    for host in due { host.keepSnapshotForNextOwner { waiting.arrived() } }
    let late = Confined(waiting, to: loop)
    loop.execute(after: RoomServerEngine.snapshotsWithin) { late.value.isOver() }
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

/// Calls back once: when all have arrived, or the wait is over.
private final class SnapshotsToCome {
  private var left: Int
  private var done: (() -> Void)?

  init(_ count: Int, _ done: @escaping () -> Void) {
    (left, self.done) = (count, done)
    if count == 0 { isOver() }
  }

  func arrived() {
    left -= 1
    if left == 0 { isOver() }
  }

  func isOver() {
    done?()
    done = nil
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
