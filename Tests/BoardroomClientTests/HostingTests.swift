import BoardroomClient
import BoardroomModel
import TestKit
import Testing

@Suite("Hosting a room")
struct HostingTests {
  @Test("MOD-5, MOD-6, CB-13: who is kept from writing is told so, cannot change it, and writes again later")
  func keptFromWriting() throws {
    let world = World()
    let (host, ben) = (try Listener(world, "host"), try Listener(world, "ben") { $0.roomToken = "writer" })
    for byLock in [false, true] {
      #expect(world.perform { await keep(ben.room, true, byLock, host.room) } == nil)
      world.run(for: 1)
      #expect(!ben.room.isWritable)
      #expect(host.room.isWritable)
      #expect(world.perform { await code { try await ben.room.setGlobalState([:]) } } == .notWritable)
      #expect(world.perform { await code { try await ben.room.setWritable(true) } } == .notWritable)
      #expect(world.perform { await keep(ben.room, false, byLock, ben.room) } == .forbidden)
      #expect(host.room.roomMembers.map(\.memberId) == [host.room.memberId])
      #expect(world.perform { await keep(ben.room, false, byLock, host.room) } == nil)
      world.run(for: 1)
      #expect(ben.room.isWritable)
      #expect(host.room.roomMembers.count == 2)
    }
    #expect(world.perform { await ben.room.isLocked() } == false)
  }

  /// Keeps a member from writing, or no longer, as `host`; says what was refused.
  private func keep(
    _ member: WhiteRoom, _ isKept: Bool, _ byLock: Bool, _ host: WhiteRoom
  ) async -> RefusalCode? {
    if byLock { return await code { try await host.lockRoom(isKept) } }
    return await code { try await host.allowWriting(!isKept, memberId: member.memberId ?? 99) }
  }

  @Test("HAND-1: a hand is seen by all, with its time, also one of somebody who only reads")
  func hands() throws {
    let world = World()
    let host = try Listener(world, "host")
    let reader = try Listener(world, "reader") { $0.roomToken = "reader" }
    #expect(world.perform { await code { try await reader.room.raiseHand(true) } } == nil)
    world.run(for: 1)
    let up = world.perform { await host.room.getHands() }
    #expect(up.keys.map { $0 } == [try #require(reader.room.memberId)])
    #expect((up.values.first ?? 0) > 0)
    #expect(world.perform { await code { try await reader.room.raiseHand(false) } } == nil)
    world.run(for: 1)
    #expect(world.perform { await host.room.getHands() }.isEmpty)
  }

  @Test("PAGE-1, OPT-1: a page that is moved to another place is there at once, and for the others, too")
  func pagesInAnotherOrder() throws {
    let (world, _, _, a, b) = try pair()
    let scenes = ["x", "y"].map { WhiteScene(name: $0) }
    world.perform { _ = try? await a.putScenes("/", scenes: scenes, index: 9) }
    #expect(world.perform { await code { try await a.moveScene("/y", target: "/", index: 0) } } == nil)
    world.run(for: 1)
    for room in [a, b] { #expect(room.scenes.map(\.name) == ["y", "init", "x"]) }
  }
}
