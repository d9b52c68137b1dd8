import BoardroomModel
import EventLogModel

// The JSON payloads of the family `room`, both ways.

extension JSONFields {
  func roomLifeEvent(_ kind: EventKind) throws(CodecError) -> RoomLifeEvent {
    switch kind {
    case .roomCreated: .created(try roomCreated())
    case .roomBanned: .banned(try bool("banned"))
    case .limitsSet: .limitsSet(try limitsPatch())
    case .roomDeleted: .deleted
    case .banSet: .banSet(try ban())
    case .banLifted: .banLifted(try number("ban"))
    default: throw .unknownKind(kind.rawValue)
    }
  }

  func roomCreated() throws(CodecError) -> RoomCreated {
    RoomCreated(name: try string("name"), limit: try count("limit"), isRecord: try bool("isRecord"))
  }

  private func limitsPatch() throws(CodecError) -> LimitsPatch {
    let inner = try fields("set")
    var fields: [LimitsPatch.Field] = []
    for (name, value) in inner.object.members {
      fields.append(LimitsPatch.Field(name: name, value: value.isNull ? nil : try inner.count(name)))
    }
    return LimitsPatch(fields)
  }

  func ban() throws(CodecError) -> Ban {
    Ban(
      number: try number("ban"), room: has("room") ? try name("room") : nil, uid: try optionalString("uid"),
      address: try optionalString("address"), until: has("until") ? try time("until") : nil,
      token: try optionalString("token"), since: has("since") ? try time("since") : nil,
      member: has("member") ? MemberID(try number("member", upTo: FieldRanges.exactInteger)) : nil,
      name: try optionalString("name"))
  }
}

extension JSONWriter {
  mutating func roomLifeEvent(_ event: RoomLifeEvent) {
    switch event {
    case .created(let room): roomCreated(room)
    case .banned(let isBanned): object { $0.field("banned", isBanned) }
    case .limitsSet(let patch): limitsPatch(patch)
    case .deleted: object { _ in }
    case .banSet(let ban): self.ban(ban)
    case .banLifted(let number): object { $0.field("ban", number) }
    }
  }

  mutating func roomCreated(_ room: RoomCreated) {
    object { writer in
      writer.field("name", room.name)
      writer.field("limit", room.limit)
      writer.field("isRecord", room.isRecord)
    }
  }

  private mutating func limitsPatch(_ patch: LimitsPatch) {
    object { writer in
      writer.field("set") { writer in
        for field in patch.fields {
          writer.key(field.name)
          if let value = field.value { writer.value(Int64(value)) } else { writer.null() }
        }
      }
    }
  }

  mutating func ban(_ ban: Ban) {
    object { writer in
      writer.field("ban", ban.number)
      writer.field("room", ban.room?.description)
      writer.field("uid", ban.uid)
      writer.field("address", ban.address)
      if let until = ban.until { writer.field("until", until) }
      writer.field("token", ban.token)
      if let since = ban.since { writer.field("since", since) }
      if let member = ban.member { writer.field("member", member.rawValue) }
      writer.field("name", ban.name)
    }
  }
}
