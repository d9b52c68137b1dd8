// `import BoardroomReplay` is enough to name what a replay hands out and takes, and to use its members: the modules below are no
// products. `Actor` and `Scene` are left out because they would hide names of Swift's and SwiftUI's.

@_exported import enum BoardroomModel.Custom
@_exported import enum BoardroomModel.DrawingAct
@_exported import struct BoardroomModel.Element
@_exported import enum BoardroomModel.ElementEvent
@_exported import struct BoardroomModel.ElementID
@_exported import struct BoardroomModel.ElementStore
@_exported import enum BoardroomModel.ElementType
@_exported import enum BoardroomModel.Event
@_exported import enum BoardroomModel.EventKind
@_exported import struct BoardroomModel.Member
@_exported import enum BoardroomModel.MemberEvent
@_exported import struct BoardroomModel.MemberID
@_exported import struct BoardroomModel.MemberJoined
@_exported import struct BoardroomModel.RoomEvent
@_exported import typealias BoardroomModel.RoomID
@_exported import enum BoardroomModel.RoomLifeEvent
@_exported import struct BoardroomModel.RoomState
@_exported import struct EventLogModel.Gap
@_exported import enum EventLogModel.LogError
@_exported import struct EventLogModel.LogID
@_exported import struct EventLogModel.LogInfo
@_exported import protocol EventLogModel.LogStore
@_exported import struct EventLogModel.Revision
@_exported import struct EventLogModel.Timestamp

// A type's import leaves its operators out. The blanks make the compiler read the name of an operator; the formatter would take
// them away.
// swift-format-ignore
@_exported import func EventLogModel . +

// swift-format-ignore
@_exported import func EventLogModel . -
