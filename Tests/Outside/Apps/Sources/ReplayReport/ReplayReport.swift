import BoardroomReplay
import EventLog

/// A report of a server's data folder, on standard output: for each room, who drew and said what and when, and the life of each
/// element that is left. It reads only; a server may have the folder open.
@main struct ReplayReport {
  static func main() async throws {
    let given = CommandLine.arguments
    precondition(given.count == 2, "ReplayReport FOLDER")
    var options = EmbeddedLogStore.Options()
    options.readOnly = true
    let store = try EmbeddedLogStore.open(folder: given[1], options: options)
    var last: RoomID?
    while let info = try await store.logs(after: last, limit: 1).first {
      try await report(on: info.log, in: store)
      last = info.log
    }
    await store.shutdown()
  }

  private static func report(on room: RoomID, in store: any LogStore) async throws(ReplayError) {
    var replay = try await Replay.open(room, in: store)
    var names: [MemberID: String] = [:]
    while let event = try await replay.step() {
      let member = event.actor.member
      if case .members(.joined(let joined)) = event.event, let member {
        names[member] = joined.uid ?? "member \(member)"
      }
      if isTold(event) { tell(event, by: member.map { names[$0] ?? "member \($0)" } ?? "the server") }
    }
    // Accounts and channels have logs, too, and no board.
    guard let created = replay.moment.state.created else { return }
    for element in replay.moment.state.elements {
      let life = try await replay.changes(of: element.id)
      guard let first = life.first, let newest = life.last else { continue }
      let author = first.event.actor.member.flatMap { names[$0] } ?? "the server"
      let after = newest.event.time - first.event.time
      print(
        "\(element.id) of \(created.name): \(first.change) by \(author), changed \(life.count - 1) times in \(after)"
      )
    }
    if !replay.gaps.isEmpty { print("not readable: \(replay.gaps)") }
  }

  /// What changes nothing that stays is left out: pointers, cameras, connections.
  private static func isTold(_ event: RoomEvent) -> Bool {
    switch event.event {
    case .drawing(.stroke), .elements, .scenes, .history, .state, .custom: true
    case .room(.created), .members(.joined), .members(.left): true
    default: false
    }
  }

  private static func tell(_ event: RoomEvent, by author: String) {
    print("\(event.time.iso8601) r\(event.revision) \(author): \(event.summary)")
  }
}
