import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

@Suite struct MagixTests {
  @Test("CB-17, X-45: magix events only for subscribed names; the wildcard delivers all; removing ends it")
  func magixByName() throws {
    let (world, anna, _, a, b) = try pair()
    func send(_ names: String...) {
      for name in names { b.dispatchMagixEvent(name, payload: .string(name), completion: nil) }
      world.run(for: 1)
    }
    send("x", "y")
    #expect(anna.recorder.magix.isEmpty)
    a.addMagixEventListener("x")
    send("x", "y")
    #expect(anna.recorder.magix.map(\.eventName) == ["x"])
    #expect(anna.recorder.magix[0].authorId == b.roomMemberId)
    #expect(anna.recorder.magix[0].payload.text == "\"x\"")
    #expect(!anna.recorder.magix[0].isLate)
    #expect(anna.recorder.magix[0].uuid == a.uuid)
    #expect(anna.recorder.magix[0].scope == .custom)
    a.addMagixEventListener(WhiteRoom.allMagixEvents)
    send("x", "y")
    #expect(anna.recorder.magix.map(\.eventName) == ["x", "x", "y"])
    a.removeMagixEventListener("x")
    a.removeMagixEventListener(WhiteRoom.allMagixEvents)
    send("x", "y")
    #expect(anna.recorder.magix.count == 3)
  }

  @Test("ME-4, ME-6, ME-8: one handler per name; the sender hears its own; a late joiner hears nothing old")
  func magixHandlers() throws {
    let (world, _, _, a, _) = try pair()
    let heard = Mutex<[String]>([])
    a.addMagixEventListener("x") { _ in heard.withLock { $0.append("first") } }
    a.addMagixEventListener("x") { _ in heard.withLock { $0.append("second") } }
    world.perform { _ = try? await a.dispatchMagixEvent("x", payload: .null) }
    #expect(heard.withLock { $0 } == ["second"])
    let cleo = world.client("cleo")
    let room = try cleo.join()
    room.addMagixEventListener(WhiteRoom.allMagixEvents)
    world.run(for: 2)
    #expect(cleo.recorder.magix.isEmpty)
  }

  @Test("Magix events of a gap come late, flagged, once and in order, after phase and state")
  func lateMagix() throws {
    let (world, anna, _, a, b) = try pair()
    a.addMagixEventListener(WhiteRoom.allMagixEvents)
    anna.network.set(.cut)
    world.run(for: 1)
    for step in 1...5 {
      b.dispatchMagixEvent("step", payload: JSONValue(step), completion: nil)
      b.setGlobalState(["k": JSONValue(step)], completion: nil)
    }
    world.run(for: 1)
    anna.network.set(.clear)
    world.run(for: 20)
    #expect(anna.recorder.magix.map(\.payload.text) == ["1", "2", "3", "4", "5"])
    #expect(anna.recorder.magix.map(\.isLate) == Array(repeating: true, count: 5))
    #expect(anna.recorder.states.map { $0.globalState?["k"]?.text } == ["5"])
    let kinds = anna.recorder.heard.drop { $0 != .phase(.connected) }.map { heard in
      switch heard {
      case .phase: "phase"
      case .committable: "committable"
      case .state: "state"
      case .magix: "magix"
      case .disconnect, .kicked, .misfit: "other"
      }
    }
    #expect(kinds == ["phase", "committable", "state"] + Array(repeating: "magix", count: 5))
  }

  @Test("ME-10, X-70, JO-disableMagixEventDispatchLimit: at most one leaves in 75 ms, unless asked otherwise")
  func pacing() throws {
    let (world, _, _, a, _) = try pair { $0.disableMagixEventDispatchLimit = false }
    for step in 1...10 { a.dispatchMagixEvent("step", payload: JSONValue(step), completion: nil) }
    world.run(for: 5)
    let times = world.log.filter { $0.event.kind == EventKind.magix.rawValue }.map(\.time)
    #expect(times.count == 10)
    let gaps = zip(times, times.dropFirst()).map { ($1 - $0).wholeMilliseconds }
    // Latency differs by up to 20 ms from one to the next; the pace does not.
    #expect(gaps.allSatisfy { $0 >= 55 })
    #expect(gaps.reduce(0, +) >= 9 * 75 - 20)
    let (fast, _, _, c, _) = try pair()
    for step in 1...10 { c.dispatchMagixEvent("step", payload: JSONValue(step), completion: nil) }
    fast.run(for: 1)
    let quick = fast.log.filter { $0.event.kind == EventKind.magix.rawValue }.map(\.time)
    #expect(quick.count == 10)
    #expect(Set(quick).count == 1)
  }
}
