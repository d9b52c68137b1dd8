import BoardroomCodec
import BoardroomModel
import EventLogModel
import Testing

extension Chance {
  mutating func hello() -> Hello {
    Hello(
      room: id(), token: text(),
      resume: coin() ? .init(session: id(), generation: 3, ticket: coin() ? text() : "") : nil,
      cursor: coin() ? Cursor(epoch: Epoch(next()), revision: Revision(next())) : nil,
      uid: coin() ? text() : nil, payload: coin() ? payload() : nil, isWritable: coin(),
      client: coin() ? text() : nil, acceptsBlocks: coin(), replay: coin() ? replayWish() : nil)
  }

  /// `null` is as left out, and so comes back as nothing.
  mutating func payload() -> JSONText? {
    let json = jsonText()
    return json.text == "null" ? nil : json
  }

  mutating func replayWish() -> ReplayWish {
    ReplayWish(place: coin() ? replayPlace() : nil, speed: replaySpeed(), group: coin() ? text() : nil)
  }

  mutating func replayPlace() -> ReplayPlace {
    coin()
      ? .time(Timestamp(milliseconds: Int64(number(upTo: 1 << 60)))) : .revision(Revision(next()))
  }

  mutating func replaySpeed() -> Double {
    coin() ? Double(1 + upTo(999)) : Double(1 + upTo(99_900)) / 100
  }

  mutating func replayControl() -> ReplayControl {
    switch upTo(4) {
    case 0: .play
    case 1: .pause
    case 2: .speed(replaySpeed())
    default: .seek(replayPlace())
    }
  }

  mutating func replayStatus() -> ReplayStatus {
    ReplayStatus(
      phase: pick(ReplayPhase.allCases), at: Timestamp(milliseconds: Int64(number(upTo: 1 << 60))),
      revision: Revision(next()), speed: replaySpeed(), begin: Timestamp(milliseconds: 5),
      end: Timestamp(milliseconds: Int64(number(upTo: 1 << 60))), refusal: coin() ? refusal() : nil)
  }

  mutating func commands() -> [NumberedCommand] {
    (0...upTo(3)).map { place in
      NumberedCommand(
        counter: 1 + UInt64(place) + number(upTo: 1 << 50),
        command: command(pick(EventKind.allCases)) ?? .members(.setWritable(true)))
    }
  }

  mutating func refusal() -> Refusal {
    Refusal(
      pick(RefusalCode.allCases), cause: text(40), cure: text(40), actual: coin() ? upTo(9_999) : nil,
      allowed: coin() ? upTo(9_999) : nil)
  }

  mutating func welcome() -> Welcome {
    Welcome(
      member: MemberID(number(upTo: .max - 1)), session: id(),
      generation: Generation(number(upTo: 1 << 32 - 1)), ticket: coin() ? text() : "",
      resumed: coin(), epoch: Epoch(next()), revision: Revision(next()),
      time: Timestamp(milliseconds: Int64(number(upTo: 1 << 60))), lastCounter: next(), writable: coin(),
      timings: Timings(heartbeat: .milliseconds(upTo(5_000))), limits: WireLimits(message: upTo(1 << 30)),
      acceptsLeaveChannel: coin())
  }

  mutating func receipts() -> [Receipt] {
    (0..<upTo(4)).map { _ in Receipt(counter: next(), revision: Revision(next())) }
  }

  /// One of everything that a server says and both subprotocols know; snapshots have tests of their own.
  mutating func notices() -> [Notice] {
    [
      .welcome(welcome()),
      .catchUp(
        CatchUpPlan(
          mode: pick(CatchUpPlan.Mode.allCases), reason: pick(CatchUpPlan.Reason.allCases),
          from: Revision(next()), to: Revision(next()), bytes: upTo(1 << 40))),
      .run(run(records: 1 + upTo(9))), .live(Revision(next())), .receipts(receipts()),
      .refused(next(), refusal(), revision: Revision(next())),
      .heartbeat(Revision(next()), Timestamp(milliseconds: Int64(number(upTo: 1 << 60)))),
      .farewell(Farewell(refusal(), kick: coin() ? pick(KickReason.allCases) : nil, comeBack: coin())),
      .replayed(replayStatus()),
    ]
  }
}

