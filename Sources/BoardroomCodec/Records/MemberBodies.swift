import BoardroomModel
import EventLogModel

// The JSON payloads of the family `members`, both ways.

extension JSONFields {
  func memberEvent(_ kind: EventKind) throws(CodecError) -> MemberEvent {
    switch kind {
    case .memberJoined: .joined(try memberJoined())
    case .memberLeft: .left(try choice("cause"))
    case .memberPhase: .phase(try phaseChange())
    case .memberWritable: .writable(try bool("writable"))
    case .memberKicked: .kicked(try memberKicked())
    case .memberReplaced: .replaced(MemberReplaced(by: try name("by")))
    case .viewMode: .viewMode(try choice("mode"))
    default: throw .unknownKind(kind.rawValue)
    }
  }

  func memberCommand(_ kind: EventKind) throws(CodecError) -> MemberCommand {
    switch kind {
    case .memberWritable: .setWritable(try bool("writable"))
    case .viewMode: .viewMode(try choice("mode"))
    default: throw .unknownKind(kind.rawValue)
    }
  }

  private func memberJoined() throws(CodecError) -> MemberJoined {
    MemberJoined(
      session: try name("session"), uid: try optionalString("uid"), role: try choice("role"),
      writable: try bool("writable"), payload: object["payload"]?.text, client: try optionalString("client"),
      token: try optionalString("token"), isBound: try bool("bound", otherwise: false),
      erased: try optionalString("erased"))
  }

  private func phaseChange() throws(CodecError) -> MemberPhaseChange {
    MemberPhaseChange(phase: try choice("phase"), generation: try generation("generation"))
  }

  private func memberKicked() throws(CodecError) -> MemberKicked {
    MemberKicked(
      member: MemberID(try number("member", upTo: FieldRanges.exactInteger)), reason: try choice("reason"))
  }
}

extension JSONWriter {
  mutating func memberEvent(_ event: MemberEvent) {
    switch event {
    case .joined(let joined): memberJoined(joined)
    case .left(let cause): object { $0.field("cause", cause.rawValue) }
    case .phase(let change): phaseChange(change)
    case .writable(let flag): object { $0.field("writable", flag) }
    case .kicked(let kicked): memberKicked(kicked)
    case .replaced(let replaced): object { $0.field("by", replaced.by.description) }
    case .viewMode(let mode): object { $0.field("mode", mode.rawValue) }
    }
  }

  mutating func memberCommand(_ command: MemberCommand) {
    switch command {
    case .setWritable(let flag): object { $0.field("writable", flag) }
    case .viewMode(let mode): object { $0.field("mode", mode.rawValue) }
    }
  }

  private mutating func memberJoined(_ joined: MemberJoined) {
    object { writer in
      writer.field("session", joined.session.description)
      writer.field("role", joined.role.rawValue)
      writer.field("writable", joined.writable)
      writer.field("uid", joined.uid)
      writer.field("payload", joined.payload)
      writer.field("client", joined.client)
      writer.field("token", joined.token)
      if joined.isBound { writer.field("bound", true) }
      writer.field("erased", joined.erased)
    }
  }

  private mutating func phaseChange(_ change: MemberPhaseChange) {
    object { writer in
      writer.field("phase", change.phase.rawValue)
      writer.field("generation", change.generation)
    }
  }

  private mutating func memberKicked(_ kicked: MemberKicked) {
    object { writer in
      writer.field("member", kicked.member.rawValue)
      writer.field("reason", kicked.reason.rawValue)
    }
  }
}
