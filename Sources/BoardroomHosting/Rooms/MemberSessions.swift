import BoardroomCore
import BoardroomModel
import EventLogModel

/// The stays in a space, found by member, by session and by connection, and since when nobody is there.
struct MemberSessions {
  private var byMember: [MemberID: MemberSession] = [:]
  private var bySession: [SessionID: MemberSession] = [:]
  private var byConnection: [ConnectionID: MemberSession] = [:]
  /// When the last connection went and the last member left; nil while anyone is here.
  private(set) var emptySince: Timestamp?

  init(emptyAt now: Timestamp) { emptySince = now }

  subscript(member: MemberID) -> MemberSession? { byMember[member] }
  subscript(session session: SessionID) -> MemberSession? { bySession[session] }
  subscript(connection connection: ConnectionID) -> MemberSession? { byConnection[connection] }

  /// Stays that have not ended, in no order.
  var all: Dictionary<MemberID, MemberSession>.Values { byMember.values }
  /// Stays that have not ended, by their numbers, so that a simulation is the same every time.
  var inOrder: [MemberSession] { byMember.values.sorted { $0.member < $1.member } }
  /// Those that have a connection, also where the stay has ended and its farewell is still to be sent.
  var connected: Dictionary<ConnectionID, MemberSession>.Values { byConnection.values }
  var count: Int { byMember.count }
  var connections: Int { byConnection.count }
  var isEmpty: Bool { byMember.isEmpty && byConnection.isEmpty }

  mutating func add(_ session: MemberSession) {
    byMember[session.member] = session
    bySession[session.session] = session
    emptySince = nil
  }

  mutating func connect(_ connection: ConnectionID, to session: MemberSession) {
    byConnection[connection] = session
    emptySince = nil
  }

  mutating func disconnect(_ connection: ConnectionID) { byConnection[connection] = nil }

  /// The stay is over. Its connection is found until it is told so.
  mutating func remove(_ session: MemberSession) {
    byMember[session.member] = nil
    bySession[session.session] = nil
  }

  mutating func removeAll() { (byMember, bySession, byConnection) = ([:], [:], [:]) }

  /// Notes when it is, if nobody is there.
  mutating func noteIfEmpty(at now: Timestamp) {
    if isEmpty { emptySince = now }
  }
}
