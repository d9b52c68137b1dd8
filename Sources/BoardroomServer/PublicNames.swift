// `import BoardroomServer` is enough to name what the server takes and hands out, and to use its members: the modules below
// are no products. `Service` is left out: it would hide that of ServiceLifecycle.

@_exported import struct BoardroomAccess.AccessGrant
@_exported import struct BoardroomAccess.AccessRequest
@_exported import struct BoardroomAccess.AccessToken
@_exported import enum BoardroomAccess.Action
@_exported import struct BoardroomAccess.ContentDigest
@_exported import struct BoardroomAccess.HostList
@_exported import enum BoardroomAccess.KeyFile
@_exported import struct BoardroomAccess.KeyPair
@_exported import struct BoardroomAccess.KeyRing
@_exported import struct BoardroomAccess.OpenGate
@_exported import enum BoardroomAccess.OriginRule
@_exported import struct BoardroomAccess.Permission
@_exported import protocol BoardroomAccess.RoomGatekeeper
@_exported import struct BoardroomAccess.SigningKey
@_exported import enum BoardroomAccess.TokenError
@_exported import struct BoardroomAccess.TokenGatekeeper
@_exported import enum BoardroomAccess.TokenScope
@_exported import enum BoardroomCodec.JSONValue
@_exported import enum BoardroomCodec.Subprotocol
@_exported import protocol BoardroomHTTP.BlockFileFormat
@_exported import struct BoardroomHTTP.ImageCheck
@_exported import struct BoardroomHTTP.ImageDamage
@_exported import enum BoardroomHTTP.OpenAPI
@_exported import enum BoardroomHTTP.PersonInRoom
@_exported import enum BoardroomHTTP.Unreadiness
@_exported import struct BoardroomHosting.Admission
@_exported import enum BoardroomHosting.CloseCode
@_exported import class BoardroomHosting.ConnectionHandle
@_exported import typealias BoardroomHosting.Deciding
@_exported import struct BoardroomHosting.EngineCounts
@_exported import enum BoardroomHosting.EntryDecision
@_exported import struct BoardroomHosting.FanOut
@_exported import protocol BoardroomHosting.Gatekeeper
@_exported import enum BoardroomHosting.HistoryAccess
@_exported import protocol BoardroomHosting.MemberLink
@_exported import struct BoardroomHosting.NodeAddress
@_exported import struct BoardroomHosting.ProxyList
@_exported import protocol BoardroomHosting.RoomLoop
@_exported import class BoardroomHosting.RoomServerEngine
@_exported import struct BoardroomHosting.RoomSummary
@_exported import struct BoardroomHosting.ServerPolicy
@_exported import struct BoardroomHosting.SharedBytes
@_exported import enum BoardroomHosting.SpaceOwner
@_exported import protocol BoardroomHosting.SpaceOwners
@_exported import struct BoardroomModel.Ban
@_exported import struct BoardroomModel.Element
@_exported import struct BoardroomModel.ElementID
@_exported import struct BoardroomModel.ElementStore
@_exported import struct BoardroomModel.Hello
@_exported import struct BoardroomModel.JSONText
@_exported import enum BoardroomModel.KickReason
@_exported import struct BoardroomModel.Member
@_exported import struct BoardroomModel.MemberID
@_exported import struct BoardroomModel.Place
@_exported import struct BoardroomModel.Refusal
@_exported import enum BoardroomModel.RefusalCode
@_exported import enum BoardroomModel.Role
@_exported import struct BoardroomModel.RoomCreated
@_exported import typealias BoardroomModel.RoomID
@_exported import struct BoardroomModel.RoomState
@_exported import typealias BoardroomModel.SessionID
@_exported import struct BoardroomWebhooks.WebhookCopy
@_exported import struct BoardroomWebhooks.WebhookSettings
@_exported import enum EventLogModel.LogError
@_exported import struct EventLogModel.LogID
@_exported import protocol EventLogModel.LogStore
@_exported import struct EventLogModel.Revision
@_exported import struct EventLogModel.Timestamp

// A type's import leaves its operators out. The blanks make the compiler read the name of an operator; the formatter would take
// them away.
// swift-format-ignore
@_exported import func EventLogModel . +

// swift-format-ignore
@_exported import func EventLogModel . -
