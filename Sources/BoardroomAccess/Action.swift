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

  /// Who may do it, as six letters `y` or `n`: an SDK token's admin, writer and reader; then a room token's
  /// admin, writer and reader, for their own room.
  public var row: String {
    switch self {
    // About the whole server, so no room token may.
    case .createRoom, .listRooms: "yyn nnn"
    case .roomInfo, .listScenes, .takeScreenshot: "yyn yyn"
    // A writer switches scenes too.
    case .insertScene, .switchScene: "yyn yyn"
    // With the room's limits, which RE-4 changes too.
    case .ban: "ynn ynn"
    case .joinInteractive: "yyn yyn"
    case .joinReadOnly: "yyy yyy"
    // DECIDE: everybody who may see the room may replay it.
    case .replay: "yyy yyy"
    // With an SDK token only, and up to its own role (RE-11).
    case .mintRoomToken, .mintTaskToken: "yyy nnn"
    // As signing in as any account (ACC-4).
    case .mintAccountToken: "yyn nnn"
    // The same as for `roomInfo`.
    case .seeMembers, .seeRoomEvents: "yyn yyn"
    // About all rooms, so the same as for `listRooms`.
    case .seeUserEvents: "yyn nnn"
    // The same as for `ban`, because it removes members.
    case .kick, .deleteRoom: "ynn ynn"
    // Writers may do over HTTP what writing members may do in the room.
    case .sendEvent, .putImage: "yyn yyn"
    // Only the operator's team may remove a room's history; the room's own administrators may not.
    case .eraseRoom, .trimRoom: "ynn nnn"
    // Such a ban may hold in more than one room.
    case .manageBans: "ynn nnn"
    // So that a monitor needs no more than a reader's token.
    case .seeMetrics: "yyy nnn"
    // Accounts and channels have no tokens of their own over HTTP, so the same as for `listRooms`.
    case .seeSpaces: "yyn nnn"
    // A replay shows what members wrote, of every account.
    case .kickFromChannel, .replaySpace: "ynn nnn"
    // The holder could pass on the token itself, and the new one allows no more.
    case .shareRoom: "yyy yyy"
    // The same as for `kick`. An administrator of one room may also ban somebody from that room.
    case .moderate, .banFromRoom: "ynn ynn"
    // It reads everything that the server has.
    case .copyStore: "ynn nnn"
    // The same as for the room's limits, by which all of its history can be kept, too.
    case .keepMoments: "ynn ynn"
    }
  }

  /// Whether a token of this kind and role may do it in its own room.
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

  /// Whether no room token may do it.
  var isForTeams: Bool { row.hasSuffix("nnn") }
}
