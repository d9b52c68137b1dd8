import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization

/// A callbacks object that records what it is told, with the second at which it came.
public final class Recorder: WhiteRoomCallbackDelegate, Sendable {
  /// A callback with its arguments.
  public enum Heard: Sendable, Hashable {
    case phase(WhiteRoomPhase)
    case state(WhiteRoomState)
    case committable(Bool)
    case disconnect(String)
    case kicked(String)
    case misfit(UInt64, String)
    case magix(WhiteEvent)
  }

  /// A callback and the second of the world at which it came.
  public struct Entry: Sendable, Hashable {
    public let second: Double
    public let heard: Heard
  }

  private struct RecorderState {
    var entries: [Entry] = []
    /// Called for each entry, from inside the callback.
    var listener: (@Sendable (Heard) -> Void)?
  }

  private let recorded = Mutex(RecorderState())
  private let clock: @Sendable () -> Double

  public init(_ clock: @escaping @Sendable () -> Double) { self.clock = clock }

  /// All entries, in their order.
  public var all: [Entry] { recorded.withLock { $0.entries } }
  public var heard: [Heard] { all.map(\.heard) }
  /// Forgets all entries.
  public func clear() { recorded.withLock { $0.entries = [] } }

  /// Calls `listener` for each entry from now on, from inside the callback.
  public func whenHeard(_ listener: @escaping @Sendable (Heard) -> Void) {
    recorded.withLock { $0.listener = listener }
  }

  /// Phases with their seconds.
  public var phases: [(phase: WhiteRoomPhase, second: Double)] {
    all.compactMap { if case .phase(let phase) = $0.heard { (phase, $0.second) } else { nil } }
  }
  public var states: [WhiteRoomState] {
    heard.compactMap { if case .state(let state) = $0 { state } else { nil } }
  }
  public var magix: [WhiteEvent] {
    heard.compactMap { if case .magix(let event) = $0 { event } else { nil } }
  }
  public var disconnects: [String] {
    heard.compactMap { if case .disconnect(let text) = $0 { text } else { nil } }
  }

  private func add(_ heard: Heard) {
    let entry = Entry(second: clock(), heard: heard)
    let listener = recorded.withLock { recorded in
      recorded.entries.append(entry)
      return recorded.listener
    }
    listener?(heard)
  }

  public func firePhaseChanged(_ phase: WhiteRoomPhase) { add(.phase(phase)) }
  public func fireRoomStateChanged(_ modifyState: WhiteRoomState) { add(.state(modifyState)) }
  public func fireBeingAbleToCommitChange(_ isAbleToCommit: Bool) { add(.committable(isAbleToCommit)) }
  public func fireDisconnectWithError(_ error: String) { add(.disconnect(error)) }
  public func fireKickedWithReason(_ reason: String) { add(.kicked(reason)) }
  public func fireCatchErrorWhenAppendFrame(_ userId: UInt64, error: String) { add(.misfit(userId, error)) }
  public func fireMagixEvent(_ event: WhiteEvent) { add(.magix(event)) }
}

/// A client with its SDK, its network and a recorder of its callbacks.
public final class SimulatedClient: Sendable {
  /// The uid with which it joins.
  public let name: String
  public let world: World
  /// Its network, which a test can cut or silence.
  public let network: SimulatedNetwork
  public let sdk: WhiteSDK
  /// What its callbacks object was told, if `join` gave it one.
  public let recorder: Recorder

  init(_ world: World, _ name: String, latency: ClosedRange<Int>, subprotocol: Subprotocol) {
    self.world = world
    self.name = name
    network = SimulatedNetwork(loop: world.loop, latency: latency) { world.engine }
    let configuration = WhiteSdkConfiguration(
      endpoint: .simulated, subprotocol: subprotocol, client: name)
    sdk = WhiteSDK(sdkConfiguration: configuration, context: world.loop, transport: network)
    recorder = Recorder { world.seconds }
  }

  /// The world's room, as itself, as admin.
  public var config: WhiteRoomConfig {
    var config = WhiteRoomConfig(uuid: world.room.description, roomToken: "token", uid: name)
    config.disableMagixEventDispatchLimit = true
    return config
  }

  /// Joins with the recorder as callbacks object, and runs the world until the join has succeeded or failed.
  public func join(
    _ change: (inout WhiteRoomConfig) -> Void = { _ in }
  ) throws(BoardroomError) -> WhiteRoom {
    var config = config
    change(&config)
    return try world.perform { [sdk, recorder, config] in
      do throws(BoardroomError) {
        return Result<WhiteRoom, BoardroomError>.success(
          try await sdk.joinRoom(config, callbacks: recorder))
      } catch { return .failure(error) }
    }.get()
  }
}

/// The result of a command, once there is one.
public final class Outcome: Sendable {
  private let held = Mutex<WhiteResult?>(nil)
  public init() {}
  public var value: WhiteResult? { held.withLock { $0 } }
  /// Sets the result.
  public func set(_ value: WhiteResult) { held.withLock { $0 = value } }
}

extension Endpoint {
  /// The address of a server that is reached over a simulated network.
  static let simulated = Endpoint(host: "simulated", port: 1)
}
