import BoardroomModel

extension Command {
  /// Whether it is as if it had never been given. The next hello asks for the right to write, or gives it up, whatever becomes of this.
  var isTakenBack: Bool {
    if case .members(.setWritable) = self { false } else { true }
  }
}

// A call whose task was cancelled: what it led to and was not sent is not sent any more.
extension RoomLink {
  /// What is on its way to the server stays as it is: it may be done.
  func withdraw(_ call: CallToken) {
    let commands = outbox.withdraw(call)
    let paced = magix.pace.withdraw(call)
    guard !commands.isEmpty || !paced.isEmpty else { return }
    for counter in commands.map(\.counter) { mirror.takeBack(counter) }
    if !isMidway { showState() }
    finish(commands.map(\.settled) + paced)
  }
}
