import BoardroomModel
import EventLogModel

/// What clients and server say, as WebSocket messages of one subprotocol, both directions.
public struct WireCodec: Sendable {
  public let subprotocol: Subprotocol
  /// What a client may send; the depth of JSON counts for both sides.
  public let limits: WireLimits

  public init(_ subprotocol: Subprotocol, limits: WireLimits = WireLimits()) {
    self.subprotocol = subprotocol
    self.limits = limits
  }

  // MARK: From the client

  /// Reads a client's message. One bad command makes the whole message bad; a server that wants to refuse
  /// single commands uses `readClient`.
  public func decodeClient(_ bytes: [UInt8]) throws(CodecError) -> ClientNotice {
    switch try readClient(bytes) {
    case .notice(let notice): return notice
    case .commands(let readings):
      var commands: [NumberedCommand] = []
      for reading in readings {
        switch reading {
        case .command(let command, _): commands.append(command)
        case .faulty(_, _, let error): throw error
        }
      }
      return .commands(commands)
    }
  }

  /// Reads a client's message; each of its commands is read for itself.
  public func readClient(_ bytes: [UInt8]) throws(CodecError) -> ClientReading {
    guard bytes.count <= limits.message else {
      throw .tooLarge(what: "message", actual: bytes.count, allowed: limits.message)
    }
    switch subprotocol {
    case .binary: return try BinaryWire.readClient(bytes, limits)
    case .json: return try JSONWire.readClient(bytes, limits)
    }
  }

  public func encode(client notice: ClientNotice) -> [UInt8] {
    switch subprotocol {
    case .binary: BinaryWire.encode(client: notice)
    case .json: JSONWire.encode(client: notice)
    }
  }

  // MARK: From the server

  public func decodeServer(_ bytes: [UInt8]) throws(CodecError) -> Notice {
    switch subprotocol {
    case .binary: try BinaryWire.decodeServer(bytes)
    case .json: try JSONWire.decodeServer(bytes)
    }
  }

  /// In JSON a stored block becomes a run; one that cannot be unpacked, a farewell `internal`.
  public func encode(server notice: Notice) -> [UInt8] {
    switch subprotocol {
    case .binary: BinaryWire.encode(server: notice)
    case .json: JSONWire.encode(server: notice)
    }
  }

  // MARK: Hot messages, binary

  /// The `run` message: its bytes are the same for every member of a room.
  public static func runMessage(_ run: Run) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(run.records.count + 25)
    bytes.append(ServerType.run.rawValue)
    run.appendEncoded(to: &bytes)
    return bytes
  }

  public static func receiptsMessage(_ receipts: [Receipt]) -> [UInt8] {
    var bytes = [ServerType.receipts.rawValue]
    for receipt in receipts {
      bytes.appendVarint(receipt.counter)
      bytes.appendVarint(receipt.revision.rawValue)
    }
    return bytes
  }

  public static func heartbeatMessage(_ durable: Revision, at time: Timestamp) -> [UInt8] {
    var bytes = [ServerType.heartbeat.rawValue]
    bytes.appendVarint(durable.rawValue)
    bytes.appendVarint(UInt64(max(0, time.milliseconds)))
    return bytes
  }
}

/// A client's message, its commands read one by one.
public enum ClientReading: Sendable, Hashable {
  /// Anything but commands.
  case notice(ClientNotice)
  case commands([CommandReading])
}

/// One command of a message.
public enum CommandReading: Sendable, Hashable {
  /// `body` is the command's checked body, `uv counter` and payload, as a record may hold it verbatim.
  case command(NumberedCommand, body: ArraySlice<UInt8>)
  /// The command has a number, but is not one that can be carried out. `kind` is 0 if its name is not known.
  case faulty(CommandCounter, kind: UInt8, CodecError)
}
