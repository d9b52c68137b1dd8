import ArgumentParser
import BoardroomModel

/// The room of a command: its first word, or `--room` as in the commands whose first word is another thing (CLI-3).
struct RoomArgument: ParsableArguments {
  @Argument(help: "The room's uuid, or --room.") var uuid: RoomID?
  @Option(help: "The room's uuid.") var room: RoomID?

  func validate() throws {
    guard (uuid == nil) != (room == nil) else {
      throw ValidationError("Name one room by its uuid.")
    }
  }

  var id: RoomID {
    guard let id = uuid ?? room else { preconditionFailure("validate() asks for a room.") }
    return id
  }
}
