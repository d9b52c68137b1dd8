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

private func bad(_ field: String, _ reason: String) -> CodecError { .invalid(field: field, reason: reason) }
private func badName(_ field: String, _ reason: String) -> CodecError {
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

private let hotBodies: [BadInput] = [
  .command("a stroke that ends in its number", 1, [0x80], .wire(.truncated(at: 1))),
  .command("a stroke flag that does not exist", 1, [0, 8, 0], .wire(.badField("stroke flags", at: 1))),
  .command("a unit beyond 15", 1, [0, 5, 1, 16, 0, 0, 0, 0, 255, 4, 0], .wire(.badField("unit", at: 3))),
  .command(
    "a tool that does not exist", 1, [0, 5, 1, 0, 3, 0, 0, 0, 255, 4, 0], .wire(.badField("tool", at: 4))),
  .command(
    "a width over 65,535", 1, [0, 5, 1, 0, 0, 0, 0, 0, 255, 0x80, 0x80, 4, 0],
    .wire(.badField("width", at: 9))),
  .command("4,097 points", 1, [0, 4, 0x81, 0x20], .wire(.badField("point count", at: 2))),
  .command("fewer points than counted", 1, [0, 4, 2, 1, 1, 1, 1, 8], .wire(.truncated(at: 8))),
  .command("more points than counted", 1, [0, 4, 1, 1, 1, 8, 8], .wire(.trailingBytes(at: 6))),
  .command("an overlong coordinate", 1, [0, 4, 1, 0x81, 0, 1, 8], .wire(.overlongInteger(at: 4))),
  .command("a pressure over 1,023", 1, [0, 0, 1, 0, 0, 8, 0x80, 0x10], .wire(.badField("pressure", at: 6))),
  .command(
    "a pressure below 0 where the stroke begins", 1, [0, 1, 1, 0, 0, 0, 0, 0, 255, 4, 1, 0, 0, 8, 1],
    .wire(.badField("pressure", at: 14))),
  .command(
    "pressures that no start can keep within 1,023", 1, [0, 0, 2, 0, 0, 0, 0, 8, 8, 0xfe, 0x0f, 2],
    .wire(.badField("pressure", at: 11))),
  .command(
    "a coordinate over 2^40", 2, [1, 0, 0x82, 0x80, 0x80, 0x80, 0x80, 0x40, 0], .wire(.badField("x", at: 2))),
  .command("a pointer cut off", 2, [1, 0, 2], .wire(.truncated(at: 3))),
  .command("a camera of scale 0", 3, [0, 0, 0, 0], .wire(.badField("scale", at: 3))),
  .command(
    "a stroke over its limit", 1, Array(repeating: 0, count: 65),
    .tooLarge(what: "stroke", actual: 65, allowed: 64), .tooLarge),
]

private let jsonBodies: [BadInput] = [
  .command(
    "space before a JSON body", 30, Array(" {\"event\":\"e\"}".utf8),
    bad("magix", "must be one JSON object without space around it"), .badParameter),
  .command("a key twice", 23, Array("{\"a\":1,\"a\":2}".utf8), .json(JSONError(.duplicateKey, at: 7))),
  .command(
    "JSON that is not UTF-8", 23, Array("{\"".utf8) + [0xff] + Array("\":1}".utf8),
    .json(JSONError(.badUTF8, at: 2))),
  .command("JSON nested too deeply", 23, Array("{\"a\":[[[[]]]]}".utf8), .json(JSONError(.tooDeep, at: 8))),
  .body("a magix without a name", "magix", "{\"payload\":1}", bad("magix.event", "is missing")),
  .body(
    "a magix with an empty name", "magix", "{\"event\":\"\"}", badName("magix.event", "must not be empty"),
    .badName),
  .body("a body that is no object", "magix", "[]", bad("magix", "must be an object")),
  .body(
    "writable as a word", "memberWritable", "{\"writable\":\"yes\"}",
    bad("memberWritable.writable", "must be true or false")),
  .body(
    "a view mode that does not exist", "viewMode", "{\"mode\":\"Freedom\"}",
    bad("viewMode.mode", "is not one of the values that docs/PROTOCOL.md lists")),
  .body(
    "a switch to a path and an index", "sceneSwitched", "{\"path\":\"/a\",\"index\":1}",
    bad("sceneSwitched.path", "or index must be given, and not both")),
  .body(
    "a directory with an empty name", "scenesPut", "{\"directory\":\"/a//b\",\"index\":0,\"scenes\":[]}",
    badName("scenesPut.directory", "must begin with a slash, not end with one, and hold no empty name"),
    .badName),
  .body(
    "a scene's name with a slash", "scenesPut",
    "{\"directory\":\"/\",\"index\":0,\"scenes\":[{\"name\":\"a/b\"}]}",
    badName("scenes.name", "must not be empty and not hold a slash"), .badName),
  .body(
    "a scene without a name", "scenesPut", "{\"directory\":\"/\",\"index\":0,\"scenes\":[{\"name\":\"\"}]}",
    badName("scenes.name", "must not be empty and not hold a slash"), .badName),
  .body(
    "a switch to a path without a slash", "sceneSwitched", "{\"path\":\"a\"}",
    badName("sceneSwitched.path", "must begin with a slash, not end with one, and hold no empty name"),
    .badName),
  .body(
    "a path that ends with a slash", "scenesRemoved", "{\"path\":\"/a/\"}",
    badName("scenesRemoved.path", "must begin with a slash, not end with one, and hold no empty name"),
    .badName),
  .body(
    "a move to no path", "sceneMoved", "{\"path\":\"/a\",\"target\":\"\"}",
    badName("sceneMoved.target", "must begin with a slash, not end with one, and hold no empty name"),
    .badName),
  .body(
    "a store without a name", "storeDeleted", "{\"store\":\"\"}",
    badName("storeDeleted.store", "must not be empty"),
    .badName),
  .body(
    "more scenes than a room may have", "scenesPut",
    "{\"directory\":\"/\",\"index\":0,\"scenes\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"}]}",
    .tooLarge(what: "scene count", actual: 3, allowed: 2), .tooLarge),
  .body(
    "an element id with a leading zero", "erased", "{\"elements\":[\"1.02\"]}",
    bad("erased.elements", "must hold element ids, \"member.number\"")),
  .body(
    "an element of a type that does not exist", "elementPut",
    "{\"id\":\"1.2\",\"scene\":1,\"type\":\"circle\",\"x\":0,\"y\":0}",
    bad("elementPut.type", "is not one of the values that docs/PROTOCOL.md lists")),
  .body(
    "an element at infinity", "elementPut",
    "{\"id\":\"1.2\",\"scene\":1,\"type\":\"text\",\"x\":1e999,\"y\":0,\"text\":\"\"}",
    bad("elementPut.x", "must be a finite number")),
  .body(
    "a rectangle of negative width", "elementPut",
    "{\"id\":\"1.2\",\"scene\":1,\"type\":\"rectangle\",\"x\":1,\"y\":0,\"width\":-1,\"height\":1}",
    bad("elementPut.width", "must not be negative")),
  .body(
    "a text that is a number", "elementPut",
    "{\"id\":\"1.2\",\"scene\":1,\"type\":\"text\",\"x\":1,\"y\":0,\"text\":5}",
    bad("elementPut.text", "must be a string")),
  .body(
    "a stroke whose arrays differ in length", "stroke",
    "{\"stroke\":1,\"end\":true,\"dx\":[1,2],\"dy\":[1],\"dt\":[1]}",
    bad("stroke.dx", "must have as many numbers as dy, dt and dp")),
  .body(
    "a coordinate with a fraction", "pointer", "{\"scene\":1,\"unit\":0,\"x\":1.5,\"y\":0}",
    bad("pointer.x", "must be a whole number from -1099511627776 to 1099511627776")),
  .body(
    "a patch over its limit", "globalState", "{\"a\":\"\(String(repeating: "x", count: 60))\"}",
    .tooLarge(what: "globalState", actual: 68, allowed: 64), .tooLarge),
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

@Suite struct BadInputTests {
  @Test(
    "WIRE-10, WIRE-11, WIRE-17: bad input has its documented answer and never goes through",
    arguments: frames + hotBodies + jsonBodies + messages)
  func answers(_ input: BadInput) {
    #expect(throws: input.error) {
      try WireCodec(input.subprotocol, limits: limits).decodeClient(input.bytes)
    }
    #expect(input.error.refusal.code == input.code)
  }

  @Test("The table is as large as the rule asks: 35 bad inputs at least, none twice")
  func count() {
    let names = (frames + hotBodies + jsonBodies + messages).map(\.what)
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
