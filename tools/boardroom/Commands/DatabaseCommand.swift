import ArgumentParser
import EventLogModel

struct DatabaseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "database",
    abstract: "Prepare a PostgreSQL database for a server.",
    discussion: """
      Needs a program that was built with PostgreSQL: BOARDROOM_POSTGRES=1 swift build (docs/OPERATIONS.md).

      Examples:
        boardroom database make postgres://boardroom@db/boardroom
        boardroom database newlife postgres://boardroom@db/boardroom
      """,
    subcommands: [MakeDatabaseCommand.self, NewLifeCommand.self])
}

struct MakeDatabaseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make",
    abstract: "Make the tables, or bring those of an earlier version to the present one.",
    discussion: """
      Tables of a later version are refused, and so are those of an earlier one while a server uses them. Tables that are as
      they should be stay as they are. `boardroom serve` does the same when it starts; with this command it may have fewer
      rights.

      The password is better not in the address: libpq takes it from PGPASSWORD, ~/.pgpass or a service file.
      """)

  @Argument(help: "The database's address: postgres://user@host/name.") var address: String
  @Flag(help: "Machine-readable output.") var json = false

  func run() async throws {
    try await answering {
      guard let database = try Database(StorePlace(address)) else {
        throw Failure(
          .usage, "\(address) is a folder, no database.", "Write postgres://user@host/name.", at: address)
      }
      let made = try database.make()
      guard !json else {
        let found = made.found.map { "\($0)" } ?? "null"
        return Terminal.line(
          "{\"database\":\(Text.json(database.place)),\"found\":\(found),\"version\":\(made.version)}",
          isJSON: true)
      }
      let what =
        switch made.found {
        case nil: "made tables of version \(made.version)"
        case made.version: "has tables of version \(made.version) already"
        case let found?: "had tables of version \(found), and has those of version \(made.version) now"
        }
      Terminal.line("\(database.place): \(what)")
    }
  }
}
