/// The kinds of records in a room's log. Numbers are never used again; docs/PROTOCOL.md is the list.
/// 1 to 15 have binary bodies, all others JSON.
public enum EventKind: UInt8, Sendable, Hashable, CaseIterable {
  case stroke = 1
  case pointer = 2
  case camera = 3
  case roomCreated = 16
  case memberJoined = 17
  case memberLeft = 18
  case memberPhase = 19
  case memberWritable = 20
  case memberKicked = 21
  case memberReplaced = 22
  case globalState = 23
  case memberState = 24
  case viewMode = 25
  case scenesPut = 26
  case sceneSwitched = 27
  case erased = 28
  case elementPut = 29
  case magix = 30
  case refused = 31
  case clientPhases = 32
  case elementsChanged = 33
  case elementsCopied = 34
  case sceneCleaned = 35
  case scenesRemoved = 36
  case sceneMoved = 37
  case pptStepped = 38
  case storeSet = 39
  case storeDeleted = 40
  case historySet = 41
  case undone = 42
  case redone = 43
  case roomBanned = 44
  case limitsSet = 45
  case roomDeleted = 46
  case banSet = 47
  case banLifted = 48
  // Spaces without a board: accounts and channels.
  case spaceCreated = 49
  case attributesSet = 50
  case attributesCleared = 51
  case channelMessage = 52
  case numbersTold = 53
  case spaceExpired = 54
  case inboxMessage = 55
  case inboxAcked = 56
  case inboxExpired = 57
  case channelEntered = 58
  case channelLeft = 59
  case inviteMoved = 60
  case inviteHeard = 61
  case presence = 62
  // Who may write, beside what each member wants.
  case handRaised = 63
  case writingAllowed = 64
  case roomLocked = 65
  /// A command was carried out and changed nothing.
  case nothingChanged = 66
  /// What stood here was erased at a member's wish.
  case contentErased = 67
  /// An emoji that everybody is shown for some seconds.
  case reaction = 68
  /// What stands before it in its append answers a question of another node.
  case questionApplied = 69
}

// What is so for several rows.
private let drawn: RoomParts = [.elements, .history, .struck]
private let page: RoomParts = [.scenes, .currentScene]
private let views: RoomParts = [.broadcaster, .viewModes]
/// Who may write no longer lets go of pens and of the broadcast.
private let writing: RoomParts = [.writable, .roster, .elements, .broadcaster, .viewModes]

extension KindTraits {
  /// The table: one row a kind, by number.
  public static let rows: [KindTraits] = boardRows + laterBoardRows + spaceRows + lastRows

