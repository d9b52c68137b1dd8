import BoardroomCodec
import BoardroomModel
import EventLogModel

// The family `diagnostics`: random valid values.

extension Chance {
  mutating func diagnosticsEvent(_ kind: EventKind) -> Event? {
    switch kind {
    case .refused:
      .diagnostics(
        .refused(
          RefusedCommand(
            kind: UInt8(upTo(255)), code: pick(RefusalCode.allCases), id: upTo(1) == 0 ? nil : word())))
    case .clientPhases: .diagnostics(.clientPhases(phases()))
    case .nothingChanged: .diagnostics(.nothingChanged(kind: UInt8(upTo(255))))
    case .contentErased:
      .diagnostics(
        .contentErased(
          ErasedContent(kind: UInt8(upTo(255)), hash: String(repeating: "0a", count: 32))))
    default: nil
    }
  }

  mutating func diagnosticsCommand(_ kind: EventKind) -> Command? {
    switch kind {
    case .clientPhases: .diagnostics(.clientPhases(phases()))
    default: nil
    }
  }

  mutating func phases() -> [ClientPhase] {
    (0..<upTo(3)).map { _ in
      ClientPhase(phase: pick(RoomPhase.allCases).name, ago: Int64(number(upTo: 1 << 40)))
    }
  }
}
