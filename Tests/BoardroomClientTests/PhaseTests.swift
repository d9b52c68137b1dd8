import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import Synchronization
import TestKit
import Testing

@Suite struct PhaseTests {
  @Test("P-1, P-2, P-6, PT-1, PT-2: the first join tells connecting, connected, then completes")
  func firstJoin() throws {
    let world = World()
    let anna = world.client("anna")
    let order = Mutex<[String]>([])
    anna.recorder.whenHeard { heard in
      if case .phase(let phase) = heard { order.withLock { $0.append(phase.name) } }
    }
    anna.sdk.joinRoom(with: anna.config, callbacks: anna.recorder) { success, room, error in
      order.withLock { $0.append("completion \(success) \(room?.phase.name ?? "-") \(error == nil)") }
    }
    world.run(for: 5)
    #expect(order.withLock { $0 } == ["connecting", "connected", "completion true connected true"])
  }

  @Test(
    "P-3, P-7, P-12: without queuesWhileAway every command of an outage fails at once and is never sent later (X-9)"
  )
  func refusedWhileReconnecting() throws {
    let world = World()
    let anna = world.client("anna")
    let room = try anna.join { $0.queuesWhileAway = false }
    anna.network.set(.cut)
    world.run(for: 0.1)
    #expect(room.phase == .reconnecting)
    #expect(anna.recorder.phases.last?.phase == .reconnecting)
    for attempt in Self.attempts {
      let code = world.perform { () async -> RefusalCode? in
        do { try await attempt(room) } catch { return (error as? BoardroomError)?.code }
        return nil
      }
      #expect(code == .notConnected)
    }
    anna.network.set(.clear)
    world.run(for: 20)
    #expect(room.phase == .connected)
    #expect(world.foldedState.globalState.isEmpty)
    #expect(!world.log.contains { $0.event.kind == EventKind.magix.rawValue })
  }

  static let attempts: [@Sendable (WhiteRoom) async throws -> Void] = [
    { room in try await room.setGlobalState(["a": .bool(true)]) },
    { room in try await room.setMemberState(WhiteMemberState()) },
    { room in try await room.setViewMode(.broadcaster) },
    { room in
      try await room.putScenes("/a", scenes: [WhiteScene(name: "b")], index: 0)
    },
    { room in try await room.setScenePath("/init") },
    { room in try await room.dispatchMagixEvent("hello", payload: .null) },
    { room in try await room.insertText(x: 0, y: 0, text: "no") },
    { room in
      try await room.drawStroke(WhitePen(), [WhitePoint(x: 0, y: 0)])
    },
    { room in try await room.setWritable(false) },
  ]

