/// The two WebSocket subprotocols: the same conversation in two encodings.
public enum Subprotocol: String, Sendable, Hashable, CaseIterable {
  /// Binary frames.
  case binary = "boardroom.v1"
  /// Text frames.
  case json = "boardroom.json.v1"
}

/// The first byte of a binary message; docs/PROTOCOL.md, section 3. Numbers are never used again.
enum ClientType: UInt8, CaseIterable {
  case hello = 1
  case commands = 2
  case heartbeat = 3
  case leave = 4
  case replay = 5
  case ask = 6
  case quiet = 7

  /// The `m` of the mirror: the case's own name.
  var name: String { String(describing: self) }
}

enum ServerType: UInt8, CaseIterable {
  case welcome = 65
  case run = 66
  case block = 67
  case receipts = 68
  case refused = 69
  case catchUp = 70
  case snapshotRoot = 71
  case snapshotPart = 72
  case live = 73
  case heartbeat = 74
  case farewell = 75
  case replayed = 76
  case answer = 77
  case quiet = 78

  var name: String { String(describing: self) }
}
