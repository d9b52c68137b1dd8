import BoardroomClient
import Dispatch
import Synchronization
import TestKit
import Testing

/// Where what an app awaits is begun: on the actor of who awaits it, so that the tasks of one actor keep their order (ADR 0043).
@Suite struct CallerTests {
  private static let isMain = DispatchSpecificKey<Bool>()
  private static var isOnMain: Bool { DispatchQueue.getSpecific(key: isMain) == true }

  @Test("What is awaited is started on the caller's actor, before anything else is waited for")
  @MainActor
  func answers() async {
    DispatchQueue.main.setSpecific(key: Self.isMain, value: true)
    let isOnMain = await awaitAnswer(orWhenCancelled: false) { give in give(Self.isOnMain) }
    #expect(isOnMain)
  }

  @Test(
    "A room is joined by the task of an actor that was begun first; the other hears that a join is under way (P-11)"
  )
  @MainActor
  func joins() async {
    for _ in 0..<20 {
      let world = World()
      let anna = world.client("anna")
      let answers = Mutex<[String]>([])
      let tasks = ["first", "second"].map { name in
        Task {
          do throws(BoardroomError) {
            _ = try await anna.sdk.joinRoom(anna.config)
            answers.withLock { $0.append("\(name) is in") }
          } catch { answers.withLock { $0.append("\(name): \(error.code)") } }
        }
      }
      // Behind them: when it has run, both have begun.
      await Task {}.value
      world.run(for: 1)
      for task in tasks { await task.value }
      #expect(answers.withLock { Set($0) } == ["first is in", "second: pending"])
    }
  }

  @Test("What an actor's task asks of a room is answered after what its earlier tasks commanded")
  @MainActor
  func questions() async throws {
    let world = World()
    let room = try world.client("anna").join()
    world.run(for: 1)
    let counts = Mutex<[Int]>([])
    let tasks = (1...50).map { step in
      Task {
        guard step.isMultiple(of: 2) else {
          _ = try? await room.insert(WhiteShape(.rectangle, x: 1, y: 2, width: 3, height: 4))
          return
        }
        let count = await room.getElements().count
        counts.withLock { $0.append(count) }
      }
    }
    await Task {}.value
    world.run(for: 1)
    for task in tasks { await task.value }
    #expect(counts.withLock { $0 } == Array(1...25))
  }
}
