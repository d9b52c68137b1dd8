import BoardroomClient
import BoardroomCodec
import BoardroomModel
import TestKit
import Testing

/// Sizes of PARITY rows ME, SIZE: exactly at the limit it goes, one byte more is refused with both numbers.
@Suite struct SizeTests {
  private typealias Send = @Sendable (WhiteRoom, String) async throws(BoardroomError) -> Receipt

  /// How `send` ends with a text of so many letters; nil: it was taken.
  private func refusal(_ world: World, _ room: WhiteRoom, _ count: Int, _ send: @escaping Send)
    -> BoardroomError?
  {
    world.perform {
      do throws(BoardroomError) { _ = try await send(room, String(repeating: "x", count: count)) } catch {
        return error
      }
      return nil
    }
  }

  private func check(_ limit: Int, _ send: @escaping Send) throws {
    let (world, _, _, a, _) = try pair()
    let far = try #require(refusal(world, a, limit + 500, send))
    let overhead = try #require(far.actual) - limit - 500
    #expect(refusal(world, a, limit - overhead, send) == nil)
    let near = try #require(refusal(world, a, limit - overhead + 1, send))
    for error in [far, near] {
      #expect(error.code == .tooLarge)
      #expect(error.allowed == limit)
    }
    #expect(near.actual == limit + 1)
    #expect(a.phase == .connected)
  }

  @Test("SIZE-magix: an event of 32 KiB goes, one byte more is refused with actual and allowed")
  func magix() throws {
    try check(32 << 10) { (room, text) throws(BoardroomError) in
      try await room.dispatchMagixEvent("big", payload: .string(text))
    }
  }

  @Test("SIZE-patch, -error: a patch of 64 KiB goes, one byte more is refused with actual and allowed")
  func patch() throws {
    try check(64 << 10) { (room, text) throws(BoardroomError) in
      try await room.setGlobalState(["k": .string(text)])
    }
  }

  @Test(
    "SIZE-globalState: the whole may have 1 MiB; a patch that would make it more is refused, others go on")
  func globalState() throws {
    let (world, _, _, a, b) = try pair()
    let text = String(repeating: "x", count: 65_000)
    for number in 0..<16 {
      let outcome = world.perform { await code { try await a.setGlobalState(["k\(number)": .string(text)]) } }
      #expect(outcome == nil)
    }
    let error = try #require(
      refusal(world, b, 65_000) { (room, text) throws(BoardroomError) in
        try await room.setGlobalState(["one too many": .string(text)])
      })
    #expect(error.code == .tooLarge)
    #expect(error.allowed == 1 << 20)
    #expect((error.actual ?? 0) > 1 << 20)
    let smaller = world.perform { await code { try await b.setGlobalState(["k0": .null]) } }
    #expect(smaller == nil)
    world.run(for: 1)
    #expect(a.state.globalState?.count == 15)
  }
}
