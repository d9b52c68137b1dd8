import BoardroomCodec
import BoardroomModel
import EventLogModel

// The family `room`: random valid values.

extension Chance {
  mutating func roomEvent(_ kind: EventKind) -> Event? {
    switch kind {
    case .roomCreated: .room(.created(RoomCreated(name: text(), limit: upTo(100), isRecord: coin())))
    case .roomBanned: .room(.banned(coin()))
    case .limitsSet: .room(.limitsSet(LimitsPatch([.init(name: word(), value: coin() ? upTo(999) : nil)])))
    case .roomDeleted: .room(.deleted)
    case .banSet: .room(.banSet(ban(number(upTo: 99))))
    case .banLifted: .room(.banLifted(number(upTo: 99)))
    default: nil
    }
  }

  mutating func ban(_ number: UInt64) -> Ban {
    Ban(
      number: number, room: coin() ? id() : nil, uid: coin() ? text() : nil,
      address: coin() ? "10.0.0.1" : nil,
      until: coin() ? Timestamp(milliseconds: Int64(upTo(1 << 40))) : nil, token: coin() ? text() : nil,
      since: coin() ? Timestamp(milliseconds: Int64(upTo(1 << 40))) : nil,
      member: coin() ? MemberID(UInt64(upTo(99))) : nil, name: coin() ? text() : nil)
  }
}
