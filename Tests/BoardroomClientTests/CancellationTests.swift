import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import Synchronization
import TestKit
import Testing

/// A cancelled task waits for no answer: of each face, while the link is away.
@Suite struct CancellationTests {
  /// Something that is awaited, and what it gave.
  private struct Call: Sendable, CustomTestStringConvertible {
    var name: String
    var run: @Sendable () async -> String
    var testDescription: String { name }
  }

  /// Begins each call, lets a little time pass, cancels it, and expects it to have ended then.
  private func expectEnds(_ calls: [Call], in world: World, with expected: [String: String] = [:]) {
    for call in calls {
      let ended = Mutex<String?>(nil)
      let task = Task(executorPreference: world.tasks) {
        let answer = await call.run()
        ended.withLock { $0 = answer }
      }
      world.run(for: 0.05)
      #expect(ended.withLock { $0 } == nil, "\(call.name) does not wait")
      task.cancel()
      world.run(for: 0.001)
      #expect(ended.withLock { $0 } == (expected[call.name] ?? "cancelled"), "\(call.name)")
    }
  }

  private func said<Value>(
    _ body: () async throws(BoardroomError) -> Value
  ) async -> String {
    do { _ = try await body() } catch {
      #expect(error.code == .timeout || error.code == .notConnected)
      return error.isCancelled ? "cancelled" : "\(error.code)"
    }
    return "done"
  }

  private func commands(_ room: WhiteRoom) -> [Call] {
    let shape = WhiteShape(.rectangle, x: 1, y: 2, width: 3, height: 4)
    let points = [WhitePoint(x: 0, y: 0), WhitePoint(x: 4, y: 4)]
    return [
      Call(name: "global") {
        await said { () async throws(BoardroomError) in try await room.setGlobalState(["a": 1]) }
      },
      Call(name: "member") {
        await said { () async throws(BoardroomError) in
          var state = WhiteMemberState()
          state.strokeWidth = 7
          return try await room.setMemberState(state)
        }
      },
      Call(name: "insert") { await said { () async throws(BoardroomError) in try await room.insert(shape) } },
      Call(name: "stroke") {
        await said { () async throws(BoardroomError) in try await room.drawStroke(WhitePen(), points) }
      },
      Call(name: "magix") {
        await said { () async throws(BoardroomError) in try await room.dispatchMagixEvent("m", payload: 1) }
      },
      Call(name: "view") {
        await said { () async throws(BoardroomError) in try await room.setViewMode(.broadcaster) }
      },
      Call(name: "scenes") {
        await said { () async throws(BoardroomError) in
          try await room.putScenes("/p", scenes: [WhiteScene(name: "s")], index: 0)
        }
      },
      Call(name: "page") { await said { () async throws(BoardroomError) in try await room.addPage() } },
      Call(name: "writable") {
        await said { () async throws(BoardroomError) in try await room.setWritable(true) }
      },
    ]
  }

  @Test(
    "A room's commands end when their task is cancelled while the connection is away; none of them is done")
  func away() throws {
    let world = World(seed: 5)
    let anna = world.client("anna")
    let room = try anna.join()
    world.run(for: 1)
    anna.network.set(.cut)
    world.run(for: 0.1)
    let before = world.log.count
    // The next hello asks for the right to write, so that a wish for it stays.
    let calls = commands(room).filter { $0.name != "writable" }
    expectEnds(calls, in: world)
    #expect(room.globalState["a"] == nil, "what was shown of it is taken back")
    #expect(world.perform(atMost: 0.01) { await room.getElements().count } == 0)
    #expect(room.pendingCommandCount == 0)
    let kept = Outcome()
    room.setGlobalState(["b": 2]) { kept.set($0) }
    anna.network.set(.clear)
    world.run(for: 20)
    #expect(room.phase == .connected)
    #expect((try? kept.value?.get()) != nil, "what was given after them is done")
    let kinds = world.log.dropFirst(before).map(\.event.kind)
    #expect(kinds.filter { $0 == EventKind.globalState.rawValue }.count == 1)
    for kind in [EventKind.elementPut, .magix, .stroke, .viewMode, .scenesPut, .memberState] {
      #expect(!kinds.contains(kind.rawValue), "\(kind)")
    }
  }