  @Test("P-4, P-5, P-15, PT-7, PT-8: disconnect() sets disconnectedBySelf before it tells its two phases")
  func disconnect() throws {
    let world = World()
    let anna = world.client("anna")
    let ben = world.client("ben")
    let room = try anna.join()
    let bens = try ben.join()
    anna.recorder.clear()
    let flags = Mutex<[Bool]>([])
    anna.recorder.whenHeard { _ in flags.withLock { $0.append(room.disconnectedBySelf) } }
    world.perform { await room.disconnect() }
    #expect(
      anna.recorder.heard == [.phase(.disconnecting), .committable(false), .phase(.disconnected)])
    #expect(flags.withLock { $0 } == [true, true, true])
    #expect(room.phase == .disconnected)
    #expect(room.error == nil)
    world.run(for: 1)
    #expect(bens.state.roomMembers?.map(\.uid) == ["ben"])
    world.run(for: 60)
    #expect(room.phase == .disconnected)
  }

  @Test("P-4: disconnect() while reconnecting ends at once; a second one completes too")
  func disconnectOffline() throws {
    let world = World()
    let anna = world.client("anna")
    let room = try anna.join()
    anna.network.set(.cut)
    world.run(for: 1)
    anna.recorder.clear()
    world.perform { await room.disconnect() }
    #expect(anna.recorder.phases.map(\.phase) == [.disconnecting, .disconnected])
    world.perform { await room.disconnect() }
    #expect(anna.recorder.disconnects.isEmpty)
  }

  @Test("P-8 to P-10, PT-10, JO-callbacks: a join without callbacks keeps the object; another replaces it")
  func callbacksAcrossJoins() throws {
    let world = World()
    let anna = world.client("anna")
    let first = try anna.join()
    world.perform { await first.disconnect() }
    anna.recorder.clear()
    let second = try world.perform {
      await asResult { () async throws(BoardroomError) in try await anna.sdk.joinRoom(anna.config) }
    }.get()
    #expect(anna.recorder.phases.map(\.phase) == [.connecting, .connected])
    #expect(second !== first)
    anna.recorder.clear()
    let other = Recorder { world.seconds }
    _ = try world.perform {
      await asResult { () async throws(BoardroomError) in
        try await anna.sdk.joinRoom(anna.config, callbacks: other)
      }
    }.get()
    #expect(anna.recorder.heard.isEmpty)
    #expect(other.phases.map(\.phase) == [.connecting, .connected])
  }

  @Test(
    "P-10: the completion has success, room and no error, or no room and an error in words; each join another room"
  )
  func completions() throws {
    let world = World()
    let anna = world.client("anna")
    let rooms = Box<[(Bool, WhiteRoom?, BoardroomError?)]>([])
    func join(_ change: (inout WhiteRoomConfig) -> Void = { _ in }) {
      var config = anna.config
      change(&config)
      anna.sdk.joinRoom(with: config, callbacks: anna.recorder) { success, room, error in
        rooms.change { $0.append((success, room, error)) }
      }
      world.run(for: 2)
    }
    join()
    join { $0.uuid = "0123456789abcdef0123456789abcdef" }
    join()
    let answers = rooms.value
    #expect(answers.map(\.0) == [true, false, true])
    let (first, third) = (try #require(answers[0].1), try #require(answers[2].1))
    #expect(first !== third)
    #expect(first.phase == .disconnected)
    #expect(third.phase == .connected)
    #expect(answers[0].2 == nil)
    #expect(answers[2].2 == nil)
    #expect(answers[1].1 == nil)
    let error = try #require(answers[1].2)
    #expect(error.description.hasPrefix("notFound: There is no such room."))
    #expect(!error.cure.isEmpty)
  }

  @Test("P-10, PT-3, ERR-join: a failed join completes once, with a code and words, after disconnected")
  func failedJoin() throws {
    let world = World()
    let anna = world.client("anna")
    let completions = Mutex<[String]>([])
    var config = anna.config
    config.uuid = "0123456789abcdef0123456789abcdef"
    anna.sdk.joinRoom(with: config, callbacks: anna.recorder) { success, room, error in
      completions.withLock { $0.append("\(success) \(room == nil) \(error?.description ?? "")") }
    }
    world.run(for: 100)
    #expect(anna.recorder.heard == [.phase(.connecting), .phase(.disconnected)])
    #expect(completions.withLock { $0.count } == 1)
    #expect(completions.withLock { $0[0] }.hasPrefix("false true notFound: There is no such room."))
  }

  @Test("P-11, X-51: while one join is under way another is refused as pending; afterwards it is not")
  func oneJoinAtATime() throws {
    let world = World()
    let anna = world.client("anna")
    let outcomes = Mutex<[String]>([])
    for number in 1...3 {
      anna.sdk.joinRoom(with: anna.config, callbacks: anna.recorder) { success, _, error in
        outcomes.withLock { $0.append("\(number) \(success) \(error?.code.rawValue ?? "-")") }
      }
    }
    world.run(for: 5)
    #expect(outcomes.withLock { $0.sorted() } == ["1 true -", "2 false pending", "3 false pending"])
    #expect(anna.recorder.phases.map(\.phase) == [.connecting, .connected])
    _ = try anna.join()
  }

  @Test("P-13, P-22: the server keeps a silent member for 30 s; a cut connection is silence, not a leave")
  func grace() throws {
    let world = World()
    let anna = world.client("anna")
    let room = try anna.join()
    world.run(to: 10)
    anna.network.set(.cut)
    world.run(to: 38)
    #expect(world.serverState?.members.count == 1)
    world.run(to: 41.5)
    #expect(world.serverState?.members.count == 0)
    _ = room
  }

  @Test("P-14: a phase text that is not known is read as disconnected")
  func unknownPhase() {
    #expect(WhiteRoomPhase(wire: "levitating") == .disconnected)
    for phase in WhiteRoomPhase.allCases { #expect(WhiteRoomPhase(wire: phase.name) == phase) }
  }

  @Test("P-20 to P-23, JO-timeout: a join that nobody answers ends after 45 s: phase, error, completion")
  func joinTimeout() throws {
    let world = World()
    let anna = world.client("anna")
    anna.network.set(.silent)
    let ended = Mutex<Double?>(nil)
    let begun = world.seconds
    anna.sdk.joinRoom(with: anna.config, callbacks: anna.recorder) { success, _, error in
      #expect(!success)
      #expect(error?.code == .timeout)
      ended.withLock { $0 = world.seconds - begun }
    }
    world.run(for: 100)
    #expect(ended.withLock { $0 } == 45)
    #expect(anna.recorder.phases.map(\.phase) == [.connecting, .disconnected])
    #expect(anna.recorder.disconnects.count == 1)
  }

  @Test("Complaint 13: an unreachable server is tried again until it is there")
  func unreachableAtFirst() throws {
    let world = World()
    let anna = world.client("anna")
    anna.network.set(.cut)
    let joined = Mutex(false)
    anna.sdk.joinRoom(with: anna.config, callbacks: anna.recorder) { success, _, _ in
      joined.withLock { $0 = success }
    }
    world.run(for: 10)
    anna.network.set(.clear)
    world.run(for: 12)
    #expect(joined.withLock { $0 })
    #expect(anna.recorder.phases.map(\.phase) == [.connecting, .connected])
  }

  @Test("KICK-replaceByOther, complaint 8: a join with the same uid removes the first, which stays away")
  func takeover() throws {
    let world = World()
    let anna = world.client("anna")
    let again = world.client("anna")
    let first = try anna.join()
    _ = try again.join()
    world.run(for: 30)
    #expect(first.phase == .disconnected)
    #expect(first.error?.kick == .replaceByOther)
    #expect(anna.recorder.heard.contains(.kicked("replaceByOther")))
    #expect(again.recorder.phases.map(\.phase) == [.connecting, .connected])
  }

  @Test("KICK-GatewayAdjust: a room that moves (drain) sends its members to reconnecting, not away")
  func drained() throws {
    let world = World()
    let anna = world.client("anna")
    let room = try anna.join()
    world.drain()
    world.run(for: 1)
    #expect(room.phase == .reconnecting)
  }

  @Test("A cancelled join leaves")
  func cancelled() throws {
    let world = World()
    let anna = world.client("anna")
    anna.network.set(.silent)
    let error = world.perform { [tasks = world.tasks] in
      let join = Task(executorPreference: tasks) {
        await asResult { () async throws(BoardroomError) in
          try await anna.sdk.joinRoom(anna.config, callbacks: anna.recorder)
        }
      }
      join.cancel()
      return await join.value
    }
    guard case .failure(let left) = error else { Issue.record("it joined"); return }
    #expect(left.code == .notConnected)
    #expect(world.seconds < 40)
  }
}