  /// Kinds 1 to 32.
  private static let boardRows: [KindTraits] = [
    KindTraits(
      .stroke, .drawing, isBinary: true, command: .init(.writable, limit: .stroke, foretells: .board),
      touches: drawn, erasure: .goes, marker: .draw, webhook: "element.stroke"),
    KindTraits(
      .pointer, .drawing, isBinary: true, command: .init(.writable, limit: .stroke),
      touches: .pointer, erasure: .goes, marker: .pointer, webhook: "member.pointer"),
    KindTraits(
      .camera, .drawing, isBinary: true, command: .init(.presence, limit: .stroke, foretells: .parts),
      touches: [.camera, .viewModes], erasure: .goes, marker: .pointer, webhook: "member.camera"),
    KindTraits(
      .roomCreated, .room, touches: [.created, .scenes, .currentScene], webhook: .standard("room.created")),
    KindTraits(
      .memberJoined, .members, touches: [.roster, .audience], erasure: .staysWithoutWords, marker: .join,
      isOfMemberTrack: true, webhook: .standard("member.joined", hiding: ["session", "token"])),
    KindTraits(
      .memberLeft, .members, touches: writing.union(.audience), marker: .join,
      isOfMemberTrack: true, webhook: .standard("member.left")),
    KindTraits(
      .memberPhase, .members, touches: .phase, marker: .phase, isOfMemberTrack: true, webhook: "member.phase"),
    KindTraits(
      .memberWritable, .members, command: .init(.token), touches: writing, isOfMemberTrack: true,
      webhook: .standard("member.writable")),
    KindTraits(
      .memberKicked, .members, marker: .kick, isOfMemberTrack: true, webhook: .standard("member.kicked")),
    KindTraits(
      .memberReplaced, .members, marker: .takeover, isOfMemberTrack: true,
      webhook: .standard("member.replaced", hiding: ["by"])),
    KindTraits(
      .globalState, .state, command: .init(.writable, server: true, limit: .statePatch, foretells: .parts),
      touches: .globalState, erasure: .goes, webhook: "room.globalState"),
    KindTraits(
      .memberState, .state, command: .init(.writable, limit: .statePatch, foretells: .parts),
      touches: .memberState, erasure: .goes, webhook: "member.state"),
    KindTraits(
      .viewMode, .members, command: .init(.writable, foretells: .parts), touches: views,
      webhook: "member.viewMode"),
    KindTraits(
      .scenesPut, .scenes,
      command: .init(
        .writable, server: true, limit: .message, body: .servers, foretells: [.parts, .board]),
      touches: page.union(drawn), erasure: .staysWithoutWords, webhook: "scene.put"),
    KindTraits(
      .sceneSwitched, .scenes, command: .init(.writable, server: true, body: .servers, foretells: .parts),
      touches: .currentScene, webhook: "scene.switched"),
    KindTraits(
      .erased, .elements,
      command: .init(.writable, server: true, body: .commandsIfWhole, foretells: .board),
      touches: drawn, marker: .draw, webhook: "element.erased"),
    KindTraits(
      .elementPut, .elements, command: .init(.writable, server: true, foretells: .board), touches: drawn,
      erasure: .goes, marker: .draw, webhook: "element.put"),
    // 50 a second and 200 at once, since each goes to everybody and the source system's own client sends 13 (ME-10).
    KindTraits(
      .magix, .custom,
      command: .init(.writable, server: true, limit: .magix, rate: .init(sustained: 50, burst: 200)),
      erasure: .goes, marker: .custom, webhook: "room.magix"),
    KindTraits(
      .refused, .diagnostics, erasure: .staysWithoutWords, marker: .refused, webhook: "member.refused"),
    KindTraits(
      .clientPhases, .diagnostics, command: .init(.presence), erasure: .goes, marker: .phase,
      isOfMemberTrack: true, webhook: "member.clientPhases"),
  ]

  /// Kinds 33 to 48.
  private static let laterBoardRows: [KindTraits] = [
    KindTraits(
      .elementsChanged, .elements,
      command: .init(
        .writable, server: true, limit: .message, body: .commandsIfWhole, foretells: .board),
      touches: drawn, erasure: .goes, marker: .draw, webhook: "element.changed"),
    KindTraits(
      .elementsCopied, .elements,
      command: .init(.writable, server: true, limit: .message, foretells: .board), touches: drawn,
      erasure: .goes, marker: .draw, webhook: "element.copied"),
    KindTraits(
      .sceneCleaned, .scenes,
      command: .init(.writable, server: true, body: .servers, foretells: [.parts, .board]),
      touches: drawn.union(.scenes), marker: .draw, webhook: "scene.cleaned"),
    KindTraits(
      .scenesRemoved, .scenes,
      command: .init(.writable, server: true, body: .servers, foretells: [.parts, .board]),
      touches: page.union(drawn), webhook: "scene.removed"),
    KindTraits(
      .sceneMoved, .scenes, command: .init(.writable, server: true, body: .servers, foretells: .parts),
      touches: .scenes, erasure: .staysWithoutWords, webhook: "scene.moved"),
    KindTraits(
      .pptStepped, .scenes, command: .init(.writable, server: true, body: .servers, foretells: .parts),
      touches: page, webhook: "scene.pptStepped"),
    KindTraits(
      .storeSet, .state,
      command: .init(
        .writable, server: true, limit: .statePatch, body: .commandsIfWhole, foretells: .parts),
      touches: .stores, erasure: .goes, webhook: "store.set"),
    KindTraits(
      .storeDeleted, .state, command: .init(.writable, server: true, foretells: .parts), touches: .stores,
      erasure: .goes, webhook: "store.deleted"),
    KindTraits(
      .historySet, .history, command: .init(.presence, body: .servers), touches: .history, marker: .draw,
      webhook: "member.history"),
    KindTraits(
      .undone, .history, command: .init(.writable, body: .servers, foretells: .board), touches: drawn,
      erasure: .goes, marker: .draw, webhook: "member.undone"),
    KindTraits(
      .redone, .history, command: .init(.writable, body: .servers, foretells: .board), touches: drawn,
      erasure: .goes, marker: .draw, webhook: "member.redone"),
    KindTraits(
      .roomBanned, .room, touches: .closing, marker: .kick, webhook: .standard("room.banned")),
    KindTraits(.limitsSet, .room, touches: .limits, webhook: "room.limits"),
    KindTraits(
      .roomDeleted, .room, touches: .closing, marker: .kick, webhook: .standard("room.deleted")),
    KindTraits(
      .banSet, .room, touches: .bans, erasure: .goes, webhook: .wanted("ban.set", hiding: ["token"])),
    KindTraits(.banLifted, .room, touches: .bans, webhook: "ban.lifted"),
  ]

