import BoardroomModel
import EventLogModel

/// The family `diagnostics`: a refusal stays, without what its sender called the message.
extension ContentErasure {
  func withoutWords(_ event: DiagnosticEvent) -> DiagnosticEvent? {
    guard case .refused(let refused) = event else { preconditionFailure(Self.nothingSaid) }
    return refused.id == nil ? nil : .refused(RefusedCommand(kind: refused.kind, code: refused.code))
  }
}
