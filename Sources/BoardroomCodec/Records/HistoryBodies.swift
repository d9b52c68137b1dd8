import BoardroomModel
import EventLogModel

// The JSON payloads of the family `history`, both ways.

extension JSONFields {
  func historyEvent(_ kind: EventKind) throws(CodecError) -> HistoryEvent {
    switch kind {
    case .historySet: .kept(try historyDepth())
    case .undone: .undone(try compensation())
    case .redone: .redone(try compensation())
    default: throw .unknownKind(kind.rawValue)
    }
  }

  func historyCommand(_ kind: EventKind) throws(CodecError) -> HistoryCommand {
    switch kind {
    case .historySet: .keep(scenes: try count("scenes"))
    case .undone: .undo(try optionalScene("scene"))
    case .redone: .redo(try optionalScene("scene"))
    default: throw .unknownKind(kind.rawValue)
    }
  }

  func historyDepth() throws(CodecError) -> HistoryDepth {
    HistoryDepth(scenes: try count("scenes"), depth: try count("depth"))
  }

  private func compensation() throws(CodecError) -> Compensation {
    Compensation(
      scene: try scene("scene"), erased: has("erased") ? try ids("erased") : [],
      restored: has("restored") ? try ids("restored") : [], puts: has("puts") ? try shapePuts() : [],
      changes: has("changes") ? try elementsChanged() : [])
  }

  private func shapePuts() throws(CodecError) -> [Compensation.ShapePut] {
    var puts: [Compensation.ShapePut] = []
    for item in try array("puts") {
      let fields = try JSONFields(item, of: "puts")
      puts.append(
        Compensation.ShapePut(id: try fields.element("id"), shape: try fields.fields("shape").elementPut()))
    }
    return puts
  }
}

extension JSONWriter {
  mutating func historyEvent(_ event: HistoryEvent) {
    switch event {
    case .kept(let depth): historyDepth(depth)
    case .undone(let compensation), .redone(let compensation): self.compensation(compensation)
    }
  }

  mutating func historyCommand(_ command: HistoryCommand) {
    object { writer in
      switch command {
      case .keep(let scenes): writer.field("scenes", scenes)
      case .undo(let scene), .redo(let scene): if let scene { writer.field("scene", scene) }
      }
    }
  }

  private mutating func historyDepth(_ kept: HistoryDepth) {
    object { writer in
      writer.field("scenes", kept.scenes)
      writer.field("depth", kept.depth)
    }
  }

  private mutating func compensation(_ compensation: Compensation) {
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
}
