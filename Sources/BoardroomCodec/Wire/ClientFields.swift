import BoardroomModel
import EventLogModel

// The fields of `hello`, both ways.

extension JSONWriter {
  mutating func hello(_ hello: Hello) {
    if let place = hello.place { self.place(place) } else { field("room", hello.room.description) }
    field("token", hello.token)
    if let resume = hello.resume {
      field("session", resume.session.description)
      field("generation", resume.generation)
      if !resume.ticket.isEmpty { field("ticket", resume.ticket) }
    }
    if let cursor = hello.cursor {
      field("epoch", cursor.epoch.description)
      field("revision", cursor.revision)
    }
    field("uid", hello.uid)
    field("payload", hello.payload)
    field("isWritable", hello.isWritable)
    field("client", hello.client)
    field("acceptsBlocks", hello.acceptsBlocks)
    if hello.acceptsQuiet { field("acceptsQuiet", true) }
    if hello.acceptsAddress { field("acceptsAddress", true) }
    if hello.acceptsSpectating { field("acceptsSpectating", true) }
    if let wish = hello.replay { field("replay") { $0.replayWish(wish) } }
  }
}

extension JSONWriter {
  private mutating func place(_ place: Place) {
    field("service", place.service.rawValue)
    field("account", place.account)
    field("channel", place.channel)
  }
}

extension JSONFields {
  func hello(_ limits: WireLimits) throws(CodecError) -> Hello {
    let place = try place()
    let room: RoomID
    if let place { room = place.space.log } else { room = try name("room") }
    return Hello(
      room: room, place: place, token: try string("token"), resume: try resume(), cursor: try cursor(),
      uid: try uid(limits), payload: try payload(limits),
      isWritable: try bool("isWritable", otherwise: true), client: has("client") ? try label("client") : nil,
      acceptsBlocks: try bool("acceptsBlocks", otherwise: false),
      acceptsQuiet: try bool("acceptsQuiet", otherwise: false),
      acceptsAddress: try bool("acceptsAddress", otherwise: false),
      acceptsSpectating: try bool("acceptsSpectating", otherwise: false),
      replay: has("replay") ? try fields("replay").replayWish() : nil)
  }

  /// Where to, if not into a room.
  private func place() throws(CodecError) -> Place? {
    guard has("service") || has("account") else { return nil }
    guard !has("room") else { throw error("room", "or service and account must be given, and not both") }
    return Place(
      service: try choice("service"), account: try string("account"), channel: try optionalString("channel"))
  }

  private func resume() throws(CodecError) -> Hello.Resume? {
    guard has("session") || has("generation") else { return nil }
    return Hello.Resume(
      session: try name("session"), generation: try generation("generation"),
      ticket: try optionalString("ticket") ?? "")
  }

  private func cursor() throws(CodecError) -> Cursor? {
    guard has("epoch") || has("revision") else { return nil }
    return Cursor(epoch: try epoch("epoch"), revision: try revision("revision"))
  }

  private func uid(_ limits: WireLimits) throws(CodecError) -> String? {
    let uid = try optionalString("uid")
    if let size = uid?.utf8.count, size > limits.uid {
      throw .tooLarge(what: "uid", actual: size, allowed: limits.uid)
    }
    return uid
  }

  private func payload(_ limits: WireLimits) throws(CodecError) -> JSONText? {
    guard let payload = optional("payload") else { return nil }
    guard payload.bytes.count <= limits.payload else {
      throw .tooLarge(what: "payload", actual: payload.bytes.count, allowed: limits.payload)
    }
    guard payload.depth <= limits.jsonDepth else {
      throw .json(JSONError(.tooDeep, at: payload.range.lowerBound - payload.document.bytes.startIndex))
    }
    return payload.text
  }
}
