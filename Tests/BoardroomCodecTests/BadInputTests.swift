import BoardroomCodec
import BoardroomModel
import EventLogModel
import Testing

/// A message that a server must refuse, and the error that it refuses it with. The refusal that goes back to
/// the client has the code beside it.
struct BadInput: Sendable, CustomTestStringConvertible {
  var what: String
  var subprotocol: Subprotocol
  var bytes: [UInt8]
  var error: CodecError
  var code: RefusalCode

  var testDescription: String { what }

  static func binary(_ what: String, _ hex: String, _ error: CodecError, _ code: RefusalCode = .malformed)
    -> Self
  {
    BadInput(what: what, subprotocol: .binary, bytes: unhex(hex), error: error, code: code)
  }

  /// One command of kind `kind` with counter 1 and this payload.
  static func command(
    _ what: String, _ kind: UInt8, _ payload: [UInt8], _ error: CodecError, _ code: RefusalCode = .malformed
  ) -> Self {
    var bytes: [UInt8] = [2]
    bytes.appendVarint(UInt64(payload.count + 1))
    return BadInput(
      what: what, subprotocol: .binary, bytes: bytes + [kind, 1] + payload, error: error, code: code)
  }

  static func text(_ what: String, _ text: String, _ error: CodecError, _ code: RefusalCode = .badParameter)
    -> Self
  {
    BadInput(what: what, subprotocol: .json, bytes: Array(text.utf8), error: error, code: code)
  }

  /// One command in JSON with counter 1.
  static func body(
    _ what: String, _ kind: String, _ body: String, _ error: CodecError, _ code: RefusalCode = .badParameter
  ) -> Self {
    text(
      what, "{\"m\":\"commands\",\"commands\":[{\"n\":1,\"kind\":\"\(kind)\",\"body\":\(body)}]}", error, code
    )
  }
}

func bad(_ field: String, _ reason: String) -> CodecError { .invalid(field: field, reason: reason) }
func badName(_ field: String, _ reason: String) -> CodecError {
  .badName(field: field, reason: reason)
}
private let room = "\"room\":\"00000000000000000000000000000001\""
private let limits = WireLimits(
  message: 4_096, stroke: 64, magix: 64, statePatch: 64, element: 256, uid: 8, payload: 16, scenes: 2,
  jsonDepth: 4)

private let frames: [BadInput] = [
  .binary("an empty message", "", .wire(.truncated(at: 0))),
  .binary("a type that clients do not have", "3f", .wire(.badField("message type", at: 0))),
  .binary("a replay without its object", "05", .json(JSONError(.empty, at: 0)), .malformed),
  .binary("a type of the server's", "4203", .wire(.badField("message type", at: 0))),
  .binary("a leave with something behind it", "0400", .wire(.trailingBytes(at: 1))),
  .binary("a heartbeat without a revision", "03", .wire(.truncated(at: 0))),
  .binary("a heartbeat with an overlong integer", "038000", .wire(.overlongInteger(at: 1))),
  .binary("a heartbeat of 65 bits", "03ffffffffffffffffff02", .wire(.overlongInteger(at: 9))),
  .binary("a heartbeat with something behind it", "030100", .wire(.trailingBytes(at: 1))),
  .binary("no command at all", "02", .wire(.truncated(at: 1))),
  .binary("a command longer than its message", "02051e01", .wire(.truncated(at: 2))),
  .binary("a command without a kind", "0201", .wire(.truncated(at: 1))),
  .binary("a command length beyond any message", "02808080801001", .wire(.badField("command length", at: 0))),
  .binary("a command without a counter", "02001e", .wire(.truncated(at: 0))),
  .binary("a command with counter 0", "02011e00", .wire(.badField("counter", at: 0))),
  .binary(
    "a counter over 2^53 - 1", "02081e8080808080808010", .wire(.badField("counter", at: 0))),
  .binary("a hello that is no JSON", "017b", .json(JSONError(.truncated, at: 1))),
  .binary("a kind that only the server has", "020310017b7d", .unknownKind(16), .unknownKind),
]

