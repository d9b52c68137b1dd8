import BoardroomModel
import EventLogModel

// `boardroom.v1`: a message is `u8 type` and its content (docs/PROTOCOL.md, section 3).

enum BinaryWire {
  // MARK: From the client

  static func readClient(_ bytes: [UInt8], _ limits: WireLimits) throws(CodecError) -> ClientReading {
    guard let code = bytes.first else { throw .wire(.truncated(at: 0)) }
    guard let type = ClientType(rawValue: code) else { throw .wire(.badField("message type", at: 0)) }
    let content = bytes[1...]
    switch type {
    case .hello:
      let scan = JSONLimits(depth: limits.jsonDepth + JSONWire.wrapping, bytes: limits.message)
      return .notice(.hello(try JSONFields(text: content, limits: scan, of: "hello").hello(limits)))
    case .commands: return .commands(try commands(content, limits))
    case .heartbeat: return .notice(.heartbeat(Revision(try single(content, "revision"))))
    case .quiet: return .notice(try clientQuiet(content))
    case .leave:
      guard content.isEmpty else { throw .wire(.trailingBytes(at: 1)) }
      return .notice(.leave)
    case .replay:
      let scan = JSONLimits(depth: limits.jsonDepth, bytes: limits.message)
      return .notice(.replay(try JSONFields(text: content, limits: scan, of: "replay").replayControl()))
    case .ask:
      let scan = JSONLimits(depth: limits.jsonDepth, bytes: limits.message)
      return .notice(.ask(try JSONFields(text: content, limits: scan, of: "ask").ask()))
    }
  }

  private static func commands(
    _ content: ArraySlice<UInt8>, _ limits: WireLimits
  ) throws(CodecError) -> [CommandReading] {
    guard !content.isEmpty else { throw .wire(.truncated(at: 1)) }
    return try content.reading { (reader) throws(CodecError) in
      var readings: [CommandReading] = []
      while !reader.isAtEnd {
        let length = Int(try reader.number("command length", upTo: UInt64(limits.message)))
        let kind = try reader.octet()
        let start = content.startIndex + reader.position
        _ = try reader.bytes(length)
        readings.append(try command(kind: kind, body: content[start..<start + length], limits))
      }
      return readings
    }
  }

  /// A command without a counter of its own cannot be answered, so it makes the message bad.
  static func command(
    kind: UInt8, body: ArraySlice<UInt8>, _ limits: WireLimits
  ) throws(CodecError) -> CommandReading {
    let counter = try EventCodec.counter(of: body)
    guard counter > 0, counter <= FieldRanges.exactInteger else {
      throw .wire(.badField("counter", at: 0))
    }
    do throws(CodecError) {
      return .command(try CommandCodec.decode(kind: kind, body: body, limits: limits), body: body)
    } catch { return .faulty(counter, kind: kind, error) }
  }

  private static func single(
    _ content: ArraySlice<UInt8>, _ field: StaticString
  ) throws(CodecError) -> UInt64 {
    try content.reading { (reader) throws(CodecError) in
      let value = try reader.number(field)
      try reader.end()
      return value
    }
  }

  private static func clientQuiet(_ content: ArraySlice<UInt8>) throws(CodecError) -> ClientNotice {
    try content.reading { (reader) throws(CodecError) in
      let revision = Revision(try reader.number("revision"))
      let interval = try reader.number("ms", upTo: FieldRanges.heartbeatInterval)
      try reader.end()
      return .quiet(revision, .milliseconds(Int64(interval)))
    }
  }

