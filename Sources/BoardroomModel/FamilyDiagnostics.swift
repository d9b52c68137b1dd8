import EventLogModel

// The family `diagnostics`: what debuggers need.

/// What a debugger needs beside what happened. It changes no state.
public enum DiagnosticEvent: Sendable, Hashable {
  case refused(RefusedCommand)
  case clientPhases([ClientPhase])
  /// The actor's command was carried out and changed nothing: recorded so that it is known when it is sent again
  /// (IDEM-5). The number is that of the command's kind.
  case nothingChanged(kind: UInt8)
  /// What stood here was erased (LOG-29): in place of the event as it was.
  case contentErased(ErasedContent)

  public var kind: EventKind {
    switch self {
    case .refused: .refused
    case .clientPhases: .clientPhases
    case .nothingChanged: .nothingChanged
    case .contentErased: .contentErased
    }
  }
}

/// What members tell debuggers.
public enum DiagnosticCommand: Sendable, Hashable {
  case clientPhases([ClientPhase])

  public var kind: EventKind {
    switch self {
    case .clientPhases: .clientPhases
    }
  }
}

/// A command that was not carried out; recorded because a debugger must show what was tried.
public struct RefusedCommand: Sendable, Hashable {
  public var kind: UInt8
  public var code: RefusalCode
  /// What its sender called a message to a channel; nil for everything else.
  public var id: String?
  public init(kind: UInt8, code: RefusalCode, id: String? = nil) {
    self.kind = kind
    self.code = code
    self.id = id
  }
}

/// A phase that only the client saw, told on its return (`clientPhases`).
public struct ClientPhase: Sendable, Hashable {
  public var phase: String
  /// How long before the upload it began, in milliseconds.
  public var ago: Int64
  /// The last event that the client had then; nil if it did not say.
  public var revision: Revision?
  public init(phase: String, ago: Int64, revision: Revision? = nil) {
    self.phase = phase
    self.ago = ago
    self.revision = revision
  }
}

/// What is left of an event whose content was erased.
public struct ErasedContent: Sendable, Hashable {
  /// The number of the kind that it had.
  public var kind: UInt8
  /// HMAC-SHA-256 of its record's body, 64 hexadecimal digits. The key stands in the erasure's certificate alone, so
  /// that nobody finds out by trying what a short text was.
  public var hash: String
  public init(kind: UInt8, hash: String) {
    self.kind = kind
    self.hash = hash
  }
}
