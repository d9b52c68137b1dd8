import BoardroomCore
import BoardroomModel
import EventLogModel

// Events of the family `room` that do not fit, or change what they say.

extension MisfitTests {
  static let roomOfTheBoard: [(rule: String, Event, RoomParts?)] = [
    ("FOLD-25", .room(.banned(false)), []),
    ("FOLD-25", .room(.banned(true)), .closing),
    ("FOLD-25", .room(.deleted), .closing),
    ("FOLD-25", .room(.banLifted(7)), nil),
    ("FOLD-25", .room(.banSet(Ban(number: 7, room: nil, uid: "u", address: nil, until: nil))), .bans),
    ("FOLD-25", .room(.limitsSet(LimitsPatch([LimitsPatch.Field(name: "later", value: 3)]))), .limits),
    ("FOLD-25", .room(.limitsSet(LimitsPatch([LimitsPatch.Field(name: "later", value: nil)]))), []),
  ]

  static let roomMisfits: [(rule: String, actor: Actor, event: Event)] = [
    ("SC-1", .server, .room(.created(RoomCreated(name: "b"))))
  ]
}
