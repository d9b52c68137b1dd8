import ArgumentParser
import EventLogModel

struct NewLifeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "newlife",
    abstract: "Give all rooms a new life, after the database was restored to an earlier moment.",
    discussion: """
      Members may have seen events that the restored database does not have. With a new life, what they know of a room is void,
      and they begin anew with what is there. Nothing of the rooms changes.

      No node may be running. It can be said again at any time; each time all members begin anew.

      Exit codes: 0 done; 69 the database does not answer; 75 a node is connected.
      """)

  @Argument(help: "The database's address: postgres://user@host/name.") var address: String
  @Flag(help: "Machine-readable output.") var json = false

  func run() async throws {
    try await answering {
      guard let database = try Database(StorePlace(address)) else {
        throw Failure(
          .usage, "\(address) is a folder, no database.",
          "Write postgres://user@host/name. A folder that is a backup has new lives already.", at: address)
      }
      let logs = try await database.giveNewLives()
      Terminal.line(
        json
          ? "{\"database\":\(Text.json(database.place)),\"logs\":\(logs)}"
          : "\(database.place): \(Text.count(logs, "log")) with a new life.", isJSON: json)
    }
  }
}