  @Test(
    "IDEM-7, BOUND-7: what follows a cancelled command gets its own answer, not that of an older refusal that no log has"
  )
  func unrecordedRefusal() throws {
    let world = World(seed: 5)
    let anna = world.client("anna")
    let room = try anna.join()
    world.run(for: 1)
    let refused = (0..<3).map { _ in Outcome() }
    for outcome in refused { room.removeScenes("/nowhere") { outcome.set($0) } }
    world.run(for: 0.5)
    let codes = refused.map { outcome -> RefusalCode? in
      if case .failure(let error)? = outcome.value { error.code } else { nil }
    }
    #expect(codes == [.noSuchScene, .noSuchScene, .noSuchScene])
    anna.network.set(.cut)
    world.run(for: 0.1)
    expectEnds(commands(room).filter { $0.name == "global" }, in: world)
    let kept = Outcome()
    room.setGlobalState(["b": 2]) { kept.set($0) }
    anna.network.set(.clear)
    world.run(for: 20)
    #expect(try kept.value?.get() != nil)
    #expect(room.globalState["b"]?.text == "2")
    #expect(room.globalState["a"] == nil)
  }

  @Test("Commands that were sent end, too; they are done all the same where they arrive")
  func sent() throws {
    let world = World(seed: 5)
    let anna = world.client("anna")
    let room = try anna.join()
    world.run(for: 1)
    anna.network.set(.silent)
    expectEnds(commands(room), in: world)
    anna.network.set(.clear)
    world.run(for: 20)
    #expect(room.globalState["a"]?.text == "1")
    #expect(room.pendingCommandCount == 0)
  }

  @Test("A task that was cancelled before starts nothing")
  func before() throws {
    let world = World(seed: 5)
    let room = try world.client("anna").join()
    world.run(for: 1)
    let calls = commands(room)
    let answers = Mutex<[String]>([])
    Task(executorPreference: world.tasks) {
      withUnsafeCurrentTask { $0?.cancel() }
      for call in calls {
        let answer = await call.run()
        answers.withLock { $0.append(answer) }
      }
    }
    world.run(for: 5)
    #expect(answers.withLock { $0 } == calls.map { _ in "cancelled" })
    #expect(room.globalState["a"] == nil)
  }

  @Test("A part of a stroke that is cancelled stays in its place: the stroke is whole")
  func strokeParts() throws {
    let world = World(seed: 5)
    let anna = world.client("anna")
    let room = try anna.join()
    world.run(for: 1)
    anna.network.set(.cut)
    world.run(for: 0.1)
    let stroke = room.beginStroke(WhitePen(), [WhitePoint(x: 0, y: 0)], completion: nil)
    expectEnds(
      [
        Call(name: "extend") {
          await said { () async throws(BoardroomError) in try await stroke.extend([WhitePoint(x: 50, y: 0)]) }
        }
      ], in: world)
    stroke.end([WhitePoint(x: 51, y: 0)], completion: nil)
    anna.network.set(.clear)
    world.run(for: 20)
    guard case .stroke(let drawn)? = world.foldedState.elements[try #require(stroke.id)]?.content else {
      Issue.record("there is no stroke")
      return
    }
    #expect(drawn.pointCount == 3)
  }

  @Test("A join, turning pages and leaving end with their task")
  func others() throws {
    let world = World(seed: 5)
    let (anna, ben) = (world.client("anna"), world.client("ben"))
    let room = try anna.join()
    world.perform { _ = try? await room.addPage() }
    world.run(for: 1)
    anna.network.set(.silent)
    ben.network.set(.silent)
    let (sdk, config) = (ben.sdk, ben.config)
    expectEnds(
      [
        Call(name: "join") {
          await said { () async throws(BoardroomError) in try await sdk.joinRoom(config) }
        },
        Call(name: "next") { "\(await room.nextPage())" },
        Call(name: "prev") { "\(await room.prevPage())" },
        Call(name: "remove") { "\(await room.removePage(0))" },
        Call(name: "leave") {
          await room.disconnect()
          return "left"
        },
      ], in: world, with: ["next": "false", "prev": "false", "remove": "false", "leave": "left"])
  }

