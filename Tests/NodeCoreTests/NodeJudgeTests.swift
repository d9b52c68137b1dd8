import Testing

@testable import NodeCore

/// What a node sees of two others, and whom it takes for dead. Without a database: all times are given.
@Suite("NODE-1: who is dead, and who may say so")
struct NodeJudgeTests {
  /// A node that beats every half second and judges after one and a half.
  private struct Judging {
    var judge: NodeJudge
    /// The database's clock, and the judge's own, in milliseconds.
    var database: Int64 = 1_000_000
    var own: Int64 = 50_000
    var ownBeat: Int64 = 1_000_000
    var beats: [Int64: Int64] = [2: 1_000_000, 3: 1_000_000]
    var reachable: Set<Int64> = []

    init(without fault: NodeJudge.Rule? = nil) {
      judge = NodeJudge(
        silence: 1_500, grace: 15_000,
        rules: Set(NodeJudge.Rule.allCases).subtracting(fault.map { [$0] } ?? []))
    }

    /// Time passes for all; those of `beating` beat, and the judge looks.
    mutating func pass(_ milliseconds: Int64, beating: Set<Int64>) -> [Int64] {
      database += milliseconds
      own += milliseconds
      return look(beating: beating)
    }

    mutating func look(beating: Set<Int64>) -> [Int64] {
      // They beat a moment before the look.
      for node in beating { beats[node] = database - 40 }
      let dead = judge.dead(
        .init(now: database, ownBeat: ownBeat, beats: beats), at: own, reachable: reachable)
      ownBeat = database
      return dead
    }

    /// Two seconds in which all is well.
    mutating func calm() {
      for _ in 0..<4 { _ = pass(500, beating: [2, 3]) }
    }
  }

  @Test("A node that is silent for 1.5 s is dead, at the next look and not before")
  func silent() {
    var world = Judging()
    world.calm()
    #expect(world.pass(500, beating: [2]) == [])
    #expect(world.pass(500, beating: [2]) == [])
    #expect(world.pass(500, beating: [2]) == [3])
    #expect(world.pass(500, beating: [2, 3]) == [], "a beat that comes late enough saves it")
  }

  @Test("A node that stood still itself judges nobody: all slept, and it woke first")
  func stoodStill() {
    for fault in [nil, NodeJudge.Rule.ownBeatIsFresh] {
      var world = Judging(without: fault)
      world.calm()
      let first = world.pass(10_000, beating: [])
      #expect(first == (fault == nil ? [] : [2, 3]), "\(String(describing: fault))")
      guard fault == nil else { continue }
      #expect(world.pass(500, beating: []) == [], "they have the whole silence from now on")
      #expect(world.pass(500, beating: [2]) == [])
      #expect(world.pass(500, beating: [2]) == [3])
    }
  }

  @Test("A beat of an earlier connection that arrives while a node stands still does not make it a judge")
  func lateBeat() {
    var world = Judging()
    world.calm()
    world.ownBeat = world.database + 9_900
    #expect(world.pass(10_000, beating: []) == [])
    #expect(world.pass(500, beating: []) == [], "they have the whole silence from now on")
  }

  @Test(
    "The database away for all kills nobody: each must have been seen to beat since the judge's connection")
  func databaseAway() {
    for fault in [nil, NodeJudge.Rule.hasChangedSinceConnection] {
      var world = Judging(without: fault)
      world.calm()
      world.judge.lostConnection()
      var dead = world.pass(20_000, beating: [])
      // This node is back first, then 2; 3 takes four seconds to connect.
      for _ in 0..<8 { dead += world.pass(500, beating: [2]) }
      #expect(dead == [] || fault != nil)
      #expect(dead.contains(3) || fault == nil, "the fault is seen")
      #expect(world.pass(500, beating: [2, 3]) == [])
    }
  }

  @Test("A node that died while the database was away is dead when the grace is over")
  func diedMeanwhile() {
    var world = Judging()
    world.calm()
    world.judge.lostConnection()
    _ = world.pass(20_000, beating: [])
    for _ in 0..<29 { #expect(world.pass(500, beating: [2]) == []) }
    #expect(world.pass(500, beating: [2]) == [3])
  }

  @Test("The database's clock that jumps kills nobody: the judge has watched the silence by its own")
  func databaseClockJumps() {
    for fault in [nil, NodeJudge.Rule.isWatched] {
      var world = Judging(without: fault)
      world.calm()
      world.database += 5_000
      _ = world.look(beating: [])
      let dead = world.pass(200, beating: [2])
      #expect(dead == (fault == nil ? [] : [3]))
      #expect(world.pass(300, beating: [2, 3]) == [])
    }
  }

  @Test("The judge's own clock that jumps kills nobody: the beats are fresh by the database's")
  func ownClockJumps() {
    for fault in [nil, NodeJudge.Rule.isOld] {
      var world = Judging(without: fault)
      world.calm()
      world.own += 60_000
      #expect(world.pass(200, beating: []) == (fault == nil ? [] : [2, 3]))
    }
  }

  @Test("A node that is reached directly is not dead, whatever its beats say")
  func reached() {
    for fault in [nil, NodeJudge.Rule.isUnreachable] {
      var world = Judging(without: fault)
      world.reachable = [3]
      world.calm()
      var dead: [Int64] = []
      for _ in 0..<6 { dead += world.pass(500, beating: [2]) }
      #expect(dead.isEmpty == (fault == nil))
    }
  }

  @Test("A node that starts and dies at once is judged like any other")
  func newcomer() {
    var world = Judging()
    world.calm()
    world.beats[4] = world.database
    var dead: [Int64] = []
    for _ in 0..<4 { dead += world.pass(500, beating: [2, 3]) }
    #expect(dead == [4])
    world.beats[4] = nil
    #expect(world.pass(500, beating: [2, 3]) == [], "whoever is recovered is forgotten")
  }
}
