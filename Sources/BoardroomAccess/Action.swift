import BoardroomModel

/// Everything that a token may or may not open: the role matrix of PARITY rows ROLE, and the routes that the source
/// system does not have. Only this table decides who may do what over HTTP and when they join.
public enum Action: String, Sendable, Hashable, CaseIterable {
  // PARITY rows ROLE
  case createRoom, listRooms
  case roomInfo, listScenes, takeScreenshot
  case insertScene, switchScene
  case ban
  case joinInteractive, joinReadOnly, replay
  case mintRoomToken, mintTaskToken, mintAccountToken
  // Additions
  case seeMembers, seeRoomEvents, seeUserEvents
  case kick, sendEvent, putImage
  case deleteRoom, eraseRoom, manageBans
  case seeMetrics
  case seeSpaces, kickFromChannel, replaySpace
  case shareRoom
  case moderate, banFromRoom
  case copyStore
  case keepMoments, trimRoom

  /// Who may: six letters, as the matrix is printed. An SDK token's admin, writer and reader; then a room
  /// token's admin, writer and reader, for their own room.
  public var row: String {
    switch self {
    // A whole server's business: no room token.
    case .createRoom, .listRooms: "yyn nnn"
    case .roomInfo, .listScenes, .takeScreenshot: "yyn yyn"
    // A writer switches scenes too.
    case .insertScene, .switchScene: "yyn yyn"
    // With the room's limits, which RE-4 changes too.
    case .ban: "ynn ynn"
    case .joinInteractive: "yyn yyn"
    case .joinReadOnly: "yyy yyy"
    // "DECIDE yes for all": whoever may watch may watch again.
    case .replay: "yyy yyy"
    // With an SDK token only, and up to its own role (RE-11).
    case .mintRoomToken, .mintTaskToken: "yyy nnn"
    // As signing in as any account (ACC-4).
    case .mintAccountToken: "yyn nnn"
    // Who is and was here: as room info.
    case .seeMembers, .seeRoomEvents: "yyn yyn"
    // Over all rooms: as their list.
    case .seeUserEvents: "yyn nnn"
    // Removing people: as a ban.
    case .kick, .deleteRoom: "ynn ynn"
    // What writing members do inside, writers do from outside.
    case .sendEvent, .putImage: "yyn yyn"
    // What happened in a room is the host's to keep, also against the room's own administrators.
    case .eraseRoom, .trimRoom: "ynn nnn"
    // A ban may reach beyond one room.
    case .manageBans: "ynn nnn"
    // So that a monitor needs no more than a reader's token.
    case .seeMetrics: "yyy nnn"
    // Accounts and channels have no tokens of their own: as rooms over all.
    case .seeSpaces: "yyn nnn"
    // A replay shows what members wrote, of every account.
    case .kickFromChannel, .replaySpace: "ynn nnn"
    // Whoever has a token could pass on the token itself; what is minted has no more than it.
    case .shareRoom: "yyy yyy"
    // As removing people; from a room of its own a room's administrator may also keep somebody out.
    case .moderate, .banFromRoom: "ynn ynn"
    // Everything that the server has, of every room and account.
    case .copyStore: "ynn nnn"
    // As the room's limits, by which all of its history can be kept.
    case .keepMoments: "ynn ynn"
    }
  }

  /// Whether a token of this kind and role may, for a room of its own.
  public func allows(_ role: Role, withRoomToken: Bool) -> Bool {
    Self.allows(role, withRoomToken: withRoomToken, by: row)
  }

  static func allows(_ role: Role, withRoomToken: Bool, by row: String) -> Bool {
    let place = (withRoomToken ? 4 : 0) + Self.column(of: role)
    return Array(row.utf8)[place] == UInt8(ascii: "y")
  }

  private static func column(of role: Role) -> Int {
    switch role {
    case .admin: 0
    case .writer: 1
    case .reader: 2
    }
  }

  /// Whether no room token at all may.
  var isForTeams: Bool { row.hasSuffix("nnn") }
}
