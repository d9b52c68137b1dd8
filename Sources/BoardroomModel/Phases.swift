/// Where a connection stands, as the whiteboard callbacks say it (P-1 to P-5). Raw values are the iOS ones.
public enum RoomPhase: Int, Sendable, Hashable, CaseIterable {
  case connecting = 0
  case connected = 1
  case reconnecting = 2
  case disconnecting = 3
  case disconnected = 4

  /// The web string, which is the case's name. An unknown text is read as disconnected (P-14).
  public init(wire text: String) {
    self = Self.allCases.first { $0.name == text } ?? .disconnected
  }
  public var name: String { String(describing: self) }
  /// All that a client may say of itself (`clientPhases`).
  public static let names = allCases.map(\.name)
}