  static func encode(client notice: ClientNotice) -> [UInt8] {
    switch notice {
    case .hello(let hello):
      return [ClientType.hello.rawValue] + JSONWriter.object { $0.hello(hello) }
    case .commands(let commands):
      var bytes = [ClientType.commands.rawValue]
      for command in commands {
        let (kind, body) = CommandCodec.encode(command)
        bytes.appendVarint(UInt64(body.count))
        bytes.append(kind)
        bytes.append(contentsOf: body)
      }
      return bytes
    case .heartbeat(let revision):
      var bytes = [ClientType.heartbeat.rawValue]
      bytes.appendVarint(revision.rawValue)
      return bytes
    case .quiet(let revision, let interval):
      var bytes = [ClientType.quiet.rawValue]
      bytes.appendVarint(revision.rawValue)
      bytes.appendVarint(UInt64(max(0, interval.wholeMilliseconds)))
      return bytes
    case .leave: return [ClientType.leave.rawValue]
    case .replay(let control):
      return [ClientType.replay.rawValue] + JSONWriter.object { $0.replayControl(control) }
    case .ask(let ask): return [ClientType.ask.rawValue] + JSONWriter.object { $0.ask(ask) }
    }
  }

  // MARK: From the server

  static func decodeServer(_ bytes: [UInt8]) throws(CodecError) -> Notice {
    guard let code = bytes.first else { throw .wire(.truncated(at: 0)) }
    guard let type = ServerType(rawValue: code) else { throw .wire(.badField("message type", at: 0)) }
    let content = bytes[1...]
    switch type {
    case .welcome: return .welcome(try fields(content, type).welcome())
    case .catchUp: return .catchUp(try fields(content, type).catchUp())
    case .refused: return try fields(content, type).refused()
    case .farewell: return .farewell(try fields(content, type).farewell())
    case .live: return .live(Revision(try single(content, "revision")))
    case .run: return .run(try run(content))
    case .block: return .block(try block(content))
    case .receipts: return .receipts(try receipts(content))
    case .snapshotRoot: return try snapshotRoot(content)
    case .snapshotPart: return .snapshotPart(Array(content))
    case .heartbeat: return try heartbeat(content)
    case .quiet: return try quiet(content)
    case .replayed: return .replayed(try fields(content, type).replayStatus())
    case .answer: return .answer(try fields(content, type).answer())
    }
  }

  private static func fields(
    _ content: ArraySlice<UInt8>, _ type: ServerType
  ) throws(CodecError) -> JSONFields {
    try JSONFields(text: content, limits: RecordMirror.limits, of: type.name)
  }

  private static func run(_ content: ArraySlice<UInt8>) throws(CodecError) -> Run {
    try content.reading { (reader) throws(CodecError) in
      do throws(WireError) {
        let run = try Run(reading: &reader)
        try reader.expectEnd()
        return run
      } catch { throw .wire(error) }
    }
  }

  private static func block(_ content: ArraySlice<UInt8>) throws(CodecError) -> StoredRun {
    try content.reading { (reader) throws(CodecError) in
      let first = try reader.number("first revision")
      let count = Int(try reader.number("record count", upTo: UInt64(Run.maximumBytes / 4)))
      let base = Int64(try reader.number("base time", upTo: UInt64(Int64.max)))
      let last = Int64(try reader.number("last time", upTo: UInt64(Int64.max)))
      let length = Int(try reader.number("raw length", upTo: UInt64(Run.maximumBytes)))
      guard first > 0, count > 0, last >= base else { throw .wire(.badField("run header", at: 0)) }
      return StoredRun(
        first: Revision(first), count: count, base: Timestamp(milliseconds: base),
        last: Timestamp(milliseconds: last), coding: .lz4, bytes: Array(try reader.bytes(reader.remaining)),
        rawLength: length)
    }
  }

  private static func receipts(_ content: ArraySlice<UInt8>) throws(CodecError) -> [Receipt] {
    try content.reading { (reader) throws(CodecError) in
      var receipts: [Receipt] = []
      while !reader.isAtEnd {
        let counter = try reader.number("counter")
        receipts.append(Receipt(counter: counter, revision: Revision(try reader.number("revision"))))
      }
      return receipts
    }
  }

