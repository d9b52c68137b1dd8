import BoardroomModel
import EventLogModel
import Testing

@testable import BoardroomClient

/// `ActorContext`, `HandedBytes` (docs/adr/0044-callbacks-on-an-executor-of-the-apps.md).
@Suite struct ActorContextTests {
  private actor Counter {
    var seen: [Int] = []
    func note(_ number: Int) { seen.append(number) }
  }

  @Test("Work is done on the actor in the order in which it was asked for, more of it than one turn takes")
  func order() async {
    let counter = Counter()
    let context = ActorContext(counter)
    let count = 10 * ActorContext.turn + 1
    await withCheckedContinuation { continuation in
      for number in 1...count {
        context.execute { counter.assumeIsolated { $0.seen.append(number) } }
      }
      context.execute { continuation.resume() }
    }
    #expect(await counter.seen == Array(1...count))
  }

  @Test("Between two turns the actor does what others ask of it")
  func others() async {
    let counter = Counter()
    let context = ActorContext(counter)
    let isOver = Box(false)
    @Sendable func goOn() { if !isOver.value { context.execute { goOn() } } }
    // Work that asks for more work without end would keep the actor for itself.
    for _ in 1...ActorContext.turn { context.execute { goOn() } }
    await counter.note(7)
    isOver.value = true
    #expect(await counter.seen == [7])
  }

  /// Asks for work when it goes, as a room does.
  private final class Leaving: Sendable {
    private let context: ActorContext
    init(_ context: ActorContext) { self.context = context }
    func stay() {}
    deinit { context.execute {} }
  }

  @Test("What goes with work that is done can ask for more work")
  func lastOwner() async {
    let context = ActorContext(Counter())
    await withCheckedContinuation { continuation in
      for _ in 1...3 * ActorContext.turn {
        let leaving = Leaving(context)
        context.execute { leaving.stay() }
      }
      context.execute { continuation.resume() }
    }
  }

  @Test("Reading stops once more than `most` bytes wait, once, and goes on when half of them are done")
  func bytes() {
    let bytes = HandedBytes()
    #expect(!bytes.add(HandedBytes.most))
    #expect(bytes.add(1))
    #expect(!bytes.add(1_000))
    #expect(!bytes.remove(1_001))
    #expect(bytes.remove(HandedBytes.most / 2))
    #expect(!bytes.remove(HandedBytes.most / 2))
  }

  @Test("Nothing more may be read while more than `most` bytes wait, also if there was room for a moment")
  func bytesAgain() {
    let bytes = HandedBytes()
    #expect(bytes.allowsReading)
    #expect(bytes.add(HandedBytes.most + 1))
    #expect(!bytes.allowsReading)
    #expect(bytes.remove(HandedBytes.most))
    #expect(bytes.add(HandedBytes.most))
    #expect(!bytes.allowsReading)
    #expect(!bytes.remove(1))
    #expect(bytes.allowsReading)
  }

  private enum Caller { @TaskLocal static var name: String? }

  @Test("Work runs as urgently whoever asked first, and knows nothing of who asked", arguments: [1, 3])
  func urgency(_ turns: Int) async {
    let context = ActorContext(Counter())
    let heard = await withCheckedContinuation { continuation in
      Task.detached(priority: .background) {
        Caller.$name.withValue("anna") {
          for _ in 1...turns * ActorContext.turn { context.execute {} }
          context.execute { continuation.resume(returning: (Task.currentPriority, Caller.name)) }
        }
      }
    }
    #expect(heard.0 >= .userInitiated)
    #expect(heard.1 == nil)
  }

  @Test("A timer of the context comes on the actor, and not before its time")
  func timer() async {
    let counter = Counter()
    let context = ActorContext(counter)
    let due = context.now + .milliseconds(20)
    let came = await withCheckedContinuation { continuation in
      context.schedule(at: due) {
        counter.preconditionIsolated()
        continuation.resume(returning: context.now)
      }
    }
    #expect(came >= due)
  }
}
