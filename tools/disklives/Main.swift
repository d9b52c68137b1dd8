import Dispatch
import EventLog
import Foundation
import StorageTestKit
import Synchronization

/// Simulated runs of stores from seeds, with SQLite on a simulated disk that loses power, fails or flips
/// bits.
@main struct DiskLives {
  private static let usage = """
    usage: disklives cuts|faults|calls|rot [--seed S] [--count N] [--at-once T]

    cuts    power cuts: N times \(StoreCampaign.statesOfLife) states of one life
    faults  N lives in each of which a call of the disk fails, is cut short or hangs
    calls   the same in each way of one call: of life S / \(StoreCampaign.callsOfLife) the call S % \(StoreCampaign.callsOfLife), and the next N - 1
    rot     N lives, of whose files \(StoreCampaign.statesOfLife) bits flip one by one

    Seeds S to S + N - 1. Ends with 1 if anything was wrong; each line of what was begins with the command that does it again.
    """

  static func main() async {
    guard let options = Options(CommandLine.arguments.dropFirst()) else {
      print(usage)
      exit(64)
    }
    let begin = ContinuousClock.now
    let shared = Shared()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<options.atOnce { group.addTask { await live(options, shared) } }
    }
    let (outcome, bad) = shared.tally.withLock { $0 }
    let took = (ContinuousClock.now - begin).components.seconds
    print(
      """
      \(outcome.states) \(options.kind.noun) of \(options.count) lives from seed \(options.seed) on in \(took) s: \
      \(outcome.calls) calls (trace \(String(outcome.trace, radix: 16))), \(outcome.met) \(options.kind.met), \
      \(outcome.refusals) refusals, \(bad) seeds with faults
      """)
    exit(bad == 0 ? 0 : 1)
  }

  private final class Shared: Sendable {
    let next = Mutex<UInt64>(0)
    let tally = Mutex((StoreCampaign.Outcome(), bad: 0))
  }

  private static func live(_ options: Options, _ shared: Shared) async {
    while true {
      let place = shared.next.withLock { next in
        defer { next += 1 }
        return next
      }
      guard place < options.count else { return }
      let outcome = await StoreCampaign.run(options.kind, seed: options.seed + place)
      for fault in outcome.faults { print(fault) }
      shared.tally.withLock { tally in
        tally.0.add(outcome)
        tally.bad += outcome.faults.isEmpty ? 0 : 1
      }
    }
  }
}

private struct Options: Sendable {
  var kind: StoreCampaign.Kind
  var seed: UInt64 = 1
  var count: UInt64 = 400
  var atOnce = ProcessInfo.processInfo.activeProcessorCount

  /// Nil if the text is not one of the commands.
  init?(_ words: some Collection<String>) {
    guard let kind = words.first.flatMap(StoreCampaign.Kind.init) else { return nil }
    self.kind = kind
    var rest = Array(words.dropFirst())
    while let name = rest.first {
      guard rest.count > 1, let value = UInt64(rest[1]) else { return nil }
      switch name {
      case "--seed": seed = value
      case "--count": count = value
      case "--at-once": atOnce = max(1, Int(clamping: value))
      default: return nil
      }
      rest.removeFirst(2)
    }
  }
}

extension StoreCampaign.Kind {
  fileprivate var noun: String {
    switch self {
    case .cuts: "states after power cuts"
    case .faults, .calls: "ends"
    case .rot: "flipped bits"
    }
  }

  fileprivate var met: String {
    switch self {
    case .cuts, .faults, .calls: "with a call that failed"
    case .rot: "named as damage"
    }
  }
}
