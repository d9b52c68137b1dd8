import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

/// What rooms decide of reactions, and that no state holds anything of them.
@Suite("Reactions")
struct ReactionTests {
  private let host: MemberID = 0
  private let ada: MemberID = 1

  private func trial(_ policy: RoomPolicy = RoomPolicy()) throws -> Trial {
    var trial = Trial(policy)
    try trial.join("host", role: .admin)
    try trial.join("ada")
    return trial
  }

  private func react(_ emoji: String = "👍", on scene: SceneID = 1) -> Command {
    .react(Reaction(emoji, at: .page(scene, x: 10, y: -20)))
  }

  private func react(on element: String) -> Command {
    .react(Reaction("🎉", at: .element(ElementID(element)!)))
  }

  @Test("REACT-1: a reaction goes into the log as it came, at a place or on an element, locked or not")
  func done() throws {
    var trial = try trial()
    trial.say(rectangle("1.5", set: [("locked", "true")]), ada)
    let numbered = NumberedCommand(counter: 2, command: react())
    let decision = trial.say(numbered, ada, raw: [2, 7, 7])
    #expect(decision.proposed.map(\.event) == [.reaction(Reaction("👍", at: .page(1, x: 10, y: -20)))])
    #expect(decision.proposed.first?.rawBody == [2, 7, 7])
    trial.counters[ada] = 2
    #expect(trial.say(react(on: "1.5"), host).isDone)
    #expect(trial.anomalies.isEmpty)
  }

  @Test("REACT-1: a page or an element that is not there has no reactions")
  func nowhere() throws {
    var trial = try trial()
    #expect(trial.say(react(on: SceneID(9)), ada).code == .noSuchScene)
    #expect(trial.say(react(on: "1.5"), ada).code == .noSuchElement)
    trial.say(rectangle("1.5"), ada)
    trial.say(.elements(.erase([ElementID("1.5")!])), ada)
    #expect(trial.say(react(on: "1.5"), ada).code == .noSuchElement)
  }

  @Test("REACT-1: whoever may write may react; on a locked board that is who locked it; never the server")
  func authority() throws {
    var trial = try trial()
    let reader = try trial.join(role: .reader)
    let mute = try trial.join(isWritable: false)
    #expect(trial.say(react(), reader).code == .notWritable)
    #expect(trial.say(react(), mute).code == .notWritable)
    trial.say(.moderation(.lock(true)), host)
    #expect(trial.say(react(), ada).code == .notWritable)
    #expect(trial.say(react(), host).isDone)
    #expect(trial.room.decide(serverCommand: react()).code == .badParameter)
  }

  @Test("REACT-1: there are no reactions in spaces without a board")
  func spaces() throws {
    var trial = Trial(created: false)
    trial.record(trial.room.create(.channel(.signaling, "c")))
    try trial.join("ada")
    #expect(trial.say(react(), 0).code == .unknownKind)
  }

  @Test(
    "REACT-2: one emoji is one, with its skin tones, joiners and flags",
    arguments: ["👍", "👍🏽", "❤️", "🎉", "👩🏽‍❤️‍💋‍👨🏿", "🇨🇳", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣", "☝🏽", "👨‍👩‍👧‍👦"])
  func emoji(text: String) throws {
    var trial = try trial()
    #expect(Reaction.isEmoji(text))
    #expect(trial.say(react(text), ada).isDone)
  }

  @Test(
    "REACT-2: words, signs of text, two emoji and hidden characters are none",
    arguments: [
      "", "x", "1", "ok", "👍👍", "👍 ", "❤", "\u{200d}", "\u{fe0f}", "👍\u{202e}", "<b>",
      "👨‍👩‍👧‍👦‍👨‍👩‍👧‍👦", "é", "©", "\u{1f3fd}x",
    ])
  func noEmoji(text: String) throws {
    var trial = try trial()
    #expect(!Reaction.isEmoji(text))
    let decision = trial.say(react(text), ada)
    #expect(decision.code == .badParameter)
    guard case .refused(let refusal, _) = decision else { return }
    #expect(refusal.cause == "The text of a reaction is not one emoji.")
    #expect(refusal.allowed == Reaction.longest)
  }

  @Test("REACT-4, LIM-4: five a second and 20 at once, by the limit rate.reaction")
  func rate() throws {
    var trial = try trial()
    let decisions = (0..<22).map { _ in trial.say(react(), ada) }
    #expect(decisions.map(\.code) == Array(repeating: nil, count: 20) + [.rateLimited, .rateLimited])
    guard case .refused(let refusal, _) = decisions[20] else { return #expect(Bool(false)) }
    #expect(refusal.limit == "rate.reaction")
    #expect(refusal.allowed == 5)
    trial.wait(1_000)
    let later = (0..<6).map { _ in trial.say(react(), ada).code }
    #expect(later == Array(repeating: nil, count: 5) + [.rateLimited])
    trial.record(try trial.room.setLimits(LimitsPatch([.init(name: "rate.reaction", value: 1)])))
    #expect(trial.room.inForce.rates[.reaction]?.sustained == 1)
  }

  @Test("REACT-5, FOLD-3: a reaction leaves nothing in the state but its author's counter")
  func state() throws {
    var trial = try trial()
    trial.say(rectangle("1.5"), ada)
    var before = trial.state
    var touched: RoomParts = []
    let event = RoomEvent(
      revision: before.revision.next, time: trial.now, actor: .member(ada), counter: 2,
      event: .reaction(Reaction("👍", at: .element(ElementID("1.5")!))))
    var after = before
    #expect(after.apply(event, touching: &touched) == nil)
    #expect(touched == [])
    before.apply(
      RoomEvent(
        revision: event.revision, time: event.time, actor: event.actor, counter: 2,
        event: .diagnostics(.nothingChanged(kind: 68))))
    #expect(StateEncoder.hash(of: after) == StateEncoder.hash(of: before))
  }

  @Test("REACT-6, LOG-29: a member's reactions go with its content; others' on its elements stay")
  func erased() throws {
    var trial = try trial()
    trial.say(rectangle("1.5"), ada)
    trial.say(react(on: "1.5"), ada)
    trial.say(react(on: "1.5"), host)
    var erasure = ContentErasure(uid: "ada")
    for event in trial.log { erasure.meet(event) }
    let reactions = trial.log.filter { $0.event.kind == EventKind.reaction.rawValue }
    let left = reactions.map { erasure.replacement(of: $0, hash: { "00" }) }
    #expect(left == [.diagnostics(.contentErased(ErasedContent(kind: 68, hash: "00"))), nil])
  }
}
