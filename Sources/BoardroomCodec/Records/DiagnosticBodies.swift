import BoardroomModel
import EventLogModel

// The JSON payloads of the family `diagnostics`, both ways.

extension JSONFields {
  func diagnosticEvent(_ kind: EventKind) throws(CodecError) -> DiagnosticEvent {
    switch kind {
    case .refused: .refused(try refusedCommand())
    case .clientPhases: .clientPhases(try clientPhases())
    case .nothingChanged: .nothingChanged(kind: UInt8(try number("kind", upTo: 255)))
    case .contentErased: .contentErased(try erasedContent())
    default: throw .unknownKind(kind.rawValue)
    }
  }

  func diagnosticCommand(_ kind: EventKind) throws(CodecError) -> DiagnosticCommand {
    switch kind {
    case .clientPhases: .clientPhases(try clientPhases())
    default: throw .unknownKind(kind.rawValue)
    }
  }

  /// A name of RefusalCode; one of a later version is read as `internal`.
  func refusalCode() throws(CodecError) -> RefusalCode {
    RefusalCode(rawValue: try string("code")) ?? .internalFailure
  }

  private func refusedCommand() throws(CodecError) -> RefusedCommand {
    RefusedCommand(
      kind: UInt8(try number("kind", upTo: 255)), code: try refusalCode(), id: try optionalString("id"))
  }

  private func erasedContent() throws(CodecError) -> ErasedContent {
    ErasedContent(kind: UInt8(try number("kind", upTo: 255)), hash: try string("hash"))
  }

  private func clientPhases() throws(CodecError) -> [ClientPhase] {
    let items = try array("phases")
    guard items.count <= FieldRanges.phases else {
      throw .tooLarge(what: "phase count", actual: items.count, allowed: FieldRanges.phases)
    }
    var phases: [ClientPhase] = []
    for item in items {
      let fields = try JSONFields(item, of: "phases")
      let phase = try fields.label("phase")
      let ago = try fields.signed("ago", in: 0...1 << 53)
      let revision = fields.has("revision") ? try fields.revision("revision") : nil
      phases.append(ClientPhase(phase: phase, ago: ago, revision: revision))
    }
    return phases
  }
}

extension JSONWriter {
  mutating func diagnosticEvent(_ event: DiagnosticEvent) {
    switch event {
    case .refused(let refused): refusedCommand(refused)
    case .clientPhases(let phases): clientPhases(phases)
    case .nothingChanged(let kind): object { $0.field("kind", kind) }
    case .contentErased(let erased): erasedContent(erased)
    }
  }

  mutating func diagnosticCommand(_ command: DiagnosticCommand) {
    switch command {
    case .clientPhases(let phases): clientPhases(phases)
    }
  }

  private mutating func refusedCommand(_ refused: RefusedCommand) {
    object { writer in
      writer.field("kind", refused.kind)
      writer.field("code", refused.code.rawValue)
      writer.field("id", refused.id)
    }
  }

  private mutating func erasedContent(_ erased: ErasedContent) {
    object { writer in
      writer.field("kind", erased.kind)
      writer.field("hash", erased.hash)
    }
  }

  private mutating func clientPhases(_ phases: [ClientPhase]) {
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