@Suite struct WireCodecTests {
  @Test(
    "WIRE-9: everything that a client says comes back in both subprotocols",
    arguments: Subprotocol.allCases)
  func client(_ subprotocol: Subprotocol) throws {
    var chance = Chance(900)
    let codec = WireCodec(subprotocol)
    for _ in 0..<200 {
      let notices: [ClientNotice] = [
        .hello(chance.hello()), .commands(chance.commands()), .heartbeat(Revision(chance.next())), .leave,
        .replay(chance.replayControl()),
      ]
      for notice in notices {
        #expect(try codec.decodeClient(codec.encode(client: notice)) == notice)
      }
    }
  }

  @Test(
    "WIRE-9: everything that a server says comes back in both subprotocols",
    arguments: Subprotocol.allCases)
  func server(_ subprotocol: Subprotocol) throws {
    var chance = Chance(901)
    let codec = WireCodec(subprotocol)
    for _ in 0..<200 {
      for notice in chance.notices() {
        #expect(try codec.decodeServer(codec.encode(server: notice)) == notice)
      }
    }
  }

  @Test("A command in JSON has the same body as in binary, so that the log cannot tell them apart")
  func sameBodies() throws {
    var chance = Chance(902)
    for _ in 0..<100 {
      let notice = ClientNotice.commands(chance.commands())
      var bodies: [[CommandReading]] = []
      for codec in [WireCodec(.binary), WireCodec(.json)] {
        guard case .commands(let readings) = try codec.readClient(codec.encode(client: notice)) else {
          continue
        }
        bodies.append(readings)
      }
      #expect(bodies.count == 2)
      #expect(bodies[0] == bodies[1])
    }
  }

  @Test("One bad command does not spoil the others of its message", arguments: Subprotocol.allCases)
  func faulty(_ subprotocol: Subprotocol) throws {
    let codec = WireCodec(subprotocol, limits: WireLimits(magix: 60))
    let good = NumberedCommand(counter: 1, command: .members(.setWritable(true)))
    let large = NumberedCommand(
      counter: 2,
      command: .magix(
        MagixEvent(name: "e", payload: JSONText(unchecked: "\"\(String(repeating: "x", count: 60))\""))))
    let message = codec.encode(client: .commands([good, large, good]))
    guard case .commands(let readings) = try codec.readClient(message) else { return #expect(Bool(false)) }
    let body = CommandCodec.encode(good).body
    #expect(readings[0] == .command(good, body: body[...]))
    #expect(readings[1] == .faulty(2, kind: 30, .tooLarge(what: "magix", actual: 86, allowed: 60)))
    #expect(readings[2] == .command(good, body: body[...]))
    #expect(throws: CodecError.tooLarge(what: "magix", actual: 86, allowed: 60)) {
      try codec.decodeClient(message)
    }
  }

