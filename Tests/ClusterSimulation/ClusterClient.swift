/// A client's connection to one node.
final class Visit {
  let client: ClusterClient
  let node: ClusterNode
  private let network: Network
  private var sent = 0
  private var heard = 0
  /// The node has let it in.
  var isIn = false

  init(_ client: ClusterClient, _ node: ClusterNode, _ network: Network) {
    (self.client, self.node, self.network) = (client, node, network)
  }

  var log: Int { client.log }

  func hello(seen: Int) {
    network.carry(from: client.process, to: node.process, after: &sent) { [self] in
      node.hello(self, seen: seen)
    }
  }

  func say(_ counter: Int) {
    network.carry(from: client.process, to: node.process, after: &sent) { [self] in
      node.command(self, counter)
    }
  }

  // MARK: What the node says

  private func tell(_ action: @escaping (ClusterClient) -> Void) {
    guard !node.isDead else { return }
    network.carry(from: node.process, to: client.process, after: &heard) { [self] in
      if client.visit === self { action(client) }
    }
  }

  func welcome() { tell { $0.entered() } }
  func told(after: Int, _ events: [ClientEvent]) { tell { $0.told(after: after, events) } }
  func refuse() { tell { $0.refused() } }
  func farewell() { tell { $0.lost() } }
}

/// Somebody who draws in one room: says numbered commands, says again what had no answer, and comes back by whatever node.
final class ClusterClient: CustomStringConvertible {
  let number: Int
  let log: Int
  let life: ClusterLife
  let process: SimulatedProcess
  var visit: Visit?
  /// What it has seen of the log.
  private(set) var mirror: [ClientEvent] = []
  /// Its commands without a receipt.
  private(set) var unanswered: [Int] = []
  private var next = 1
  private var heardAt = 0
  private var isReturning = false
  /// It says again later what was refused.
  private var isWaiting = false

  /// After so long without a word, with commands under way, it goes elsewhere; microseconds.
  private static let suspect = 4_000_000
  private static let mostUnanswered = 5

  init(_ life: ClusterLife, number: Int, log: Int) {
    (self.life, self.number, self.log) = (life, number, log)
    process = SimulatedProcess(life.clock)
  }

  var description: String { "client \(number)" }

  func live() {
    process.after(life.dice.number(150...900) * 1_000) { [self] in
      if life.isProducing, unanswered.count < Self.mostUnanswered {
        unanswered.append(next)
        next += 1
        if let visit, visit.isIn { visit.say(next - 1) }
      }
      if visit == nil { comeBack() }
      if visit != nil, !unanswered.isEmpty || visit?.isIn == false, life.clock.now - heardAt > Self.suspect {
        lost()
      }
      live()
    }
  }

  /// Connects to some node: mostly to the one that owns the log, because any other would join it to that one.
  func comeBack(to chosen: ClusterNode? = nil) {
    guard let node = chosen ?? life.node(for: log) else { return }
    let visit = Visit(self, node, life.network)
    (self.visit, heardAt) = (visit, life.clock.now)
    visit.hello(seen: mirror.count)
  }

  func lost() {
    visit = nil
    guard !isReturning else { return }
    isReturning = true
    process.after(life.dice.number(10...600) * 1_000) { [self] in
      isReturning = false
      if visit == nil { comeBack() }
    }
  }

  func entered() {
    visit?.isIn = true
    heardAt = life.clock.now
    sayAgain()
  }

  private func sayAgain() { for counter in unanswered { visit?.say(counter) } }

  func refused() {
    heardAt = life.clock.now
    guard !isWaiting else { return }
    isWaiting = true
    process.after(300_000) { [self] in
      isWaiting = false
      if visit?.isIn == true { sayAgain() }
    }
  }

  func told(after: Int, _ events: [ClientEvent]) {
    heardAt = life.clock.now
    for (place, event) in events.enumerated() {
      let index = after + place
      if index < mirror.count {
        if mirror[index] != event {
          life.fault(
            "seen: \(self) saw \(mirror[index]) at revision \(index + 1) of log \(log), and now \(event)")
        }
        continue
      }
      guard index == mirror.count else {
        return life.fault("order: \(self) was not told revision \(mirror.count + 1) of log \(log)")
      }
      mirror.append(event)
      guard event.client == number else { continue }
      if unanswered.first != event.counter {
        life.fault(
          "order: \(self) has its command \(event.counter) answered before \(unanswered.first ?? next)")
      }
      unanswered.removeAll { $0 == event.counter }
    }
    life.shown(mirror.count, of: log)
  }
}
