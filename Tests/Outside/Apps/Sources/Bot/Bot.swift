import BoardroomClient

/// A bot of a server: draws a graph of what it counts, answers members, and says who did what. It names types of events, of the
/// log and of JSON, with one import.
struct Count: Codable {
  var of: String
  var number: Int
}

@main struct Bot {
  static func main() async throws {
    let given = CommandLine.arguments
    precondition(given.count == 5, "Bot HOST PORT ROOM TOKEN")
    let endpoint = Endpoint(host: given[1], port: Int(given[2]) ?? 0)
    let config = WhiteRoomConfig(
      uuid: given[3], roomToken: given[4], uid: "bot", userPayload: ["isBot": true])
    let sdk = WhiteSDK(
      sdkConfiguration: WhiteSdkConfiguration(endpoint: endpoint), callbackExecutor: .ownLoop)
    let room = try await sdk.joinRoom(config)
    let id: RoomID? = RoomID(room.uuid)
    precondition(id != nil)

    let events = room.events
    let counting = Task {
      var kinds: [String: Int] = [:]
      var last = Timestamp.zero
      for await event: RoomEvent in events {
        let author: EventAuthor = event.actor
        guard author.member != nil else { continue }
        last = max(last, event.time)
        switch event.event {
        case .drawing: kinds["drawn", default: 0] += 1
        case .elements: kinds["put", default: 0] += 1
        case .custom(.magix): kinds["said", default: 0] += 1
        default: kinds["other", default: 0] += 1
        }
      }
      return (kinds, last)
    }

    let stroke = room.beginStroke(
      WhitePen(colour: Colour(red: 200, green: 0, blue: 0)), [WhitePoint(x: 0, y: 0)])
    for step in 1...100 { stroke.append([WhitePoint(x: Double(step), y: Double(step % 7))]) }
    try await stroke.end()
    let label: ElementID = try await room.insertText(x: 0, y: 20, text: "100 steps")
    let count = try JSONValue(encoding: Count(of: "steps", number: 100))
    try await room.dispatchMagixEvent("count", payload: count)
    do throws(BoardroomError) {
      try await room.dispatchMagixEvent("", payload: count)
      preconditionFailure("an event without a name was taken")
    } catch {
      let code: RefusalCode = error.code
      precondition(code == .badName || code == .badParameter, "refused as \(code)")
    }
    let store: ElementStore = await room.getBoard().elements
    precondition(
      store.contains { $0.id == label } && store.count >= 2, "the board has \(store.count) elements")
    let decoded = try count.decode(Count.self)
    precondition(decoded.number == 100)
    await room.disconnect()
    let (kinds, last) = await counting.value
    precondition((kinds["drawn"] ?? 0) > 0 && kinds["put"] == 1 && kinds["said"] == 1, "counted \(kinds)")
    precondition(last > .zero)
    print("bot: all is well")
  }
}
