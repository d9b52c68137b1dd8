import BoardroomLegacy
import BoardroomModel
import Logging
import Synchronization
import TestKit
import Testing

@testable import BoardroomClient

/// What streams begin with, and what they say of values that a slow reader lost.
@Suite struct StreamTests {
  private func read<Element>(_ stream: BufferedStream<Element>, _ count: Int) async -> [Element] {
    var read: [Element] = []
    for await element in stream {
      read.append(element)
      if read.count == count { break }
    }
    return read
  }

  private func parts(_ stream: BufferedStream<Int>) async -> [String] {
    var read: [String] = []
    for await part in stream.markingDrops {
      switch part {
      case .element(let element): read.append("\(element)")
      case .dropped(let count): read.append("dropped \(count)")
      }
    }
    return read
  }

  @Test("A stream that was not read keeps its newest values, and says in their place how many are missing")
  func dropped() async {
    let cast = Broadcast<Int>(limit: 3)
    let (marked, plain) = (cast.stream, cast.stream)
    for number in 1...5 { cast.send(number) }
    #expect(plain.droppedCount == 2)
    #expect(plain.limit == 3)
    cast.finish()
    #expect(await parts(marked) == ["dropped 2", "3", "4", "5"])
    #expect(await read(plain, 9) == [3, 4, 5])
  }

  @Test("Drops are told again after the reader has caught up")
  func droppedAgain() async {
    let cast = Broadcast<Int>(limit: 2)
    let stream = cast.stream
    var heard: [String] = []
    var iterator = stream.markingDrops.makeAsyncIterator()
    for round in 0..<2 {
      for number in 1...4 { cast.send(round * 10 + number) }
      for _ in 0..<3 {
        switch await iterator.next() {
        case .element(let element)?: heard.append("\(element)")
        case .dropped(let count)?: heard.append("dropped \(count)")
        case nil: heard.append("end")
        }
      }
    }
    #expect(heard == ["dropped 2", "3", "4", "dropped 2", "13", "14"])
    #expect(stream.droppedCount == 4)
  }

  @Test("The first loss of a reader stands in the log, with the bound")
  func logged() {
    let log = KeptLog()
    let cast = Broadcast<Int>(limit: 2, name: "some", logger: log.logger)
    let stream = cast.stream
    for number in 1...9 { cast.send(number) }
    #expect(log.lines.map(\.level) == [.warning])
    #expect(log.lines.first?.metadata == ["stream": "some", "limit": "2"])
    withExtendedLifetime(stream) {}
  }

  @Test("A stream of state begins with the present value, and each value comes once; over, it gives the last")
  func present() async {
    let cast = Broadcast<Int>(limit: 8, present: 1)
    let first = cast.stream
    cast.send(2)
    let second = cast.stream
    cast.send(3)
    cast.finish()
    #expect(await read(first, 9) == [1, 2, 3])
    #expect(await read(second, 9) == [2, 3])
    #expect(await read(cast.stream, 9) == [3])
  }

  @Test("Where values can be joined nothing is lost")
  func joined() async {
    let cast = Broadcast<[Int]>(limit: 2) { $0 + $1 }
    let stream = cast.stream
    for number in 1...5 { cast.send([number]) }
    cast.finish()
    #expect(await read(stream, 9) == [[1, 2, 3, 4], [5]])
    #expect(stream.droppedCount == 0)
  }

  @Test("A reader that is cancelled, and one whose sender is gone, come to the end")
  func ended() async throws {
    let cast = Broadcast<Int>(limit: 2)
    let stream = cast.stream
    let task = Task { await read(stream, 1) }
    task.cancel()
    #expect(await task.value == [])
    var other: Broadcast<Int>? = Broadcast<Int>(limit: 2)
    let orphan = try #require(other?.stream)
    other = nil
    #expect(await read(orphan, 1) == [])
  }

  @Test("A room's phases and states begin with the present ones, those of a room that is over with the last")
  func room() throws {
    let world = World(seed: 5)
    let client = world.client("anna")
    let room = try client.join { $0.onlyCallbackRemoteStateModify = false }
    world.perform { _ = try? await room.setGlobalState(["a": 1]) }
    let phases = world.perform { await read(room.phases, 1) }
    #expect(phases == [.connected])
    let states = world.perform { await read(room.states, 1) }
    #expect(states == [room.state])
    #expect(states.first?.globalState?["a"]?.text == "1")
    #expect(states.first?.roomMembers?.count == 1)
    let (all, changes) = (room.phases, room.states)
    world.perform { _ = try? await room.setGlobalState(["b": 2]) }
    #expect(world.perform { await read(changes, 2) }.last?.globalState?.keys.sorted() == ["a", "b"])
    world.perform { await room.disconnect() }
    #expect(world.perform { await read(all, 9) } == [.connected, .disconnecting, .disconnected])
    #expect(world.perform { await read(room.phases, 9) } == [.disconnected])
  }

  @Test("The states of RTC, RTM and Signaling begin with the present one")
  func faces() throws {
    let world = World(seed: 5)
    let (rtm, signaling, rtc) = (RtmUser(world, "anna"), SignalingUser(world, "ben"), RtcUser(world, 1))
    let before = (rtm.client.connectionStates, signaling.client.statuses, rtc.connection.connectionStates)
    rtm.login()
    signaling.login()
    rtc.join()
    world.run(for: 2)
    #expect(world.perform { await read(before.0, 3) } == [.disconnected, .connecting, .connected])
    #expect(world.perform { await read(before.1, 3) } == [0, 1, 2])
    #expect(world.perform { await read(before.2, 3) } == [.disconnected, .connecting, .connected])
    #expect(world.perform { await read(rtm.client.connectionStates, 1) } == [.connected])
    #expect(world.perform { await read(signaling.client.statuses, 1) } == [2])
    #expect(world.perform { await read(rtc.connection.connectionStates, 1) } == [.connected])
  }
}
