import BoardroomModel
import EventLogModel

/// An action and its object.
public struct Permission: Sendable, Hashable {
  public var action: Action
  /// The room; nil if the action is not about one room.
  public var room: RoomID?
  /// The role of a token that is to be minted: never above the minter's own.
  public var minted: Role?

  public init(_ action: Action, room: RoomID? = nil, minted: Role? = nil) {
    self.action = action
    self.room = room
    self.minted = minted
  }

  /// Throws unless a token of this scope and role may do it; the errors are those of PARITY rows TE.
  public func check(_ token: AccessToken) throws(TokenError) {
    switch token.scope {
    case .task: throw .taskForbidden
    case .team: break
    // Such a token opens its account and the account's channels for joins, and nothing over HTTP.
    case .account: throw action.isForTeams ? .teamForbidden : .roomForbidden
    case .room(let own):
      guard !action.isForTeams else { throw .teamForbidden }
      guard own == room else { throw .roomForbidden }
    }
    guard action.allows(token.role, withRoomToken: token.scope != .team),
      minted.map({ token.role.includes($0) }) ?? true
    else { throw .roleForbidden(token.role) }
  }
}
