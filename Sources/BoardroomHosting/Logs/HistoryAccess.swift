import BoardroomModel

/// Where somebody asks for what a room's log holds of the past, and who may: the one table of RIGHT-8. The present
/// (members, pages, the state without `at`) is no history.
public enum HistoryAccess: String, Sendable, Hashable, CaseIterable {
  /// The log as lines or as blocks, and states at a revision or time.
  case log
  /// The index, pieces and snapshots for players, and watching.
  case replay
  /// Who came and went.
  case presence
  /// What a board's client is told on joining, beyond the present and its own stay.
  case joining

  /// Six letters, as those of `Action`: an SDK token's admin, writer and reader, a room token's. Of a room made with
  /// `isRecord` false, what the team's administrator may look into as its operator could on disk; a replay of it is
  /// not offered at all, as in the source system (RP-8).
  public func row(isRecord: Bool) -> String {
    switch self {
    case .log: isRecord ? "yyy yyy" : "ynn nnn"
    case .replay: isRecord ? "yyy yyy" : "nnn nnn"
    // Over all rooms it is the team's writers' too.
    case .presence: isRecord ? "yyn yyn" : "yyn nnn"
    case .joining: isRecord ? "yyy yyy" : "nnn nnn"
    }
  }

  /// Whether nobody at all may, whatever the token: where there is none at hand to ask about.
  func isClosed(isRecord: Bool) -> Bool { row(isRecord: isRecord) == "nnn nnn" }
}