  @Test("RTM, Signaling and RTC: whatever is awaited ends with its task")
  func faces() throws {
    let world = World(seed: 5)
    let (anna, ben) = (RtmUser(world, "anna"), RtmUser(world, "ben"))
    let (cleo, dora) = (SignalingUser(world, "cleo"), SignalingUser(world, "dora"))
    let rtc = RtcUser(world, 1)
    anna.login()
    cleo.login()
    world.run(for: 2)
    for network in [anna.network, ben.network, cleo.network, dora.network, rtc.network] {
      network.set(.silent)
    }
    func rtm(_ name: String, _ body: @escaping @Sendable (RtmClient) async throws(RtmErrorCode) -> Void)
      -> Call
    {
      Call(name: name) { [client = anna.client] in
        do throws(RtmErrorCode) { try await body(client) } catch {
          return error == .timeout ? "cancelled" : "\(error)"
        }
        return "done"
      }
    }
    func signaling(
      _ code: SignalingCode, _ body: @escaping @Sendable (SignalingClient) async throws(SignalingCode) -> Void
    ) -> Call {
      Call(name: "signaling \(code)") { [client = cleo.client] in
        do throws(SignalingCode) { try await body(client) } catch {
          return error == code ? "cancelled" : "\(error)"
        }
        return "done"
      }
    }
    expectEnds(
      [
        rtm("send") { client async throws(RtmErrorCode) in try await client.sendMessage("x", toPeer: "ben") },
        rtm("attributes") { client async throws(RtmErrorCode) in
          _ = try await client.getUserAllAttributes("ben")
        },
        rtm("channel") { client async throws(RtmErrorCode) in
          _ = try await client.getChannelAllAttributes("room")
        },
        rtm("online") { client async throws(RtmErrorCode) in
          _ = try await client.queryPeersOnlineStatus(["ben"])
        },
        rtm("invite") { client async throws(RtmErrorCode) in
          _ = try await client.sendLocalInvitation(to: "ben", channelId: "room")
        },
        rtm("logout") { client async throws(RtmErrorCode) in try await client.logout() },
        Call(name: "rtm login") { [client = ben.client] in
          do throws(RtmErrorCode) { try await client.loginByToken("token", user: "ben") } catch {
            return error == .timeout ? "cancelled" : "\(error)"
          }
          return "done"
        },
        signaling(.sendMessageTimeout) { client async throws(SignalingCode) in
          try await client.send("x", to: "dora", msgID: "1")
        },
        signaling(.failed) { client async throws(SignalingCode) in
          _ = try await client.invoke("io.agora.signal.user_query_user_status", req: #"{"account":"dora"}"#)
        },
        signaling(.joinChannelOther) { client async throws(SignalingCode) in try await client.join("room") },
        Call(name: "signaling login") { [client = dora.client] in
          do throws(SignalingCode) { try await client.login(account: "dora", token: "token") } catch {
            return error == .loginCancelled ? "cancelled" : "\(error)"
          }
          return "done"
        },
        Call(name: "rtc") { [connection = rtc.connection] in
          do { _ = try await connection.joinChannel(byToken: "token", channelId: "room", uid: 1) } catch {
            return error is CancellationError ? "cancelled" : "\(error)"
          }
          return "done"
        },
      ], in: world)
    world.run(for: 1)
    #expect(ben.client.connectionState == .disconnected, "a cancelled login signs out")
    #expect(dora.client.getStatus() == 0)
    #expect(rtc.connection.getConnectionState() == .disconnected)
  }

  @Test("A player's seek ends with its task")
  func seek() throws {
    let recorded = try RecordedRoom.short()
    let world = recorded.world
    let task = Mutex<WhitePlayerSeekResult?>(nil)
    let player = world.player().player
    Task(executorPreference: world.tasks) {
      withUnsafeCurrentTask { $0?.cancel() }
      let result = await player.seekToScheduleTime(3)
      task.withLock { $0 = result }
    }
    world.run(for: 0.01)
    #expect(task.withLock { $0 } == .overridden)
  }
}
