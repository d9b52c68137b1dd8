import BoardroomCodec
import BoardroomModel

/// Commands that were asked for in one turn and go out together.
struct CommandBatch {
  private var waiting: [NumberedCommand] = []

  /// True: it is the first one, and the batch has to be sent at the end of the turn.
  mutating func add(_ command: NumberedCommand) -> Bool {
    waiting.append(command)
    return waiting.count == 1
  }

  /// What goes out again after a connection was got back.
  mutating func replace(with commands: [NumberedCommand]) { waiting = commands }

  mutating func clear() { waiting.removeAll() }

  /// All of them, as messages of about `budget` bytes. One larger command is a message of its own.
  mutating func takeMessages(ofAbout budget: Int) -> [[NumberedCommand]] {
    var messages: [[NumberedCommand]] = []
    var message: [NumberedCommand] = []
    var size = 0
    for command in waiting {
      let bytes = CommandCodec.encode(command).body.count + 8
      if size + bytes > budget, !message.isEmpty {
        messages.append(message)
        (message, size) = ([], 0)
      }
      message.append(command)
      size += bytes
    }
    waiting.removeAll(keepingCapacity: true)
    if !message.isEmpty { messages.append(message) }
    return messages
  }
}
