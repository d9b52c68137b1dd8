import BoardroomCore
import BoardroomModel
import EventLogModel

// Recorded rooms of the SDK's server.
extension WhiteSDK {
  /// A player of a room on the server, by its HTTP interface. It opens the log at once.
  public func createReplayer(
    with config: WhitePlayerConfig, callbacks: (any WhitePlayerCallbackDelegate)? = nil,
    roomCallbacks: (any WhiteRoomCallbackDelegate)? = nil,
    commonCallbacks: (any WhiteCommonCallbackDelegate)? = nil
  ) throws(BoardroomError) -> WhitePlayer {
    WhitePlayer(
      config, from: try source(of: config), context: context, callbacks: callbacks,
      roomCallbacks: roomCallbacks, commonCallbacks: commonCallbacks)
  }

  /// RP-36.
  public func isPlayable(_ config: WhitePlayerConfig) async -> WhitePlayability {
    do throws(BoardroomError) {
      return await WhitePlayer.isPlayable(config, from: try source(of: config))
    } catch { return .badOptions(error) }
  }

  /// The logs of the server as a store that is open for reading, for what reads a `LogStore`: `Replay` of
  /// `BoardroomReplay`, exports and checks. An administrator's SDK token opens every log, a room's token this
  /// room.
  public func recordedLogs(token: String) -> RemoteLogStore {
    RemoteLogStore(configuration.endpoint, trust: configuration.trust) { token }
  }

  private func source(of config: WhitePlayerConfig) throws(BoardroomError) -> HTTPReplaySource {
    guard let room = RoomID(config.room) else {
      throw BoardroomError(.badName, cause: "The room's uuid is not 32 hexadecimal digits.")
    }
    let door = HTTPReplayDoor(configuration.endpoint, trust: configuration.trust)
    return HTTPReplaySource(room, token: config.roomToken, door: door)
  }
}
