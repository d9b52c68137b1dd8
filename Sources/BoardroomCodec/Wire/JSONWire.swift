import BoardroomModel
import EventLogModel

// `boardroom.json.v1`: a message is one JSON object, named by `m` (docs/PROTOCOL.md, section 5).

enum JSONWire {
  /// Arrays and objects that a message puts around a body: the message, its list, the command or record.
  static let wrapping = 3

  // MARK: From the client

  static func readClient(_ bytes: [UInt8], _ limits: WireLimits) throws(CodecError) -> ClientReading {
    let scan = JSONLimits(depth: limits.jsonDepth + wrapping, bytes: limits.message)
    let fields = try JSONFields(text: bytes[...], limits: scan, of: "message")
    let name = try fields.string("m")
    guard let type = ClientType.allCases.first(where: { $0.name == name }) else {
      throw fields.error("m", "is not a message that clients send")
    }
    switch type {
    case .hello: return .notice(.hello(try fields.hello(limits)))
    case .commands: return .commands(try commands(fields, limits))
    case .heartbeat: return .notice(.heartbeat(try fields.revision("revision")))
    case .quiet: return .notice(.quiet(try fields.revision("revision"), try fields.interval("ms")))
    case .leave: return .notice(.leave)
    case .replay: return .notice(.replay(try fields.replayControl()))
    case .ask: return .notice(.ask(try fields.ask()))
    }
  }

  private static func commands(
    _ fields: JSONFields, _ limits: WireLimits
  ) throws(CodecError) -> [CommandReading] {
    let items = try fields.array("commands")
    guard !items.isEmpty else { throw fields.error("commands", "must not be empty") }
    var readings: [CommandReading] = []
    for item in items { readings.append(try command(JSONFields(item, of: "commands"), limits)) }
    return readings
  }

  private static func command(
    _ fields: JSONFields, _ limits: WireLimits
  ) throws(CodecError) -> CommandReading {
    let counter = try fields.number("n", upTo: FieldRanges.exactInteger)
    guard counter > 0 else { throw fields.error("n", "must not be zero") }
    guard let kind = EventKind(named: try fields.string("kind")) else {
      return .faulty(counter, kind: 0, .unknownKind(0))
    }
    do throws(CodecError) {
      let payload = try RecordMirror.payload(kind: kind, body: try fields.item("body"))
      var body: [UInt8] = []
      body.appendVarint(counter)
      body.append(contentsOf: payload)
      return try BinaryWire.command(kind: kind.rawValue, body: body[...], limits)
    } catch { return .faulty(counter, kind: kind.rawValue, error) }
  }

  static func encode(client notice: ClientNotice) -> [UInt8] {
    JSONWriter.object { writer in
      switch notice {
      case .hello(let hello):
        writer.field("m", "hello")
        writer.hello(hello)
      case .commands(let commands):
        writer.field("m", "commands")
        writer.list("commands", commands) { $0.command($1) }
      case .heartbeat(let revision):
        writer.field("m", "heartbeat")
        writer.field("revision", revision)
      case .quiet(let revision, let interval):
        writer.field("m", "quiet")
        writer.field("revision", revision)
        writer.field("ms", interval)
      case .leave: writer.field("m", "leave")
      case .replay(let control):
        writer.field("m", "replay")
        writer.replayControl(control)
      case .ask(let ask):
        writer.field("m", "ask")
        writer.ask(ask)
      }
    }
  }

  // MARK: From the server

  static func decodeServer(_ bytes: [UInt8]) throws(CodecError) -> Notice {
    let fields = try JSONFields(text: bytes[...], limits: RecordMirror.limits, of: "message")
    let name = try fields.string("m")
    guard let type = ServerType.allCases.first(where: { $0.name == name }) else {
      throw fields.error("m", "is not a message that servers send")
    }
    switch type {
    case .welcome: return .welcome(try fields.welcome())
    case .catchUp: return .catchUp(try fields.catchUp())
    case .refused: return try fields.refused()
    case .farewell: return .farewell(try fields.farewell())
    case .live: return .live(try fields.revision("revision"))
    case .run: return .run(try fields.run())
    case .receipts: return .receipts(try fields.receipts())
    case .snapshotRoot: return try fields.snapshotRoot()
    case .snapshotPart: return .snapshotPart(try fields.statePart())
    case .heartbeat: return .heartbeat(try fields.revision("revision"), try fields.time("time"))
    case .quiet:
      return .quiet(try fields.revision("revision"), try fields.time("time"), try fields.interval("ms"))
    case .replayed: return .replayed(try fields.replayStatus())
    case .answer: return .answer(try fields.answer())
    case .block: throw fields.error("m", "is not a message of this subprotocol")
    }
  }

  static func encode(server notice: Notice) -> [UInt8] {
    switch notice {
    case .run(let run): return RecordMirror.json(of: run)
    case .block(let stored): return block(stored)
    case .welcome, .catchUp, .refused, .farewell, .live, .receipts, .snapshotRoot, .snapshotPart, .heartbeat,
      .quiet, .replayed, .answer:
      return JSONWriter.object { $0.message(notice) }
    }
  }

  private static func block(_ stored: StoredRun) -> [UInt8] {
    do throws(CodecError) { return RecordMirror.json(of: try Run(unpacking: stored)) } catch {
      return encode(server: .farewell(Farewell(Refusal(.internalFailure), comeBack: true)))
    }
  }
}

extension JSONWriter {
  fileprivate mutating func command(_ numbered: NumberedCommand) {
    object { writer in
      writer.field("n", numbered.counter)
      writer.field("kind", numbered.command.kind.name)
      writer.key("body")
      switch numbered.command {
      case .drawing(let act): if (try? writer.drawing(act)) == nil { writer.null() }
      default:
        var payload: [UInt8] = []
        CommandCodec.appendPayload(numbered.command, to: &payload)
        writer.raw(payload)
      }
    }
  }

  fileprivate mutating func message(_ notice: Notice) {
    switch notice {
    case .welcome(let welcome):
      field("m", "welcome")
      self.welcome(welcome)
    case .catchUp(let plan):
      field("m", "catchUp")
      catchUp(plan)
    case .refused(let counter, let refusal, let revision):
      field("m", "refused")
      refused(counter, refusal, revision)
    case .farewell(let farewell):
      field("m", "farewell")
      self.farewell(farewell)
    case .answer(let answer):
      field("m", "answer")
      self.answer(answer)
    case .live(let revision):
      field("m", "live")
      field("revision", revision)
    case .receipts(let receipts):
      field("m", "receipts")
      self.receipts(receipts)
    case .heartbeat(let revision, let time):
      field("m", "heartbeat")
      field("revision", revision)
      field("time", time)
    case .quiet(let revision, let time, let interval):
      field("m", "quiet")
      field("revision", revision)
      field("time", time)
      field("ms", interval)
    case .snapshotRoot(let revision, let time, let hash, let parts, let root):
      field("m", "snapshotRoot")
      snapshotRoot(revision, time, hash, parts, root)
    case .snapshotPart(let bytes):
      field("m", "snapshotPart")
      statePart(bytes)
    case .replayed(let status):
      field("m", "replayed")
      replayStatus(status)
    case .run, .block: break
    }
  }
}
