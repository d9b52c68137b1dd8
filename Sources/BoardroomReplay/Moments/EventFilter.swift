import BoardroomModel
import EventLogModel

/// Which events a reader wants to see. The fold always sees all.
public struct EventFilter: Sendable, Hashable {
  /// Kind numbers; nil for all.
  public var kinds: Set<UInt8>?
  /// Members who caused an event or whom it is about; nil for everybody, the server, too.
  public var members: Set<MemberID>?

  public init(kinds: Set<UInt8>? = nil, members: Set<MemberID>? = nil) {
    self.kinds = kinds
    self.members = members
  }

  public static let everything = EventFilter()
  public var isEverything: Bool { kinds == nil && members == nil }

  /// Whether an event passes the filter.
  public func passes(_ event: RoomEvent) -> Bool {
    guard kinds?.contains(event.event.kind) ?? true else { return false }
    guard let members else { return true }
    if let actor = event.actor.member, members.contains(actor) { return true }
    guard case .members(.kicked(let kicked)) = event.event else { return false }
    return members.contains(kicked.member)
  }

  /// Kinds named in text, by name (`stroke`) or number (`200`); nil if one is neither.
  public static func kinds(named names: [String]) -> Set<UInt8>? {
    var kinds: Set<UInt8> = []
    for name in names {
      guard let kind = EventKind.number(named: name)
      else { return nil }
      kinds.insert(kind)
    }
    return kinds
  }
}
