import BoardroomHosting
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

/// What one turn of a loop sends, counted in bytes: no test here looks at a clock.
@Suite struct TurnTests {
  private final class Count: Sendable {
    private let links: [SimulatedLink]
    private let state = Mutex((before: 0, most: 0, turns: [[Int]]()))

    init(_ links: [SimulatedLink], on loop: HandLoop) {
      self.links = links
      let start = links.reduce(0) { $0 + $1.allBytes }
      state.withLock { $0.before = start }
      loop.watch { [self] in note() }
    }

    private func note() {
      let sums = links.map(\.allBytes)
      let sum = sums.reduce(0, +)
      state.withLock { state in
        state.most = max(state.most, sum - state.before)
        if sum > state.before { state.turns.append(sums) }
        state.before = sum
      }
    }

    /// The most bytes of one turn.
    var most: Int { state.withLock { $0.most } }
    /// After which turns with bytes, counted from 1, this link had got some of them.
    func firstTurn(of link: Int) -> Int? {
      state.withLock { state in
        let start = state.turns.first.map { $0[link] } ?? 0
        return state.turns.firstIndex { $0[link] > start }.map { $0 + 1 }
      }
    }
    var turns: Int { state.withLock { $0.turns.count } }
  }

  private let allowance = 64 << 10

  private func server() -> SimulatedServer {
    SimulatedServer(policy: unlimited { $0.turn = allowance })
  }

  @Test(
    "DESC-7: fan-out to many members is cut into turns; all get it once, and the author its receipt after the event"
  )
  func fanOut() {
    let server = server()
    let room = server.createRoom()
    let peers = (0..<40).map { _ in server.join(room) }
    for peer in peers { peer.receive() }
    let count = Count(peers.map(\.link), on: server.loops[0])
    for number in 1...4 { peers[0].command(.note(number, bytes: 20_000)) }
    #expect(
      count.most <= allowance + 21_000, "one message more than the allowance at most, not \(count.most)")
    for peer in peers { peer.receive() }
    #expect(peers.allSatisfy { $0.faults.isEmpty && $0.events.count { $0.kindName == "magix" } == 4 })
    #expect(peers[0].receipts.map(\.counter) == [1, 2, 3, 4])
    for (place, notice) in peers[0].notices.enumerated() {
      guard case .receipts(let receipts) = notice else { continue }
      let told = peers[0].notices[..<place].count { if case .run = $0 { true } else { false } }
      #expect(told >= receipts.count, "a receipt before its event")
    }
    #expect(peers.allSatisfy { $0.mirror == peers[0].mirror })
  }

  @Test("DESC-7: rooms of one loop take turns: a small one is served while a large one is still being served")
  func rooms() {
    let server = server()
    let (large, small) = (
      server.createRoom(RoomID(high: 1, low: 1)), server.createRoom(RoomID(high: 1, low: 2))
    )
    let crowd = (0..<60).map { _ in server.join(large) }
    let pair = (0..<2).map { _ in server.join(small) }
    for peer in crowd + pair { peer.receive() }
    server.commits = false
    crowd[0].command(.note(1, bytes: 20_000))
    pair[0].command(.note(2, bytes: 10))
    let count = Count((crowd + pair).map(\.link), on: server.loops[0])
    server.commit()
    #expect(count.turns > 10)
    #expect((count.firstTurn(of: crowd.count + 1) ?? .max) <= 3)
    for peer in crowd + pair { peer.receive() }
    #expect((crowd + pair).allSatisfy { $0.faults.isEmpty })
    #expect(pair[1].events.contains { $0.kindName == "magix" })
  }

  @Test(
    "DESC-7: many who come at once and do not read get their catch-up in turns", arguments: [false, true])
  func catchUp(fromLog: Bool) {
    let server = SimulatedServer(
      policy: unlimited {
        $0.turn = allowance
        $0.tail = fromLog ? 4 << 10 : 512 << 10
      })
    let room = server.createRoom()
    let author = server.join(room)
    for number in 1...10 { author.command(.note(number, bytes: 20_000)) }
    author.receive()
    server.commits = false
    let comers = (0..<30).map { _ in server.connect() }
    for peer in comers { peer.say(.hello(Hello(room: room, token: "", uid: nil))) }
    let count = Count(comers.map(\.link), on: server.loops[0])
    server.commits = true
    server.commit()
    let piece = 260 << 10
    #expect(count.most <= allowance + piece, "\(count.most) bytes in one turn")
    for peer in comers { peer.receive() }
    for peer in comers + [author] { peer.receive() }
    #expect(comers.allSatisfy { $0.faults.isEmpty && $0.isLive && $0.mirror == author.mirror })
  }

  @Test("DESC-7: who falls behind, goes or comes while a delivery is under way gets everything once")
  func changes() {
    let server = server()
    let room = server.createRoom()
    let peers = (0..<30).map { number in server.join(room, outbox: number % 3 == 0 ? 30 << 10 : 256 << 10) }
    for peer in peers { peer.receive() }
    for number in 1...6 {
      peers[1].command(.note(number, bytes: 20_000))
      if number == 2 { peers[10].cut() }
      if number == 4 { _ = server.join(room) }
    }
    for _ in 0..<4 { for peer in peers { peer.receive() } }
    for (number, peer) in peers.enumerated() where number != 10 {
      #expect(peer.faults.isEmpty, "\(number)")
      #expect(peer.events.count { $0.kindName == "magix" } == 6, "\(number)")
    }
  }

  @Test("DESC-7: heartbeats to a large room are cut into turns too, and all get one")
  func heartbeats() {
    let server = server()
    let room = server.createRoom()
    let peers = (0..<50).map { _ in server.join(room) }
    for peer in peers { peer.receive() }
    let before = peers.map(\.heartbeats)
    server.advance(by: .seconds(3)) {
      for peer in peers { peer.say(.heartbeat(peer.mirror.revision)) }
    }
    for peer in peers { peer.receive() }
    #expect(zip(peers, before).allSatisfy { $0.heartbeats > $1 })
  }
}