  @Test("A kind of command that is not known is faulty, with its counter", arguments: Subprotocol.allCases)
  func unknownKind(_ subprotocol: Subprotocol) throws {
    let (bytes, kind): ([UInt8], UInt8) =
      switch subprotocol {
      case .binary: ([2, 2, 200, 7, 0], 200)
      case .json:
        (Array("{\"m\":\"commands\",\"commands\":[{\"n\":7,\"kind\":\"dance\",\"body\":{}}]}".utf8), 0)
      }
    #expect(
      try WireCodec(subprotocol).readClient(bytes) == .commands([.faulty(7, kind: kind, .unknownKind(kind))]))
  }

  @Test("Unknown fields are ignored, from both sides; null in an optional field is the same as none")
  func unknownFields() throws {
    let room = "00000000000000000000000000000001"
    let hello = "{\"room\":\"\(room)\",\"later\":[{}],\"token\":\"t\",\"uid\":null,\"session\":null}"
    let notice = ClientNotice.hello(Hello(room: LogID(high: 0, low: 1), token: "t"))
    #expect(try WireCodec(.binary).decodeClient([1] + hello.utf8) == notice)
    #expect(
      try WireCodec(.json).decodeClient(Array(("{\"m\":\"hello\"," + hello.dropFirst()).utf8)) == notice)
    let live = Array("{\"later\":null,\"revision\":4,\"m\":\"live\"}".utf8)
    #expect(try WireCodec(.json).decodeServer(live) == .live(4))
  }

  @Test("A refusal code of a later version is read as internal, with its own sentences")
  func laterCodes() throws {
    let text =
      "{\"m\":\"refused\",\"counter\":1,\"revision\":2,\"code\":\"tooPurple\",\"cause\":\"a\",\"cure\":\"b\"}"
    let refusal = Refusal(.internalFailure, cause: "a", cure: "b")
    #expect(try WireCodec(.json).decodeServer(Array(text.utf8)) == .refused(1, refusal, revision: 2))
  }

  @Test("A stored block goes as it is in binary, as a run in JSON, and unpacks to the same run")
  func blocks() throws {
    var builder = RunBuilder(first: 5, base: Timestamp(milliseconds: 100))
    for _ in 0..<3 {
      builder.append(
        Record(kind: 200, time: Timestamp(milliseconds: 107), actor: 1, body: [0, 1, 1, 1, 1, 1]))
    }
    let run = builder.takeRun()!
    // By hand: the first record and the step of the second as literals, then what repeats is plain literals
    // too.
    let packed = [0xf0, UInt8(run.records.count - 15)] + run.records
    let stored = StoredRun(
      first: 5, count: 3, base: run.base, last: run.last, coding: .lz4, bytes: packed,
      rawLength: run.records.count)
    #expect(try Run(unpacking: stored) == run)
    let binary = WireCodec(.binary)
    #expect(try binary.decodeServer(binary.encode(server: .block(stored))) == .block(stored))
    #expect(try binary.decodeServer(binary.encode(server: .block(StoredRun(run)))) == .run(run))
    let json = WireCodec(.json)
    #expect(try json.decodeServer(json.encode(server: .block(stored))) == .run(run))
    let damaged = StoredRun(
      first: 5, count: 4, base: run.base, last: run.last, coding: .lz4, bytes: packed,
      rawLength: run.records.count)
    #expect(throws: CodecError.self) { try Run(unpacking: damaged) }
    guard case .farewell(let farewell) = try json.decodeServer(json.encode(server: .block(damaged))) else {
      return #expect(Bool(false))
    }
    #expect(farewell.refusal.code == .internalFailure)
    #expect(farewell.comeBack)
  }

  @Test("The hot messages are the bytes that encode gives")
  func hotMessages() {
    var chance = Chance(903)
    let codec = WireCodec(.binary)
    let run = chance.run(records: 4)
    let receipts = chance.receipts()
    #expect(WireCodec.runMessage(run) == codec.encode(server: .run(run)))
    #expect(WireCodec.runMessage(run) == [66] + run.encoded)
    #expect(WireCodec.receiptsMessage(receipts) == codec.encode(server: .receipts(receipts)))
    #expect(WireCodec.heartbeatMessage(3, at: .zero) == [74, 3, 0])
  }

  @Test("Mutated messages give a notice or an error, in both subprotocols", arguments: Subprotocol.allCases)
  func fuzz(_ subprotocol: Subprotocol) {
    var chance = Chance(904)
    let codec = WireCodec(subprotocol)
    var accepted = 0
    for _ in 0..<1_500 {
      let client = chance.mutate(
        codec.encode(client: chance.coin() ? .hello(chance.hello()) : .commands(chance.commands())))
      if let notice = try? codec.decodeClient(client) {
        accepted += 1
        #expect((try? codec.decodeClient(codec.encode(client: notice))) == notice)
      }
      for notice in chance.notices() {
        guard let back = try? codec.decodeServer(chance.mutate(codec.encode(server: notice))) else {
          continue
        }
        accepted += 1
        #expect((try? codec.decodeServer(codec.encode(server: back))) == back)
      }
    }
    #expect(accepted > 500)
  }

  @Test(
    "RPL-11: a wish or control that says no place, two, a speed out of range or nothing known is refused by name",
    arguments: [
      ("{\"m\":\"replay\",\"do\":\"seek\"}", "replay.at"),
      ("{\"m\":\"replay\",\"do\":\"seek\",\"at\":1,\"revision\":2}", "at"),
      ("{\"m\":\"replay\",\"do\":\"speed\",\"speed\":0}", "speed"),
      ("{\"m\":\"replay\",\"do\":\"speed\",\"speed\":1000.5}", "speed"),
      ("{\"m\":\"replay\",\"do\":\"speed\"}", "speed"), ("{\"m\":\"replay\",\"do\":\"stop\"}", "do"),
      ("{\"m\":\"replay\"}", "do"),
    ])
  func wrongReplays(_ text: String, _ field: String) throws {
    do throws(CodecError) {
      _ = try WireCodec(.json).decodeClient(Array(text.utf8))
      Issue.record("it was taken")
    } catch {
      guard case .invalid(let found, _) = error else { throw error }
      #expect(found.hasSuffix(field.split(separator: ".").last.map(String.init) ?? field))
    }
  }
}
