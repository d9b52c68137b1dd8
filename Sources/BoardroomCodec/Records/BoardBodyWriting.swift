import BoardroomModel
import EventLogModel

// The JSON payloads, kinds 33 to 48: writing. Fields in the order of docs/PROTOCOL.md, no spaces.

extension JSONWriter {
  mutating func elementsChanged(_ changes: [ElementChange]) {
    object { $0.changes(changes) }
  }

  private mutating func changes(_ changes: [ElementChange]) {
    list("changes", changes) { writer, change in
      writer.object { writer in
        writer.field("id", change.id.description)
        writer.field("set", change.set.raw)
      }
    }
  }

  mutating func elementsCopied(_ copies: [ElementCopy]) {
    object { writer in
      writer.list("copies", copies) { writer, copy in
        writer.object { writer in
          writer.field("from", copy.from.description)
          writer.field("id", copy.id.description)
          writer.field("scene", copy.scene)
          writer.field("set", copy.set?.raw)
        }
      }
    }
  }

  mutating func compensation(_ compensation: Compensation) {
    object { writer in
      writer.field("scene", compensation.scene)
      writer.ids("erased", compensation.erased)
      writer.ids("restored", compensation.restored)
      if !compensation.puts.isEmpty {
        writer.list("puts", compensation.puts) { writer, put in
          writer.object { writer in
            writer.field("id", put.id.description)
            writer.field("shape", put.shape.raw)
          }
        }
      }
      if !compensation.changes.isEmpty { writer.changes(compensation.changes) }
    }
  }

  private mutating func ids(_ key: String, _ ids: [ElementID]) {
    guard !ids.isEmpty else { return }
    list(key, ids) { $0.value($1.description) }
  }

  // MARK: Scenes

  mutating func sceneClean(_ clean: SceneClean) {
    object { writer in
      if let scene = clean.scene { writer.field("scene", scene) }
      writer.field("retainPPT", clean.retainPPT)
    }
  }

  mutating func sceneCleaned(_ cleaned: SceneCleaned) {
    object { writer in
      writer.field("scene", cleaned.scene)
      writer.field("retainPPT", cleaned.retainPPT)
    }
  }

  mutating func scenesRemoved(_ removed: ScenesRemoved) {
    object { writer in
      writer.list("scenes", removed.scenes) { $0.value(UInt64($1)) }
      writer.field("current", removed.current)
      if let fresh = removed.fresh { writer.field("fresh", fresh) }
    }
  }

  mutating func sceneMoved(_ moved: SceneMoved) {
    object { writer in
      writer.field("scene", moved.scene)
      writer.field("directory", moved.directory)
      writer.field("name", moved.name)
      if let index = moved.index { writer.field("index", index) }
    }
  }

  mutating func pptStep(_ step: PPTStep) {
    object { writer in
      writer.field("scene", step.scene)
      writer.field("step", step.step)
    }
  }

  mutating func optionalScene(_ scene: SceneID?) {
    object { if let scene { $0.field("scene", scene) } }
  }

  // MARK: Stores, histories, moderation

  mutating func storeSet(_ set: StoreSet) {
    object { writer in
      writer.field("store", set.store)
      writer.field("set", set.patch.raw)
      if set.resets { writer.field("reset", true) }
      if set.onlyAbsent { writer.field("onlyAbsent", true) }
    }
  }

  mutating func historyDepth(_ kept: HistoryDepth) {
    object { writer in
      writer.field("scenes", kept.scenes)
      writer.field("depth", kept.depth)
    }
  }

  mutating func limitsPatch(_ patch: LimitsPatch) {
    object { writer in
      writer.field("set") { writer in
        for field in patch.fields {
          writer.key(field.name)
          if let value = field.value { writer.value(Int64(value)) } else { writer.null() }
        }
      }
    }
  }

  mutating func moderation(_ what: Moderation) {
    object { writer in
      switch what {
      case .hand(let isRaised): writer.field("raised", isRaised)
      case .writing(let member, let isAllowed):
        writer.field("member", member.rawValue)
        writer.field("allowed", isAllowed)
      case .lock(let isLocked): writer.field("locked", isLocked)
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
