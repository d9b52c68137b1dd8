import BoardroomModel
import EventLogModel

/// Something that a token may allow, as the role matrix of specification 4.4 lists it.
public enum Permission: Sendable, Hashable {
  case createRoom, listRooms
  case roomInfo(RoomID)
  /// Who is in the room: as room info (4.2 gives no rule).
  case roster(RoomID)
  /// Removing a member: as ban (4.2 gives no rule).
  case kick(RoomID)
  case joinInteractive(RoomID)
  case joinReadOnly(RoomID)
  /// Past and present state, and the log: every role ("DECIDE yes for all").
  case replay(RoomID)
  /// A token of at most this role, for this room.
  case mintRoomToken(RoomID, Role)
  /// The server's measurements: any SDK token, so that a monitor needs no more than a reader's.
  case metrics

  /// Throws unless a token of this scope and role may do it.
  public func check(_ token: AccessToken) throws(TokenError) {
    switch token.scope {
    case .team: break
    case .room(let room):
      guard let asked = self.room else { throw .teamForbidden }
      guard asked == room else { throw .roomForbidden }
    case .task: throw .taskForbidden
    }
    guard allows(token.role, team: token.scope == .team) else { throw denial(of: token) }
  }

  private func allows(_ role: Role, team: Bool) -> Bool {
    switch self {
    case .createRoom, .listRooms: team && role.includes(.writer)
    case .roomInfo, .roster, .joinInteractive: role.includes(.writer)
    case .kick: role == .admin
    case .joinReadOnly, .replay: true
    case .mintRoomToken(_, let minted): team && role.includes(minted)
    case .metrics: team
    }
  }

  private func denial(of token: AccessToken) -> TokenError {
    switch (self, token.scope) {
    case (.mintRoomToken, .room): .teamForbidden
    case (.createRoom, _), (.listRooms, _), (.roomInfo, _), (.roster, _), (.kick, _), (.joinInteractive, _),
      (.joinReadOnly, _), (.replay, _), (.mintRoomToken, _), (.metrics, _):
      .roleForbidden(token.role)
    }
  }

  private var room: RoomID? {
    switch self {
    case .createRoom, .listRooms, .metrics: nil
    case .roomInfo(let room), .roster(let room), .kick(let room), .joinInteractive(let room),
      .joinReadOnly(let room), .replay(let room), .mintRoomToken(let room, _):
      room
    }
  }
}
