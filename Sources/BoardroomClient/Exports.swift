// `import BoardroomClient` is enough to name what the SDK hands out and takes, and to use its members: the modules below are no
// products. Two names are left out because they would hide names that apps use: `Actor` of Swift's and `Scene` of SwiftUI's.
// `EventAuthor` and `BoardPage` stand for them.

import BoardroomModel

@_exported import enum BoardroomCodec.JSONValue
@_exported import enum BoardroomCodec.Subprotocol
@_exported import struct BoardroomCore.TimeMap
@_exported import struct BoardroomModel.AccountSlot
@_exported import struct BoardroomModel.AttributesSet
@_exported import struct BoardroomModel.Ban
@_exported import struct BoardroomModel.Call
@_exported import struct BoardroomModel.CallKey
@_exported import struct BoardroomModel.Camera
@_exported import enum BoardroomModel.ChannelLeaveCause
@_exported import struct BoardroomModel.ChannelLeft
@_exported import struct BoardroomModel.ChannelMessage
@_exported import struct BoardroomModel.ClientPhase
@_exported import struct BoardroomModel.Colour
@_exported import typealias BoardroomModel.CommandCounter
@_exported import struct BoardroomModel.Compensation
@_exported import enum BoardroomModel.Custom
@_exported import enum BoardroomModel.DiagnosticEvent
@_exported import enum BoardroomModel.DrawingAct
@_exported import struct BoardroomModel.Element
@_exported import struct BoardroomModel.ElementChange
@_exported import struct BoardroomModel.ElementCopy
@_exported import enum BoardroomModel.ElementEvent
@_exported import struct BoardroomModel.ElementID
@_exported import struct BoardroomModel.ElementPut
@_exported import struct BoardroomModel.ElementStore
@_exported import enum BoardroomModel.ElementType
@_exported import struct BoardroomModel.ElementsChanged
@_exported import struct BoardroomModel.EncodedPoints
@_exported import struct BoardroomModel.ErasedContent
@_exported import enum BoardroomModel.Event
@_exported import enum BoardroomModel.EventKind
@_exported import typealias BoardroomModel.Generation
@_exported import struct BoardroomModel.HeldMessage
@_exported import struct BoardroomModel.History
@_exported import struct BoardroomModel.HistoryDepth
@_exported import enum BoardroomModel.HistoryEvent
@_exported import struct BoardroomModel.InboxMessage
@_exported import struct BoardroomModel.Invitation
@_exported import struct BoardroomModel.InviteHeard
@_exported import struct BoardroomModel.InviteMoved
@_exported import enum BoardroomModel.InviteStep
@_exported import struct BoardroomModel.JSONPatch
@_exported import struct BoardroomModel.JSONText
@_exported import enum BoardroomModel.KickReason
@_exported import enum BoardroomModel.LeaveCause
@_exported import struct BoardroomModel.LimitsPatch
@_exported import struct BoardroomModel.MagixEvent
@_exported import struct BoardroomModel.Member
@_exported import enum BoardroomModel.MemberEvent
@_exported import struct BoardroomModel.MemberID
@_exported import struct BoardroomModel.MemberJoined
@_exported import struct BoardroomModel.MemberKicked
@_exported import struct BoardroomModel.MemberNumbers
@_exported import enum BoardroomModel.MemberPhase
@_exported import struct BoardroomModel.MemberPhaseChange
@_exported import struct BoardroomModel.MemberReplaced
@_exported import enum BoardroomModel.Moderation
@_exported import struct BoardroomModel.PPTStep
@_exported import struct BoardroomModel.PointerMove
@_exported import struct BoardroomModel.Presence
@_exported import struct BoardroomModel.Reaction
@_exported import struct BoardroomModel.Receipt
@_exported import struct BoardroomModel.Refusal
@_exported import enum BoardroomModel.RefusalCode
@_exported import struct BoardroomModel.RefusedCommand
@_exported import enum BoardroomModel.Role
@_exported import struct BoardroomModel.RoomCreated
@_exported import struct BoardroomModel.RoomEvent
@_exported import typealias BoardroomModel.RoomID
@_exported import enum BoardroomModel.RoomLifeEvent
@_exported import struct BoardroomModel.RoomLock
@_exported import enum BoardroomModel.RoomPhase
@_exported import struct BoardroomModel.RoomState
@_exported import struct BoardroomModel.SceneCleaned
@_exported import enum BoardroomModel.SceneEvent
@_exported import typealias BoardroomModel.SceneID
@_exported import struct BoardroomModel.SceneMoved
@_exported import struct BoardroomModel.SceneSpec
@_exported import struct BoardroomModel.ScenesPut
@_exported import struct BoardroomModel.ScenesRemoved
@_exported import enum BoardroomModel.Service
@_exported import typealias BoardroomModel.SessionID
@_exported import enum BoardroomModel.SpaceEvent
@_exported import enum BoardroomModel.SpaceName
@_exported import struct BoardroomModel.SpaceState
@_exported import enum BoardroomModel.StateEvent
@_exported import struct BoardroomModel.StoreSet
@_exported import struct BoardroomModel.StrokeContent
@_exported import struct BoardroomModel.StrokeSegment
@_exported import struct BoardroomModel.StrokeStyle
@_exported import enum BoardroomModel.StrokeTool
@_exported import enum BoardroomModel.ViewMode
@_exported import struct EventLogModel.Epoch
@_exported import struct EventLogModel.Gap
@_exported import enum EventLogModel.LogError
@_exported import struct EventLogModel.LogID
@_exported import protocol EventLogModel.LogStore
@_exported import struct EventLogModel.Revision
@_exported import struct EventLogModel.Run
@_exported import struct EventLogModel.Timestamp

// A type's import leaves its operators out. The blanks make the compiler read the name of an operator; the formatter would take
// them away.
// swift-format-ignore
@_exported import func EventLogModel . +

// swift-format-ignore
@_exported import func EventLogModel . -

/// Who did what an event tells: a member, the server, or an operator.
public typealias EventAuthor = Actor
/// A page of the board, as the room's state has it.
public typealias BoardPage = Scene
