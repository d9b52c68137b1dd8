import BoardroomAccess
import BoardroomHTTP
import BoardroomHosting
import BoardroomWebhooks

// Public names that were once declared in this module and are now declared in a lower one, so that importing
// `BoardroomServer` is enough.

public typealias AccessToken = BoardroomAccess.AccessToken
public typealias Action = BoardroomAccess.Action
public typealias Admission = BoardroomHosting.Admission
public typealias BlockFileFormat = BoardroomHTTP.BlockFileFormat
public typealias CloseCode = BoardroomHosting.CloseCode
public typealias ConnectionHandle = BoardroomHosting.ConnectionHandle
public typealias Deciding = BoardroomHosting.Deciding
public typealias EngineCounts = BoardroomHosting.EngineCounts
public typealias FanOut = BoardroomHosting.FanOut
public typealias Gatekeeper = BoardroomHosting.Gatekeeper
public typealias HistoryAccess = BoardroomHosting.HistoryAccess
public typealias HostList = BoardroomAccess.HostList
public typealias ImageCheck = BoardroomHTTP.ImageCheck
public typealias ImageDamage = BoardroomHTTP.ImageDamage
public typealias KeyFile = BoardroomAccess.KeyFile
public typealias KeyPair = BoardroomAccess.KeyPair
public typealias KeyRing = BoardroomAccess.KeyRing
public typealias MemberLink = BoardroomHosting.MemberLink
public typealias OpenAPI = BoardroomHTTP.OpenAPI
public typealias OpenGate = BoardroomAccess.OpenGate
public typealias OriginRule = BoardroomAccess.OriginRule
public typealias Permission = BoardroomAccess.Permission
public typealias ProxyList = BoardroomHosting.ProxyList
public typealias RoomLoop = BoardroomHosting.RoomLoop
public typealias RoomServerEngine = BoardroomHosting.RoomServerEngine
public typealias RoomSummary = BoardroomHosting.RoomSummary
public typealias ServerPolicy = BoardroomHosting.ServerPolicy
public typealias SharedBytes = BoardroomHosting.SharedBytes
public typealias ContentDigest = BoardroomAccess.ContentDigest
public typealias SigningKey = BoardroomAccess.SigningKey
public typealias TokenError = BoardroomAccess.TokenError
public typealias TokenGatekeeper = BoardroomAccess.TokenGatekeeper
public typealias TokenScope = BoardroomAccess.TokenScope
public typealias Unreadiness = BoardroomHTTP.Unreadiness
public typealias WebhookCopy = BoardroomWebhooks.WebhookCopy
public typealias WebhookSettings = BoardroomWebhooks.WebhookSettings