  private static func heartbeat(_ content: ArraySlice<UInt8>) throws(CodecError) -> Notice {
    try content.reading { (reader) throws(CodecError) in
      let revision = Revision(try reader.number("revision"))
      let time = Int64(try reader.number("time", upTo: UInt64(Int64.max)))
      try reader.end()
      return .heartbeat(revision, Timestamp(milliseconds: time))
    }
  }

  private static func quiet(_ content: ArraySlice<UInt8>) throws(CodecError) -> Notice {
    try content.reading { (reader) throws(CodecError) in
      let revision = Revision(try reader.number("revision"))
      let time = Int64(try reader.number("time", upTo: UInt64(Int64.max)))
      let interval = try reader.number("ms", upTo: FieldRanges.heartbeatInterval)
      try reader.end()
      return .quiet(revision, Timestamp(milliseconds: time), .milliseconds(Int64(interval)))
    }
  }

  private static func snapshotRoot(_ content: ArraySlice<UInt8>) throws(CodecError) -> Notice {
    try content.reading { (reader) throws(CodecError) in
      let revision = Revision(try reader.number("revision"))
      let time = Int64(try reader.number("time", upTo: UInt64(Int64.max)))
      let hash = Array(try reader.bytes(32))
      let parts = Int(try reader.number("part count", upTo: UInt64(Int32.max)))
      let root = Array(content[(content.startIndex + reader.position)...])
      return .snapshotRoot(
        revision: revision, time: Timestamp(milliseconds: time), stateHash: hash, parts: parts, bytes: root)
    }
  }

  static func encode(server notice: Notice) -> [UInt8] {
    switch notice {
    case .welcome(let welcome): json(.welcome) { $0.welcome(welcome) }
    case .catchUp(let plan): json(.catchUp) { $0.catchUp(plan) }
    case .refused(let counter, let refusal, let revision):
      json(.refused) { $0.refused(counter, refusal, revision) }
    case .farewell(let farewell): json(.farewell) { $0.farewell(farewell) }
    case .replayed(let status): json(.replayed) { $0.replayStatus(status) }
    case .answer(let answer): json(.answer) { $0.answer(answer) }
    case .run(let run): WireCodec.runMessage(run)
    case .block(let stored): block(stored)
    case .live(let revision): varints(.live, [revision.rawValue])
    case .receipts(let receipts): WireCodec.receiptsMessage(receipts)
    case .heartbeat(let revision, let time): WireCodec.heartbeatMessage(revision, at: time)
    case .quiet(let revision, let time, let interval):
      varints(
        .quiet,
        [
          revision.rawValue, UInt64(max(0, time.milliseconds)), UInt64(max(0, interval.wholeMilliseconds)),
        ])
    case .snapshotPart(let bytes): [ServerType.snapshotPart.rawValue] + bytes
    case .snapshotRoot(let revision, let time, let hash, let parts, let root):
      varints(.snapshotRoot, [revision.rawValue, UInt64(max(0, time.milliseconds))]) + hash
        + varintBytes(UInt64(parts)) + root
    }
  }

  private static func json(_ type: ServerType, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
    [type.rawValue] + JSONWriter.object(body)
  }

  private static func varints(_ type: ServerType, _ values: [UInt64]) -> [UInt8] {
    var bytes = [type.rawValue]
    for value in values { bytes.appendVarint(value) }
    return bytes
  }

  private static func varintBytes(_ value: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendVarint(value)
    return bytes
  }

  /// A run that is stored plain goes as a run.
  private static func block(_ stored: StoredRun) -> [UInt8] {
    switch stored.coding {
    case .lz4:
      return varints(
        .block,
        [
          stored.first.rawValue, UInt64(stored.count), UInt64(max(0, stored.base.milliseconds)),
          UInt64(max(0, stored.last.milliseconds)), UInt64(stored.rawLength),
        ]) + stored.bytes
    case .plain:
      return WireCodec.runMessage(
        Run(
          first: stored.first, count: stored.count, base: stored.base, last: stored.last,
          records: stored.bytes))
    }
  }
}