/// Of JSON, whatever the kind.
private let jsonBodies: [BadInput] = [
  .command(
    "space before a JSON body", 30, Array(" {\"event\":\"e\"}".utf8),
    bad("magix", "must be one JSON object without space around it"), .badParameter),
  .command("a key twice", 23, Array("{\"a\":1,\"a\":2}".utf8), .json(JSONError(.duplicateKey, at: 7))),
  .command(
    "JSON that is not UTF-8", 23, Array("{\"".utf8) + [0xff] + Array("\":1}".utf8),
    .json(JSONError(.badUTF8, at: 2))),
  .command("JSON nested too deeply", 23, Array("{\"a\":[[[[]]]]}".utf8), .json(JSONError(.tooDeep, at: 8))),
  .body("a body that is no object", "magix", "[]", bad("magix", "must be an object")),
]

private let messages: [BadInput] = [
  .text("a message without a name", "{}", bad("message.m", "is missing")),
  .text(
    "a message of the server's", "{\"m\":\"welcome\"}", bad("message.m", "is not a message that clients send")
  ),
  .text("a message that is an array", "[]", bad("message", "must be an object")),
  .text(
    "commands that are none", "{\"m\":\"commands\",\"commands\":[]}",
    bad("message.commands", "must not be empty")),
  .text(
    "a command whose counter is 0", "{\"m\":\"commands\",\"commands\":[{\"n\":0,\"kind\":\"leave\"}]}",
    bad("commands.n", "must not be zero")),
  .text(
    "a room in capitals", "{\"m\":\"hello\",\"room\":\"0000000000000000000000000000000A\",\"token\":\"\"}",
    bad("message.room", "must be 32 lower-case hexadecimal digits")),
  .text("a hello without a token", "{\"m\":\"hello\",\(room)}", bad("message.token", "is missing")),
  .text(
    "a session without its generation",
    "{\"m\":\"hello\",\(room),\"token\":\"\",\"session\":\"00000000000000000000000000000001\"}",
    bad("message.generation", "is missing")),
  .text(
    "a ticket that is no text",
    """
    {"m":"hello",\(room),"token":"","session":"00000000000000000000000000000001","generation":1,"ticket":7}
    """, bad("message.ticket", "must be a string")),
  .text(
    "a cursor without its epoch", "{\"m\":\"hello\",\(room),\"token\":\"\",\"revision\":4}",
    bad("message.epoch", "is missing")),
  .text(
    "a uid over its limit", "{\"m\":\"hello\",\(room),\"token\":\"\",\"uid\":\"123456789\"}",
    .tooLarge(what: "uid", actual: 9, allowed: 8), .tooLarge),
  .text(
    "a userPayload over its limit",
    "{\"m\":\"hello\",\(room),\"token\":\"\",\"payload\":\"123456789012345\"}",
    .tooLarge(what: "payload", actual: 17, allowed: 16), .tooLarge),
  .text(
    "a number with a leading zero", "{\"m\":\"heartbeat\",\"revision\":01}",
    .json(JSONError(.badNumber, at: 28)), .malformed),
  .text("half a surrogate pair", "{\"m\":\"\\ud800\"}", .json(JSONError(.loneSurrogate, at: 6)), .malformed),
  .text(
    "a message over its limit", String(repeating: " ", count: 4_097),
    .tooLarge(what: "message", actual: 4_097, allowed: 4_096), .tooLarge),
]

private let all = frames + jsonBodies + families + messages

/// Of bodies, a family of kinds after the other.
private let families: [BadInput] =
  BadInput.drawing + BadInput.elements + BadInput.scenes + BadInput.state + BadInput.members + BadInput.custom

