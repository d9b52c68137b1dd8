import BoardroomHosting

// Public names that once stood in this module and stand in one below it now: whoever imports `BoardroomServer` finds
// them still.

public typealias Admission = BoardroomHosting.Admission
public typealias CloseCode = BoardroomHosting.CloseCode
public typealias ConnectionHandle = BoardroomHosting.ConnectionHandle
public typealias Deciding = BoardroomHosting.Deciding
public typealias EngineCounts = BoardroomHosting.EngineCounts
public typealias FanOut = BoardroomHosting.FanOut
public typealias Gatekeeper = BoardroomHosting.Gatekeeper
public typealias HistoryDoor = BoardroomHosting.HistoryDoor
public typealias MemberLink = BoardroomHosting.MemberLink
public typealias ProxyList = BoardroomHosting.ProxyList
public typealias RoomLoop = BoardroomHosting.RoomLoop
public typealias RoomServerEngine = BoardroomHosting.RoomServerEngine
public typealias RoomSummary = BoardroomHosting.RoomSummary
public typealias ServerPolicy = BoardroomHosting.ServerPolicy
public typealias SharedBytes = BoardroomHosting.SharedBytes
