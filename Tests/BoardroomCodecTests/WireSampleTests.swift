import BoardroomCodec
import BoardroomModel
import EventLogModel
import Foundation
import Testing

/// Messages that stay what they are for ever: `Tests/Golden/v1/wire/NAME.json` holds the hexadecimal digits
/// of the binary message and the JSON message that says the same. Written only with BOARDROOM_GOLDEN=record.
@Suite struct WireSampleTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Golden/v1/wire")

  private static func session(_ low: UInt64) -> LogID { LogID(high: 0x0123_4567_89ab_cdef, low: low) }
  private static let ticket = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
  private static let time = Timestamp(milliseconds: 1_764_000_000_000)

  private static let segment = StrokeSegment(
    number: 7,
    begin: StrokeStyle(
      scene: 1, unit: -2, tool: .pencil, colour: Colour(red: 30, green: 90, blue: 200), width: 12),
    ends: false,
    points: EncodedPoints(PointSteps(x: [400, 12], y: [-80, 3], time: [0, 8], pressure: [512, -20])))

  static let client =
    firstClient + WritingSamples.client + ReactionSamples.client + AddressSamples.client
    + LeaveSamples.client
  static let server =
    firstServer + WritingSamples.server + BoundSamples.server + ReactionSamples.server
    + AddressSamples.server + LeaveSamples.server

  private static let firstClient: [(name: String, notice: ClientNotice)] = [
    ("hello", .hello(Hello(room: session(1), token: "secret"))),
    (
      "hello-resume",
      .hello(
        Hello(
          room: session(1), token: "secret",
          resume: .init(session: session(2), generation: 3, ticket: ticket),
          cursor: Cursor(epoch: Epoch(0x1122_3344_5566_7788), revision: 300), uid: "ana",
          payload: JSONText(unchecked: "{\"name\":\"Ana\"}"), isWritable: false, client: "sample/1",
          acceptsBlocks: true))
    ),
    (
      "commands",
      .commands([
        NumberedCommand(counter: 1, command: .drawing(.stroke(segment))),
        NumberedCommand(
          counter: 2,
          command: .drawing(
            .stroke(
              StrokeSegment(
                number: 7, begin: nil, ends: true,
                points: EncodedPoints(PointSteps(x: [5], y: [0], time: [8], pressure: [-492])))))),
        NumberedCommand(
          counter: 3, command: .drawing(.pointer(PointerMove(scene: 1, unit: 0, x: 640, y: -1)))),
        NumberedCommand(counter: 4, command: .drawing(.camera(Camera(unit: 0, x: 0, y: 0, scale: 65_536)))),
        NumberedCommand(
          counter: 5, command: .magix(MagixEvent(name: "wave", payload: JSONText(unchecked: "[1,\"a\"]")))),
        NumberedCommand(
          counter: 6, command: .state(.global(JSONPatch([("a", JSONText(unchecked: "1")), ("b", nil)])))),
        NumberedCommand(counter: 7, command: .scenes(.switchTo(.path("/init")))),
        NumberedCommand(
          counter: 8,
          command: .scenes(.put(ScenesPut(directory: "/", index: 0, scenes: [SceneSpec(id: 0, name: "two")])))
        ),
        NumberedCommand(counter: 9, command: .elements(.erase([ElementID(member: 0, number: 7)]))),
      ])
    ),
    ("client-heartbeat", .heartbeat(300)), ("leave", .leave), ("client-quiet", .quiet(300, .seconds(10))),
    ("hello-quiet", .hello(Hello(room: session(1), token: "secret", acceptsQuiet: true))),
    (
      "hello-replay",
      .hello(
        Hello(
          room: session(1), token: "secret",
          replay: ReplayWish(place: .time(time), speed: 1.5, group: "class 4b")))
    ),
    ("replay", .replay(.seek(.revision(300)))),
  ]

  private static var run: Run {
    var builder = RunBuilder(first: 301, base: time)
    let events: [(UInt64, CommandCounter, Event)] = [
      (
        0, 0,
        .members(
          .joined(
            MemberJoined(
              session: session(2), uid: "ana", role: .writer, writable: true, payload: nil, client: nil)))
      ),
      (1, 1, .drawing(.stroke(segment))), (1, 2, .scenes(.switched(1))), (2, 0, .members(.left(.timeout))),
      (1, 3, .unknown(kind: 200, payload: [1, 2, 3])),
    ]
    for (place, (actor, counter, event)) in events.enumerated() {
      builder.append(
        Record(
          kind: event.kind, time: time + .milliseconds(20 * place), actor: actor,
          body: EventCodec.encodeBody(event, counter: counter)))
    }
    return builder.takeRun()!
  }

  private static var snapshot: Snapshot {
    var state = RoomState()
    state.revision = 305
    state.time = time
    state.created = RoomCreated(name: "Sample")
    state.createdAt = time
    state.globalState = ["b": .null, "a": JSONText(unchecked: "1")]
    state.scenes = [Scene(id: 1, directory: "/", name: "init")]
    state.currentScene = 1
    state.nextScene = 2
    state.nextMember = 1
    state.members[0] = Member(
      id: 0, session: session(2), uid: "ana", role: .writer, writable: true, payload: nil, client: nil,
      joined: time, camera: Camera(unit: 0, x: 0, y: 0, scale: 65_536), lastCounter: 9, lastRevision: 305)
    state.elements.put(
      Element(
        id: ElementID(member: 0, number: 7), scene: 1,
        content: .stroke(
          StrokeContent(
            style: segment.begin!, ended: true, pointCount: 2, segments: Array(segment.points.bytes)))))
    let text = "{\"id\":\"0.8\",\"scene\":1,\"type\":\"text\",\"x\":1,\"y\":2.5,\"text\":\"hi\"}"
    let put = try! ElementPut(parsing: Array(text.utf8))
    state.elements.put(Element(id: put.id, scene: 1, content: .shape(type: put.type, raw: put.raw)))
    var encoder = StateEncoder()
    return encoder.snapshot(of: state)
  }

  /// A join and bans with all that they may have.
  private static var bans: Run {
    var builder = RunBuilder(first: 7, base: time)
    let mark = "00112233445566778899aabbccddeeff"
    let events: [(UInt64, Event)] = [
      (
        1,
        .members(
          .joined(
            MemberJoined(
              session: session(2), uid: "ana", role: .writer, writable: true, payload: nil,
              client: "sample/1",
              token: mark)))
      ),
      (
        0,
        .room(
          .banSet(
            Ban(
              number: 8, room: session(1), uid: "ana", address: nil, until: time + .seconds(60), token: mark,
              since: time, member: 0, name: "Ana")))
      ),
      (0, .room(.banSet(Ban(number: 9, room: nil, uid: nil, address: "192.0.2.1", until: nil)))),
    ]
    for (actor, event) in events {
      builder.append(
        Record(
          kind: event.kind, time: time, actor: actor, body: EventCodec.encodeBody(event, counter: 0)))
    }
    return builder.takeRun()!
  }

  private static let firstServer: [(name: String, notice: Notice)] = [
    (
      "welcome",
      .welcome(
        Welcome(
          member: 0, session: session(2), generation: 1, ticket: ticket, resumed: false,
          epoch: Epoch(0x1122_3344_5566_7788), revision: 300, time: time, lastCounter: 0, writable: true,
          timings: Timings(), limits: WireLimits())
      )
    ),
    (
      "welcome-host",
      .welcome(
        Welcome(
          member: 0, session: session(2), generation: 1, ticket: ticket, resumed: false,
          epoch: Epoch(0x1122_3344_5566_7788), revision: 300, time: time, lastCounter: 0, writable: true,
          timings: Timings(), limits: WireLimits(), token: "NETLESSROOM_secret")
      )
    ),
    (
      "welcome-decided",
      .welcome(
        Welcome(
          member: 0, session: session(2), generation: 2, ticket: ticket, resumed: true,
          epoch: Epoch(0x1122_3344_5566_7788), revision: 300, time: time, lastCounter: 3, writable: true,
          timings: Timings(), limits: WireLimits(), decided: 5)
      )
    ),
    ("run-bans", .run(bans)),
    (
      "catchUp", .catchUp(CatchUpPlan(mode: .delta, reason: .deltaSmaller, from: 100, to: 300, bytes: 12_345))
    ),
    ("run", .run(run)), ("live", .live(305)),
    ("receipts", .receipts([Receipt(counter: 1, revision: 302), Receipt(counter: 2, revision: 303)])),
    ("refused", .refused(4, Refusal(.tooLarge, actual: 40_000, allowed: 32_768), revision: 304)),
    ("heartbeat", .heartbeat(305, time)), ("quiet", .quiet(305, time, .seconds(10))),
    ("farewell", .farewell(Farewell(Refusal(.kicked), kick: .kickByAdmin, comeBack: false))),
    (
      "snapshotRoot",
      .snapshotRoot(
        revision: snapshot.revision, time: snapshot.time, stateHash: snapshot.stateHash,
        parts: snapshot.parts.count, bytes: snapshot.root)
    ),
    ("snapshotPart", .snapshotPart(snapshot.parts[0].bytes)),
    (
      "replayed",
      .replayed(
        ReplayStatus(
          phase: .playing, at: time + .milliseconds(40), revision: 303, speed: 1.5, begin: time,
          end: time + .seconds(60)))
    ),
    (
      "replayed-refused",
      .replayed(
        ReplayStatus(
          phase: .paused, at: time, revision: 300, speed: 1, begin: time, end: time + .seconds(60),
          refusal: Refusal(.forbidden)))
    ),
  ]

  private struct Sample {
    var binary: [UInt8]
    var json: [UInt8]
  }

  private func stored(_ name: String) throws -> Sample {
    let file = Self.folder.appendingPathComponent("\(name).json")
    let value = try JSONScanner.scan(Array(try Data(contentsOf: file)))
    return Sample(
      binary: unhex(try #require(value.root["hex"]?.string)),
      json: Array(try #require(value.root["json"]).bytes))
  }

  private func check(_ name: String, _ fresh: Sample) throws -> Sample {
    if ProcessInfo.processInfo.environment["BOARDROOM_GOLDEN"] == "record" {
      try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
      let text =
        "{\n\"hex\":\"\(hex(fresh.binary))\",\n\"json\":\(String(decoding: fresh.json, as: UTF8.self))\n}\n"
      try Data(text.utf8).write(to: Self.folder.appendingPathComponent("\(name).json"))
    }
    let sample = try stored(name)
    #expect(hex(fresh.binary) == hex(sample.binary))
    #expect(String(decoding: fresh.json, as: UTF8.self) == String(decoding: sample.json, as: UTF8.self))
    return sample
  }

  @Test("A client's messages are the bytes of the golden samples, both ways", arguments: client.indices)
  func clientSamples(_ index: Int) throws {
    let (name, notice) = Self.client[index]
    let (binary, json) = (WireCodec(.binary), WireCodec(.json))
    let sample = try check(
      name, Sample(binary: binary.encode(client: notice), json: json.encode(client: notice)))
    #expect(try binary.decodeClient(sample.binary) == notice)
    #expect(try json.decodeClient(sample.json) == notice)
  }

  @Test("A server's messages are the bytes of the golden samples, both ways", arguments: server.indices)
  func serverSamples(_ index: Int) throws {
    let (name, notice) = Self.server[index]
    let (binary, json) = (WireCodec(.binary), WireCodec(.json))
    let sample = try check(
      name, Sample(binary: binary.encode(server: notice), json: json.encode(server: notice)))
    #expect(try binary.decodeServer(sample.binary) == notice)
    #expect(try json.decodeServer(sample.json) == notice)
  }

  @Test("There are no samples but those that the tests read")
  func all() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(files) == Set((Self.client.map(\.name) + Self.server.map(\.name)).map { "\($0).json" }))
  }

  @Test("PROTOCOL.md's worked examples are those of the samples")
  func page() throws {
    let root = Self.folder.appendingPathComponent("../../../..")
    let page = try String(contentsOf: root.appendingPathComponent("docs/PROTOCOL.md"), encoding: .utf8)
    let examples = try #require(page.range(of: "## 10. Worked examples")).upperBound
    let end = page.range(of: "\n## ", range: examples..<page.endIndex)?.lowerBound ?? page.endIndex
    let blocks = page[examples..<end].components(separatedBy: "\n\n").filter { $0.hasPrefix("    ") }
    for (block, name) in zip(blocks, ["client-heartbeat", "receipts", "commands", "run"]) {
      // Before two spaces stand the bytes of a line; `…` stands for what is left out.
      let bytes = block.split(separator: "\n").compactMap { line in
        line.dropFirst(4).components(separatedBy: "  ").first.flatMap { piece in
          piece.allSatisfy { $0.isHexDigit || " …".contains($0) } ? piece : nil
        }
      }
      #expect(!bytes.isEmpty)
      var rest = hex(try stored(name).binary)[...]
      for piece in bytes.joined().replacing(" ", with: "").components(separatedBy: "…") {
        let found = try #require(rest.range(of: piece), "\(name): \(piece)")
        rest = rest[found.upperBound...]
      }
    }
    #expect(blocks.count == 4)
  }
}