@Suite struct BadInputTests {
  @Test(
    "WIRE-10, WIRE-11, WIRE-17: bad input has its documented answer and never goes through",
    arguments: all)
  func answers(_ input: BadInput) {
    #expect(throws: input.error) {
      try WireCodec(input.subprotocol, limits: limits).decodeClient(input.bytes)
    }
    #expect(input.error.refusal.code == input.code)
  }

  @Test("The table is as large as the rule asks: 35 bad inputs at least, none twice")
  func count() {
    let names = all.map(\.what)
    #expect(names.count >= 35)
    #expect(Set(names).count == names.count)
  }

  @Test("WIRE-12, WIRE-17: a refusal tells sizes and limits by name, and never what came")
  func refusals() {
    let refusal = CodecError.tooLarge(what: "magix", actual: 9, allowed: 4).refusal
    #expect((refusal.code, refusal.actual, refusal.allowed) == (.tooLarge, 9, 4))
    #expect(refusal.cause == "The magix is larger than the limit.")
    #expect(refusal.limit == "limits.magix")
    for (what, limit) in [
      ("stroke", "limits.stroke"), ("camera", "limits.stroke"), ("memberState", "limits.statePatch"),
      ("storeSet", "limits.statePatch"), ("scenesPut", "limits.message"), ("roomLocked", "limits.element"),
      ("scene count", "limits.scenes"), ("message", "limits.message"), ("uid", "limits.uid"),
      ("payload", "limits.payload"), ("replay.group", "replay.group"),
    ] {
      #expect(CodecError.tooLarge(what: what, actual: 9, allowed: 4).refusal.limit == limit)
    }
    for reason in JSONError.Reason.allCases {
      #expect(
        CodecError.json(JSONError(reason, at: 7)).refusal.cause.hasPrefix("The text is not strict JSON: "))
    }
  }

  @Test("WIRE-18: null in an optional field is the same as leaving it out")
  func nulls() throws {
    let plain = try hello("")
    #expect(
      try hello(
        """
        ,"payload":null,"uid":null,"session":null,"generation":null,"epoch":null,"revision":null,"isWritable":null,\
        "client":null,"acceptsBlocks":null,"replay":null,"service":null,"account":null,"channel":null
        """) == plain)
    let replay = try hello(",\"replay\":{\"at\":null,\"revision\":null,\"speed\":null,\"group\":null}").replay
    #expect(replay == ReplayWish())
    #expect(try hello(",\"replay\":{\"at\":null,\"revision\":7}").replay?.place == .revision(7))
  }

  private func hello(_ more: String) throws -> Hello {
    let text = "{\"m\":\"hello\",\(room),\"token\":\"\"\(more)}"
    guard case .hello(let hello) = try WireCodec(.json).decodeClient(Array(text.utf8)) else {
      throw CodecError.unknownKind(0)
    }
    return hello
  }

  @Test(
    "What a server must not say is refused by the client too",
    arguments: [
      ("42", .wire(.truncated(at: 0))), ("4200010000", .wire(.badField("run header", at: 0))),
      ("4201000000", .wire(.badField("run header", at: 0))), ("4201010000", .wire(.truncated(at: 0))),
      ("420101000500c80000", .wire(.truncated(at: 4))),
      ("420101000400c8000000", .wire(.trailingBytes(at: 8))),
      ("44", nil), ("4401", .wire(.truncated(at: 1))), ("4901ff", .wire(.trailingBytes(at: 1))),
      ("47010100", .wire(.truncated(at: 2))), ("4a01", .wire(.truncated(at: 1))),
      ("0100", .wire(.badField("message type", at: 0))), ("437b7d", .wire(.truncated(at: 2))),
      ("41", .json(JSONError(.empty, at: 0))),
    ] as [(String, CodecError?)])
  func server(_ hex: String, _ error: CodecError?) {
    var thrown: CodecError?
    do throws(CodecError) { _ = try WireCodec(.binary).decodeServer(unhex(hex)) } catch { thrown = error }
    #expect(thrown == error)
  }
}
