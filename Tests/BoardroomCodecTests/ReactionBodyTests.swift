import BoardroomCodec
import BoardroomModel
import EventLogModel
import Testing

/// Samples and misfits of reactions.
@Suite("Bodies of reactions")
struct ReactionBodyTests {
  private static let samples: [(Reaction, String)] = [
    (Reaction("👍", at: .page(3, x: 640, y: -12)), #"{"emoji":"👍","scene":3,"x":640,"y":-12}"#),
    (Reaction("❤️", at: .element(ElementID(member: 7, number: 40))), #"{"emoji":"❤️","element":"7.40"}"#),
  ]

  @Test("REACT-1: a reaction's body is one JSON object, the same of command and event", arguments: 0..<2)
  func bodies(row: Int) throws {
    let (reaction, text) = Self.samples[row]
    let body = EventCodec.encodeBody(.reaction(reaction), counter: 9)
    #expect(String(decoding: body.dropFirst(), as: UTF8.self) == text)
    #expect(try EventCodec.event(kind: 68, payload: Array(text.utf8)[...]) == .reaction(reaction))
    let numbered = NumberedCommand(counter: 9, command: .react(reaction))
    let (kind, bytes) = CommandCodec.encode(numbered)
    #expect(kind == 68)
    #expect(bytes == body)
    #expect(try CommandCodec.decode(kind: kind, body: bytes[...], limits: WireLimits()) == numbered)
  }

  @Test(
    "REACT-1: what names no place, two places, or one off every board is no reaction",
    arguments: [
      #"{"emoji":"👍"}"#, #"{"emoji":"👍","scene":1,"x":1}"#, #"{"emoji":"👍","scene":1,"x":1,"y":0.5}"#,
      #"{"emoji":"👍","scene":1,"x":1,"y":1099511627777}"#, #"{"emoji":"👍","scene":-1,"x":1,"y":1}"#,
      #"{"emoji":"👍","element":"1"}"#, #"{"emoji":"👍","element":"1.2","scene":1,"x":1,"y":1}"#,
      #"{"emoji":1,"element":"1.2"}"#, #"{"element":"1.2"}"#,
    ])
  func misfits(text: String) {
    #expect(throws: CodecError.self) { try EventCodec.event(kind: 68, payload: Array(text.utf8)[...]) }
    let body = [1] + Array(text.utf8)
    #expect(throws: CodecError.self) {
      try CommandCodec.decode(kind: 68, body: body[...], limits: WireLimits())
    }
  }

  @Test("REACT-1: a text of more than 256 bytes is refused where it comes in")
  func long() {
    let text = #"{"emoji":""# + String(repeating: "👍", count: 65) + #"","element":"1.2"}"#
    #expect(throws: CodecError.tooLarge(what: "emoji", actual: 260, allowed: 256)) {
      try EventCodec.event(kind: 68, payload: Array(text.utf8)[...])
    }
  }
}

/// Golden messages of reactions.
enum ReactionSamples {
  private static let reactions = [
    Reaction("👍", at: .page(1, x: 640, y: -12)),
    Reaction("👩🏽‍❤️‍💋‍👨🏿", at: .element(ElementID(member: 300, number: 2))),
  ]

  static let client: [(name: String, notice: ClientNotice)] = [
    (
      "commands-reaction",
      .commands(
        reactions.enumerated().map { place, reaction in
          NumberedCommand(counter: CommandCounter(place + 1), command: .react(reaction))
        })
    )
  ]

  private static var run: Run {
    let time = Timestamp(milliseconds: 1_764_000_000_000)
    var builder = RunBuilder(first: 340, base: time)
    for (place, reaction) in reactions.enumerated() {
      builder.append(
        Record(
          kind: EventKind.reaction.rawValue, time: time + .milliseconds(20 * place), actor: 2,
          body: EventCodec.encodeBody(.reaction(reaction), counter: CommandCounter(place + 1))))
    }
    return builder.takeRun()!
  }

  static let server: [(name: String, notice: Notice)] = [("run-reaction", .run(run))]
}
