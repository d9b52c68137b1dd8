import EventLogModel
import Testing

@testable import BoardroomClient

/// The one isolation domain of a connection (ADR 0043).
@Suite struct DomainTests {
  /// Belongs to one context, and says so: it is not `Sendable`.
  private final class Counter {
    var calls: [Int] = []
  }

  @Test("What enters a connection is done on its context, in the order of the calls")
  func order() async {
    let domain = ConnectionDomain(LoopContext(), Counter())
    for number in 0..<100 { domain.enter { $0.calls.append(number) } }
    #expect(await domain.ask { $0.calls } == Array(0..<100))
  }

  @Test("What belongs to a context is called there by a timer and by another turn, until it is let go of")
  func wrapped() async {
    let context = LoopContext()
    let domain = ConnectionDomain(context, Counter())
    await withCheckedContinuation { continuation in
      domain.enter { counter in
        context.executeConfined { [weak counter] in counter?.calls.append(1) }
        context.scheduleConfined(at: context.now + .milliseconds(20)) { [weak counter] in
          counter?.calls.append(2)
          continuation.resume()
        }
      }
    }
    #expect(await domain.ask { $0.calls } == [1, 2])
  }

  @Test("What belongs to a context stops the program where it is called elsewhere")
  func elsewhere() async {
    await #expect(processExitsWith: .failure) {
      let work = LoopContext().confined { (_: Void) in }
      work(())
    }
  }
}
