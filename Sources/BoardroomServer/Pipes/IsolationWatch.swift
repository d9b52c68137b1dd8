import BoardroomHTTP
import BoardroomHosting
import NIOCore

/// What a node has seen of all nodes in the database.
public struct SeenNodes: Sendable {
  /// The number of this node's start.
  public var own: Int64
  /// The starts that were alive at the last look, this one included.
  public var living: Set<Int64>
  /// Where the others are.
  public var others: [NodeAddress]
  /// How long ago the last look was answered.
  public var age: Duration
  /// Others take a node for dead when so long ago: then what it has seen says nothing about itself.
  public var limit: Duration

  public init(own: Int64, living: Set<Int64>, others: [NodeAddress], age: Duration, limit: Duration) {
    (self.own, self.living, self.others) = (own, living, others)
    (self.age, self.limit) = (age, limit)
  }

  /// Whether another start is alive; nil while this node does not know it: its last look must be newer than half of the limit, so
  /// that it has seen whoever the database has answered since.
  func isLiving(_ start: Int64) -> Bool? { age * 2 < limit ? living.contains(start) : nil }
}

/// A node that does not reach the database while others do: they take it for dead, and it cannot hear of that. It asks
/// them, so that its members are sent to where their rooms are, and do not wait for as long as it is cut off (NODE-16).
struct IsolationWatch {
  /// As often as a node beats.
  static let every = Duration.milliseconds(500)
  /// 1 s: who takes longer is as good as away.
  static let answersWithin = TimeAmount.seconds(1)
  /// How many nodes are asked at a time. Three: one that hears is enough, and one may be cut off, too.
  static let mostAsked = 3

  let seen: @Sendable () -> SeenNodes
  let forwarder: HTTPForwarder

  /// Returns when others have taken this node for dead, or the task is cancelled.
  func untilFenced() async throws {
    while true {
      try await Task.sleep(for: Self.every)
      let now = seen()
      if now.age >= now.limit, await isFenced(now) { return }
    }
  }

  func isFenced(_ now: SeenNodes) async -> Bool {
    await withTaskGroup(of: Bool?.self) { answers in
      for node in now.others.shuffled().prefix(Self.mostAsked) {
        answers.addTask { await isLiving(now.own, at: node) }
      }
      for await isLiving in answers where isLiving == false {
        answers.cancelAll()
        return true
      }
      return false
    }
  }

  /// What another node has seen of this one; nil if it does not answer, or does not know.
  private func isLiving(_ own: Int64, at node: NodeAddress) async -> Bool? {
    let answer = try? await forwarder.answer(
      to: Array("\(own)".utf8), on: RestRoutes.livingQuestions, by: node, until: .now() + Self.answersWithin)
    return (answer ?? nil)?.first.map { $0 == 1 }
  }
}