  /// Kinds 49 to 62: spaces without a board.
  private static let spaceRows: [KindTraits] = [
    KindTraits(.spaceCreated, .space, touches: [.created, .space], webhook: "space.created"),
    KindTraits(
      .attributesSet, .space, command: .init(.writable, body: .servers), touches: .space, erasure: .goes,
      webhook: "space.attributes"),
    KindTraits(
      .attributesCleared, .space, command: .init(.writable, body: .servers), touches: .space,
      webhook: "space.cleared"),
    KindTraits(
      .channelMessage, .space, command: .init(.writable, limit: .message, body: .servers),
      touches: .space, erasure: .goes, marker: .custom, webhook: "channel.message"),
    KindTraits(.numbersTold, .space, touches: .space, webhook: "channel.numbers"),
    KindTraits(.spaceExpired, .space, touches: .space, webhook: "space.expired"),
    KindTraits(.inboxMessage, .space, touches: .space, erasure: .goes, webhook: "account.message"),
    KindTraits(
      .inboxAcked, .space, command: .init(.presence), touches: .space, webhook: "account.acknowledged"),
    KindTraits(.inboxExpired, .space, touches: .space, webhook: "account.forgotten"),
    KindTraits(.channelEntered, .space, touches: .space, webhook: "account.entered"),
    KindTraits(.channelLeft, .space, touches: .space, webhook: "account.left"),
    KindTraits(.inviteMoved, .space, touches: .space, erasure: .goes, webhook: "invite.moved"),
    KindTraits(.inviteHeard, .space, touches: .space, erasure: .goes, webhook: "invite.heard"),
    KindTraits(.presence, .space, touches: .space, erasure: .goes, webhook: "account.presence"),
  ]

  /// Kinds from 63 on.
  private static let lastRows: [KindTraits] = [
    // One a second and 10 at once, since those who only read can raise their hands, too.
    KindTraits(
      .handRaised, .moderation, command: .init(.presence, rate: .init(sustained: 1, burst: 10)),
      touches: .hands, isOfMemberTrack: true, webhook: "member.hand"),
    KindTraits(
      .writingAllowed, .moderation, command: .init(.administration, server: true),
      touches: writing.union(.lock), isOfMemberTrack: true, webhook: .standard("member.writing")),
    KindTraits(
      .roomLocked, .moderation, command: .init(.administration, server: true), touches: writing.union(.lock),
      webhook: .standard("room.locked")),
    KindTraits(.nothingChanged, .diagnostics, webhook: "member.nothingChanged"),
    KindTraits(.contentErased, .diagnostics, webhook: "member.contentErased"),
    // Five a second and 20 at once: as fast as somebody taps, and each goes to everybody.
    KindTraits(
      .reaction, .custom, command: .init(.writable, rate: .init(sustained: 5, burst: 20)), erasure: .goes,
      marker: .custom, webhook: "member.reaction"),
    KindTraits(.questionApplied, .space, touches: .space, webhook: "space.questionApplied"),
  ]
}
