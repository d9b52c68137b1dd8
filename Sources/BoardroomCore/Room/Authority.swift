import BoardroomModel

/// Who may give a command is said by `KindTraits`; what an element, a path or a size has to say is each command's own
/// (RoomRules).
enum Authority {
  /// EL-3: whether a lock keeps an element from being touched. Its own `locked` may be set all the same; `keys` is
  /// nil for what touches the whole of it.
  static func locks(_ element: Element, against keys: [String]?) -> Bool {
    element.isLocked && keys != [ElementKey.locked]
  }
}

extension Room {
  func check(_ author: Standing, _ id: MemberID, for command: Command) throws(Refusal) {
    try checkOpen()
    guard !state.isBanned else { throw Refusal(.banned) }
    switch command.need {
    case .presence: return
    case .token:
      guard author.role != .reader else {
        throw Refusal(
          .forbidden, cause: "A reader's token cannot write.", cure: "Join with a writer's token.")
      }
    case .writable:
      guard author.isWritable else { throw notWritable(id) }
    case .administration:
      guard author.role == .admin else {
        throw Refusal(
          .forbidden, cause: "Only an administrator can do this.",
          cure: "Join with an administrator's token.")
      }
    }
  }

  /// Says who keeps the member from writing, if anybody does.
  func notWritable(_ id: MemberID) -> Refusal {
    guard let member = state.members[id], !state.mayWrite(member) else { return Refusal(.notWritable) }
    return member.isBarred
      ? Refusal(
        .notWritable, cause: "An administrator does not let this member write.",
        cure: "Raise a hand, or ask an administrator.")
      : Refusal(
        .notWritable, cause: "The room is locked.", cure: "Wait until an administrator unlocks it.")
  }

  /// The server may still work on a banned room, but not on one that is deleted.
  func checkServer(for command: Command) throws(Refusal) {
    try checkOpen()
    guard command.kind.command?.isForServer ?? false else {
      throw Refusal(.badParameter, cause: "Only a member can do this.", cure: "Let a member do it.")
    }
  }

  func checkOpen() throws(Refusal) {
    guard !state.isDeleted else {
      throw Refusal(.notFound, cause: "The room was deleted.", cure: "Create another one.")
    }
  }
}
