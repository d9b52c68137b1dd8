import BoardroomModel

/// Who may give a command: the one table of it. What an element, a path or a size has to say is each command's own
/// (RoomRules).
struct Authority: Sendable, Hashable {
  enum Need: Sendable, Hashable {
    /// To be in the room: what concerns a member's own view only (DEC-6).
    case presence
    /// A token that may write, whether or not the member does at present (W-1).
    case token
    /// To be writable (P-12, ME-11).
    case writable
    /// An administrator's token, whether or not the member writes (MOD-5, MOD-6).
    case administration
  }

  var need: Need
  /// Whether the server may give it in its own name (DEC-11).
  var isForServer: Bool

  private init(_ need: Need, server: Bool) {
    self.need = need
    isForServer = server
  }

  static func of(_ command: Command) -> Authority {
    switch command {
    case .camera, .clientPhases, .keepHistory, .setWritable(false), .viewMode(.freedom), .viewMode(.follower),
      .space(.acknowledge), .moderation(.hand):
      Authority(.presence, server: false)
    case .space(.setAttributes), .space(.clearAttributes), .space(.say): Authority(.writable, server: false)
    case .setWritable(true):
      Authority(.token, server: false)
    case .moderation(.writing), .moderation(.lock):
      Authority(.administration, server: true)
    case .stroke, .pointer, .memberState, .viewMode(.broadcaster), .undo, .redo:
      Authority(.writable, server: false)
    case .globalState, .putScenes, .switchScene, .erase, .putElement, .magix, .changeElements,
      .copyElements, .cleanScene, .removeScenes, .moveScene, .stepPPT, .setStore, .deleteStore:
      Authority(.writable, server: true)
    }
  }

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
    switch Authority.of(command).need {
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
    guard Authority.of(command).isForServer else {
      throw Refusal(.badParameter, cause: "Only a member can do this.", cure: "Let a member do it.")
    }
  }

  func checkOpen() throws(Refusal) {
    guard !state.isDeleted else {
      throw Refusal(.notFound, cause: "The room was deleted.", cure: "Create another one.")
    }
  }
}

extension EventKind {
  /// Whether clients can send commands of this kind.
  public var isCommand: Bool {
    switch self {
    case .stroke, .pointer, .camera, .memberWritable, .globalState, .memberState, .viewMode, .scenesPut,
      .sceneSwitched, .erased, .elementPut, .magix, .clientPhases, .elementsChanged, .elementsCopied,
      .sceneCleaned, .scenesRemoved, .sceneMoved, .pptStepped, .storeSet, .storeDeleted, .historySet,
      .undone, .redone, .attributesSet, .attributesCleared, .channelMessage, .inboxAcked, .handRaised,
      .writingAllowed, .roomLocked:
      true
    case .roomCreated, .memberJoined, .memberLeft, .memberPhase, .memberKicked, .memberReplaced, .refused,
      .roomBanned, .limitsSet, .roomDeleted, .banSet, .banLifted, .spaceCreated, .numbersTold, .spaceExpired,
      .inboxMessage, .inboxExpired, .channelEntered, .channelLeft, .inviteMoved, .inviteHeard, .presence,
      .nothingChanged, .contentErased:
      false
    }
  }
}
