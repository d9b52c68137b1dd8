import ArgumentParser
import BoardroomVersion
import Foundation

/// The program. A new command is a file under Commands/ and one line in this type.
@main
struct Boardroom: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "boardroom",
    abstract: "A whiteboard server that keeps everything, and tools that show it.",
    discussion: """
      A first board:
        boardroom serve --data data
        boardroom room create --data data
        boardroom token room UUID --role writer --data data

      Exit codes: 0 done; 1 the answer is no; 64 the command line is wrong; 65 a file or value is wrong; 66 \
      what was named does not exist; 69 the server does not answer, or its port is in use; 73 cannot be \
      created; 74 reading or writing failed; 75 in use by another process; 77 not allowed; 130 Ctrl-C.
      """,
    version: ProductVersion.current,
    subcommands: [ServeCommand.self, TokenCommand.self, RoomCommand.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Live rooms", subcommands: [PerformCommand.self, WatchCommand.self, SampleCommand.self]),
      CommandGroup(name: "Accounts", subcommands: [SignalingCommand.self]),
      CommandGroup(
        name: "Logs",
        subcommands: [
          ReplayCommand.self, ExportCommand.self, ImportCommand.self, InspectCommand.self,
          VerifyCommand.self, BackupCommand.self, FollowCommand.self, RepairCommand.self,
          EraseCommand.self, ArchiveCommand.self, MigrateCommand.self,
        ]),
      CommandGroup(name: "Databases", subcommands: [DatabaseCommand.self]),
    ])

  static func main() async {
    // Rooms are private: every file is readable by its owner only, whatever library makes it (FILE-1).
    umask(0o077)
    do {
      var command = try await asyncParseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      end(with: error)
    }
  }

  /// As ArgumentParser ends a program, but with colours, and for a command line that is not understood where a program
  /// reads (CLI-1).
  private static func end(with error: any Error) -> Never {
    let (status, text) = (exitCode(for: error), Text.withoutAddresses(fullMessage(for: error)))
    // A failure that has been told ends with its status alone, which may be the one of a wrong command line.
    switch (text.isEmpty, Terminal.isJSON && status == .validationFailure) {
    case (true, _): break
    case (false, true): ErrorReport(usage: Text.withoutAddresses(message(for: error))).tell()
    case (false, false): status == .success ? Terminal.help(text) : Terminal.usage(text)
    }
    Foundation.exit(status.rawValue)
  }
}
