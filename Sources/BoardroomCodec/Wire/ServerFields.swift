import BoardroomModel
import EventLogModel

// The fields of the server's JSON messages, both ways.

extension JSONWriter {
  mutating func welcome(_ welcome: Welcome) {
    field("member", welcome.member.rawValue)
    field("session", welcome.session.description)
    field("generation", welcome.generation)
    field("ticket", welcome.ticket)
    field("resumed", welcome.resumed)
    field("epoch", welcome.epoch.description)
    field("revision", welcome.revision)
    field("time", welcome.time)
    field("lastCounter", welcome.lastCounter)
    field("writable", welcome.writable)
    field("heartbeatMs", welcome.timings.heartbeat)
    field("suspectMs", welcome.timings.suspectAfter)
    field("offlineMs", welcome.timings.offlineAfter)
    field("limits") { $0.limits(welcome.limits) }
    field("token", welcome.token)
    if let decided = welcome.decided { field("decided", decided) }
    if welcome.acceptsLeaveChannel { field("acceptsLeaveChannel", true) }
  }

  private mutating func limits(_ limits: WireLimits) {
    field("message", limits.message)
    field("stroke", limits.stroke)
    field("magix", limits.magix)
    field("statePatch", limits.statePatch)
    field("globalState", limits.globalState)
    field("element", limits.element)
    field("uid", limits.uid)
    field("payload", limits.payload)
    field("scenes", limits.scenes)
    field("jsonDepth", limits.jsonDepth)
    field("board", limits.board)
    field("elements", limits.elements)
    field("members", limits.members)
  }

  mutating func catchUp(_ plan: CatchUpPlan) {
    field("mode", plan.mode.rawValue)
    field("reason", plan.reason.rawValue)
    field("from", plan.from)
    field("to", plan.to)
    field("bytes", plan.bytes)
  }

  mutating func refused(_ counter: CommandCounter, _ refusal: Refusal, _ revision: Revision) {
    field("counter", counter)
    field("revision", revision)
    self.refusal(refusal)
  }

  mutating func refusal(_ refusal: Refusal) {
    field("code", refusal.code.rawValue)
    field("cause", refusal.cause)
    field("cure", refusal.cure)
    field("actual", refusal.actual)
    field("allowed", refusal.allowed)
    field("limit", refusal.limit)
  }

  mutating func farewell(_ farewell: Farewell) {
    refusal(farewell.refusal)
    field("comeBack", farewell.comeBack)
    field("kick", farewell.kick?.rawValue)
    if let address = farewell.address { field("address") { $0.serverAddress(address) } }
  }

  private mutating func serverAddress(_ address: ServerAddress) {
    field("host", address.host)
    field("port", address.port)
    field("isSecure", address.isSecure)
  }

  mutating func receipts(_ receipts: [Receipt]) {
    list("receipts", receipts) { writer, receipt in
      writer.array { writer in
        writer.value(receipt.counter)
        writer.value(receipt.revision.rawValue)
      }
    }
  }

  mutating func snapshotRoot(
    _ revision: Revision, _ time: Timestamp, _ hash: [UInt8], _ parts: Int, _ root: [UInt8]
  ) {
    field("revision", revision)
    field("time", time)
    field("stateHash", String(decoding: hexadecimal(hash), as: UTF8.self))
    field("parts", parts)
    key("root")
    raw(root)
  }
}

extension JSONFields {
  func welcome() throws(CodecError) -> Welcome {
    Welcome(
      member: MemberID(try number("member", upTo: .max - 1)), session: try name("session"),
      generation: try generation("generation"), ticket: try string("ticket"),
      resumed: try bool("resumed"), epoch: try epoch("epoch"), revision: try revision("revision"),
      time: try time("time"), lastCounter: try number("lastCounter"), writable: try bool("writable"),
      timings: Timings(
        heartbeat: try milliseconds("heartbeatMs"), suspectAfter: try milliseconds("suspectMs"),
        offlineAfter: try milliseconds("offlineMs")),
      limits: try fields("limits").limits(), token: try optionalString("token"),
      decided: has("decided") ? try number("decided") : nil,
      acceptsLeaveChannel: try bool("acceptsLeaveChannel", otherwise: false))
  }

  private func limits() throws(CodecError) -> WireLimits {
    WireLimits(
      message: try count("message"), stroke: try count("stroke"), magix: try count("magix"),
      statePatch: try count("statePatch"), globalState: try count("globalState"),
      element: try count("element"), uid: try count("uid"), payload: try count("payload"),
      scenes: try count("scenes"), jsonDepth: try count("jsonDepth"),
      board: has("board") ? try count("board") : nil,
      elements: has("elements") ? try count("elements") : nil,
      members: has("members") ? try count("members") : nil)
  }

  func catchUp() throws(CodecError) -> CatchUpPlan {
    CatchUpPlan(
      mode: try choice("mode"), reason: try choice("reason"), from: try revision("from"),
      to: try revision("to"), bytes: try count("bytes"))
  }

  func refused() throws(CodecError) -> Notice {
    .refused(try number("counter"), try refusal(), revision: try revision("revision"))
  }

  func refusal() throws(CodecError) -> Refusal {
    Refusal(
      try refusalCode(), cause: try string("cause"), cure: try string("cure"),
      actual: has("actual") ? try count("actual") : nil,
      allowed: has("allowed") ? try count("allowed") : nil, limit: try optionalString("limit"))
  }

  func farewell() throws(CodecError) -> Farewell {
    Farewell(
      try refusal(), kick: has("kick") ? try choice("kick") : nil, comeBack: try bool("comeBack"),
      address: has("address") ? try fields("address").serverAddress() : nil)
  }

  private func serverAddress() throws(CodecError) -> ServerAddress {
    let host = try string("host")
    guard (1...ServerAddress.longestHost).contains(host.utf8.count) else {
      throw error("host", "must have 1 to \(ServerAddress.longestHost) bytes")
    }
    let port = try count("port")
    guard (1...65_535).contains(port) else { throw error("port", "must be 1 to 65535") }
    return ServerAddress(host: host, port: port, isSecure: try bool("isSecure"))
  }

  func receipts() throws(CodecError) -> [Receipt] {
    var receipts: [Receipt] = []
    for item in try array("receipts") {
      let pair = item.items
      guard pair.count == 2, let counter = pair[0].unsigned, let revision = pair[1].unsigned else {
        throw error("receipts", "must hold pairs of counter and revision")
      }
      receipts.append(Receipt(counter: counter, revision: Revision(revision)))
    }
    return receipts
  }

  func snapshotRoot() throws(CodecError) -> Notice {
    guard let hash = bytes(hexadecimal: try string("stateHash")), hash.count == 32 else {
      throw error("stateHash", "must be 64 lower-case hexadecimal digits")
    }
    return .snapshotRoot(
      revision: try revision("revision"), time: try time("time"), stateHash: hash, parts: try count("parts"),
      bytes: Array(try item("root").bytes))
  }
}
