import BoardroomModel
import EventLogModel

// The JSON payloads, kinds from 16: writing. Fields in the order of docs/PROTOCOL.md, no spaces.

extension JSONWriter {
  mutating func roomCreated(_ room: RoomCreated) {
    object { writer in
      writer.field("name", room.name)
      writer.field("limit", room.limit)
      writer.field("isRecord", room.isRecord)
    }
  }

  mutating func memberJoined(_ joined: MemberJoined) {
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

  mutating func erasedContent(_ erased: ErasedContent) {
    object { writer in
      writer.field("kind", erased.kind)
      writer.field("hash", erased.hash)
    }
  }

  mutating func phaseChange(_ change: MemberPhaseChange) {
    object { writer in
      writer.field("phase", change.phase.rawValue)
      writer.field("generation", change.generation)
    }
  }

  mutating func memberKicked(_ kicked: MemberKicked) {
    object { writer in
      writer.field("member", kicked.member.rawValue)
      writer.field("reason", kicked.reason.rawValue)
    }
  }

  mutating func refusedCommand(_ refused: RefusedCommand) {
    object { writer in
      writer.field("kind", refused.kind)
      writer.field("code", refused.code.rawValue)
      writer.field("id", refused.id)
    }
  }

  mutating func scenesPut(_ put: ScenesPut, numbered: Bool) {
    object { writer in
      writer.field("directory", put.directory)
      writer.field("index", put.index)
      writer.list("scenes", put.scenes) { writer, scene in
        writer.object { writer in
          if numbered { writer.field("id", scene.id) }
          writer.field("name", scene.name)
          writer.field("ppt", scene.ppt)
        }
      }
    }
  }

  mutating func sceneTarget(_ target: SceneTarget) {
    object { writer in
      switch target {
      case .path(let path): writer.field("path", path)
      case .index(let index): writer.field("index", index)
      }
    }
  }

  mutating func erased(_ ids: [ElementID]) {
    object { $0.list("elements", ids) { $0.value($1.description) } }
  }

  mutating func clientPhases(_ phases: [ClientPhase]) {
    object { writer in
      writer.list("phases", phases) { writer, phase in
        writer.object { writer in
          writer.field("phase", phase.phase)
          writer.field("ago", phase.ago)
          if let revision = phase.revision { writer.field("revision", revision.rawValue) }
        }
      }
    }
  }
}
