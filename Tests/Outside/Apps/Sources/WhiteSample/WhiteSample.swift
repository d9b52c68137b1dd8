import BoardroomClient

/// The sample of the White SDK's documentation, as an app has it today: a controller of the main actor that holds SDK and room,
/// is the callbacks object, and joins again once when the phase becomes disconnected.
@MainActor
final class BoardController: @MainActor WhiteRoomCallbackDelegate, @MainActor WhiteCommonCallbackDelegate {
  let config: WhiteRoomConfig
  let sdk: WhiteSDK
  var room: WhiteRoom?
  var phases: [WhiteRoomPhase] = []
  var isReconnecting = false
  var heard: [String] = []

  init(host: String, port: Int, uuid: String, token: String) {
    config = WhiteRoomConfig(uuid: uuid, roomToken: token, uid: "sample")
    sdk = WhiteSDK(
      sdkConfiguration: WhiteSdkConfiguration(endpoint: Endpoint(host: host, port: port)),
      callbackExecutor: .main)
    sdk.setCommonCallbackDelegate(self)
  }

  func join() async throws {
    room = try await sdk.joinRoom(config, callbacks: self)
    room?.addMagixEventListener("greeting")
  }

  func firePhaseChanged(_ phase: WhiteRoomPhase) {
    phases.append(phase)
    guard phase == .disconnected, room?.disconnectedBySelf == false, !isReconnecting else { return }
    isReconnecting = true
    Task {
      try await join()
      isReconnecting = false
    }
  }

  func fireMagixEvent(_ event: WhiteEvent) { heard.append(event.payload.value.string ?? "") }
  func throwError(_ error: BoardroomError) { print("not carried out:", error.code) }
}

@main struct WhiteSample {
  @MainActor static func main() async throws {
    let given = CommandLine.arguments
    precondition(given.count == 5, "WhiteSample HOST PORT ROOM TOKEN")
    let board = BoardController(host: given[1], port: Int(given[2]) ?? 0, uuid: given[3], token: given[4])
    try await board.join()
    try await board.room?.setGlobalState(["topic": "waves", "page": 1])
    try await board.room?.insertText(x: 40, y: 40, text: "Hello")
    try await board.room?.dispatchMagixEvent("greeting", payload: "hello")
    precondition(board.heard == ["hello"], "the event came back as \(board.heard)")
    precondition(board.room?.globalState["topic"]?.value == "waves")
    await board.room?.disconnect()
    precondition(board.phases == [.connecting, .connected, .disconnecting, .disconnected])
    print("sample: all is well")
  }
}
