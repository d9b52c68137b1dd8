import BoardroomModel
import EventLogModel

/// What the family `diagnostics` needs; it changes no state.
extension Room {
  func diagnostics(_ command: DiagnosticCommand) throws(Refusal) -> Outcome {
    switch command {
    case .clientPhases(let phases): return try clientPhases(phases)
    }
  }

  private func clientPhases(_ phases: [ClientPhase]) throws(Refusal) -> Outcome {
    try checkList(phases.count, of: "phase")
    try checkSize(phases.count, inForce.clientPhases, LimitName.clientPhases)
    guard phases.allSatisfy({ $0.ago >= 0 && RoomPhase.names.contains($0.phase) }) else {
      throw Refusal(
        .badParameter, cause: "A phase began after now, or is none that a room has.",
        cure: "Send \(RoomPhase.names.joined(separator: ", ")), and how long ago each began.")
    }
    return Outcome(event: .diagnostics(.clientPhases(phases)), isVerbatim: true)
  }
}
