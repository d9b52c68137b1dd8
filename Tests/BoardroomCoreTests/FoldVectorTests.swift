import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import StorageTestKit
import Testing

/// Logs with the state hash at every revision, for whoever writes a fold: `Tests/Golden/v1/fold`. NAME.jsonl holds the
/// records, one a line, NAME.hashes a hash a line. `docs/examples/fold.py` is a fold that was written from them and from
/// docs/PROTOCOL.md. `room` was made here; the others by `tools/vectors`.
@Suite("Published vectors of the fold")
struct FoldVectorTests {
  static let names = ["room", "misfits", "account", "signaling", "rtm", "reactions", "bans", "questions"]

  /// What members of a room do: two who keep histories, one who keeps none, an administrator.
  private static func trial() throws -> Trial {
    var chance = Chance(20_261_123)
    var trial = Trial(RoomPolicy(rate: nil, history: HistoryDepth(scenes: 3, depth: 8)))
    var members = [
      try trial.join("anna"), try trial.join("ben"), try trial.join("éva"),
      try trial.join("host", role: .admin),
    ]
    for member in members[..<2] { trial.say(.history(.keep(scenes: 20)), member) }
    trial.say(pages("/", ["a"]), members[0])
    for step in 0..<900 {
      trial.wait(Int64(chance.below(40)))
      let seat = Int(chance.below(4))
      var command = Self.command(members[seat], trial.state, &chance)
      // Most of what is done at random is refused: mostly something is done that is not.
      for _ in 0..<12 {
        var attempt = trial
        guard !attempt.say(command, members[seat]).isDone else { break }
        command = Self.command(members[seat], trial.state, &chance)
      }
      trial.say(command, members[seat])
      if step % 8 == 7 {
        // Nobody is kept from writing for long.
        trial.say(.moderation(.lock(false)), members[3])
        for member in members where trial.state.members[member]?.writable == false {
          trial.say(.moderation(.writing(member, isAllowed: true)), members[3])
        }
      }
      guard step > 700, chance.below(60) == 0 else { continue }
      trial.record(trial.room.leave(members[seat], .left))
      members[seat] = try trial.join(
        ["anna", "ben", "éva", "host"][seat], role: seat == 3 ? .admin : .writer)
      if seat < 2 { trial.say(.history(.keep(scenes: 20)), members[seat]) }
    }
    return trial
  }

  private static func command(_ member: MemberID, _ state: RoomState, _ chance: inout Chance) -> Command {
    chance.below(4) == 0 ? other(member, &chance) : HistoryPropertyTests.command(member, state, &chance)
  }

  /// What has nothing to do with histories.
  private static func other(_ member: MemberID, _ chance: inout Chance) -> Command {
    let number = chance.below(40)
    let value = chance.below(3) == 0 ? nil : "{\"a\": [\(number), \"é\"]}"
    switch chance.below(14) {
    case 0: return pointer(Int64(number))
    case 1: return camera(Int64(number))
    case 2: return .state(.global(patch([("k\(number % 7)", value)])))
    // One key in two spellings.
    case 3: return .state(.global(patch([(number % 2 == 0 ? "\u{e9}t\u{e9}" : "e\u{301}te\u{301}", value)])))
    case 4: return .state(.member(patch([("m\(number % 4)", value)])))
    case 5: return .members(.viewMode(ViewMode.allCases[Int(chance.below(3))]))
    case 6: return .members(.setWritable(chance.below(3) > 0))
    case 7: return .moderation(.hand(number < 20))
    case 8: return .moderation(.lock(number < 8))
    case 9: return .moderation(.writing(MemberID(chance.below(6)), isAllowed: number < 30))
    case 10: return magix("tick", "\(number)")
    case 11: return .diagnostics(.clientPhases([ClientPhase(phase: "reconnecting", ago: Int64(number))]))
    case 12: return .scenes(.switchTo(.index(Int(chance.below(3)))))
    default: return store("st\u{e9}", [("k\(number % 3)", value)], resets: number == 0)
    }
  }

  /// The published log stays as it is; what the same seed makes of a room may change with what rooms decide.
  @Test("FOLD-11, FOLD-12, HIST-10: what a seed makes of a room folds from its lines to the room's own state")
  func room() throws {
    let trial = try Self.trial()
    var builder = RunBuilder(first: 1)
    for event in trial.log {
      builder.append(
        Record(
          kind: event.event.kind, time: event.time, actor: event.actor.code,
          body: EventCodec.encodeBody(event.event, counter: event.counter)))
    }
    let made = builder.takeRun()
    let run = try #require(made)
    let lines = RecordMirror.lines(of: run).map { line in line.filter { $0 != UInt8(ascii: "\n") } }
    try GoldenFiles.record("fold/room.jsonl", Array(lines.map { $0 + [UInt8(ascii: "\n")] }.joined()))
    var state = RoomState()
    for line in lines {
      let (revision, record) = try RecordMirror.record(fromLine: line[...])
      let event = try EventCodec.decode(record, at: revision)
      let anomaly = state.apply(event)
      #expect(anomaly == nil, "revision \(revision)")
    }
    #expect(StateEncoder.hash(of: state) == StateEncoder.hash(of: trial.state))
    let published = String(decoding: try GoldenFiles.read("fold/room.jsonl"), as: UTF8.self)
    for kind in ["undone", "redone", "elementsCopied", "viewMode", "storeSet", "memberLeft"] {
      #expect(published.contains("\"kind\":\"\(kind)\""), "\(kind)")
    }
  }

  @Test("FOLD-12, FOLD-13: the published state hash of every revision is that of the fold", arguments: names)
  func hashes(name: String) throws {
    var state = RoomState()
    var hashes = ""
    var anomalies = 0
    for line in try GoldenFiles.read("fold/\(name).jsonl").split(separator: UInt8(ascii: "\n")) {
      let (revision, record) = try RecordMirror.record(fromLine: line)
      let event = try EventCodec.decode(record, at: revision)
      if state.apply(event) != nil { anomalies += 1 }
      hashes +=
        StateEncoder.hash(of: state).map { byte in
          let digits = String(byte, radix: 16)
          return digits.count == 1 ? "0" + digits : digits
        }.joined() + "\n"
    }
    try GoldenFiles.record("fold/\(name).hashes", Array(hashes.utf8))
    let published = String(decoding: try GoldenFiles.read("fold/\(name).hashes"), as: UTF8.self)
    let differs = zip(published.split(separator: "\n"), hashes.split(separator: "\n")).enumerated()
      .first { $0.element.0 != $0.element.1 }
    #expect(published == hashes, "from revision \((differs?.offset ?? 0) + 1) on")
    #expect(name == "misfits" ? anomalies > 100 : name != "room" || anomalies == 0, "\(anomalies)")
  }
}
