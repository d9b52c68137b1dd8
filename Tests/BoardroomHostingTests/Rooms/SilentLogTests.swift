import BoardroomHosting
import BoardroomModel
import EventLogModel
import TestKit
import Testing

@Suite("DB-18: who asks for the state of an open room while the log does not answer")
struct SilentLogTests {
  @Test("DB-18, promise 1: is shown after a second what the log holds, and not what waits", arguments: 0...2)
  func held(snapshots: Int) throws {
    let policy = unlimited { policy in
      policy.snapshotEvents = snapshots == 0 ? 1_000 : 10 * snapshots
      policy.keepsWhatOpeningReads = true
    }
    let server = SimulatedServer(policy: policy)
    let room = server.createRoom()
    let author = server.join(room)
    for number in 1...25 { author.command(.set("a", "\(number)")) }
    author.receive()
    let before = author.mirror
    server.commits = false
    author.command(.set("a", "100"))
    server.settle()
    let engine = server.engine
    let asked = server.begin { await engine.durableState(of: room) }
    server.advance(by: .milliseconds(750))
    #expect(asked.value == nil, "the log may still answer")
    server.advance(by: .milliseconds(500))
    #expect(try #require(asked.value) == before)
    let second = server.begin { await engine.durableState(of: room) }
    server.settle()
    #expect(try #require(second.value) == before, "nobody waits once somebody has waited in vain")
    server.commit()
    let after = server.begin { await engine.durableState(of: room) }
    server.settle()
    #expect(try #require(after.value)?.globalState["a"]?.text == "100")
    author.command(.set("a", "101"))
    let waiting = server.begin { await engine.durableState(of: room) }
    server.settle()
    #expect(waiting.value == nil, "since the log has answered, it is waited for again")
    server.commit()
    #expect(try #require(waiting.value)?.globalState["a"]?.text == "101")
  }

  @Test("DB-18: the same of a room that was opened from its log")
  func opened() throws {
    let first = SimulatedServer(policy: unlimited { $0.keepsWhatOpeningReads = true })
    let room = first.createRoom()
    let author = first.join(room)
    for number in 1...25 { author.command(.set("a", "\(number)")) }
    let server = first.restarted()
    let other = server.join(room)
    other.receive()
    server.commits = false
    other.command(.set("a", "100"))
    server.settle()
    let engine = server.engine
    let asked = server.begin { await engine.durableState(of: room) }
    server.advance(by: .milliseconds(1_250))
    let shown = try #require(asked.value)
    #expect(shown == other.mirror)
    #expect(shown?.globalState["a"]?.text == "25")
  }

  @Test("DB-18: what is no longer in memory is nil, and read from the log")
  func tooMuch() throws {
    let server = SimulatedServer(policy: unlimited { $0.tail = 1_000 })
    let room = server.createRoom()
    let author = server.join(room)
    for number in 1...3_000 { author.command(.set("a", "\(number)")) }
    server.commits = false
    author.command(.set("a", "100"))
    server.settle()
    let engine = server.engine
    let asked = server.begin { await engine.durableState(of: room) }
    server.advance(by: .milliseconds(1_250))
    #expect(try #require(asked.value) == nil)
  }

  @Test("DB-18: a room that closes meanwhile answers at once")
  func closes() throws {
    let server = SimulatedServer()
    let room = server.createRoom()
    let author = server.join(room)
    server.commits = false
    author.command(.set("a", "1"))
    server.settle()
    let engine = server.engine
    let asked = server.begin { await engine.durableState(of: room) }
    server.settle()
    #expect(asked.value == nil)
    let drained = server.begin { await engine.drain() }
    server.settle()
    server.commit()
    #expect(drained.value != nil)
    #expect(asked.value != nil)
  }
}
