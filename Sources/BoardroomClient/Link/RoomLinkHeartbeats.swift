import BoardroomModel
import EventLogModel

// Signs of life: often where somebody does something, rare in a quiet room (WIRE-20).

extension RoomLink {
  var heartbeatDue: Timestamp? {
    guard let connection, connection.welcome != nil else { return nil }
    return connection.heartbeatDue
  }

  /// In a quiet room, and with nothing on its way, the next one may take as long as the server's next message.
  func sendHeartbeat() {
    guard let interval = connection?.quiet, outbox.count == 0 else { return send(.heartbeat(received)) }
    connection?.socket.send(codec.encode(client: .quiet(received, interval)))
    connection?.heartbeatDue = now + interval
  }

  /// The server says that the room is quiet. A heartbeat that is due soon goes out at once: so both sides wake up together, and
  /// programs whose timers are late in the background need none.
  func noteQuiet(for interval: Duration) {
    machine.noteQuiet(for: interval, at: now)
    connection?.quiet = interval
    guard let connection, connection.heartbeatDue <= now + interval / 2 else { return }
    sendHeartbeat()
  }

  /// The server says something else: both sides speak as often as usual.
  func endQuiet() {
    guard let connection, connection.quiet != nil else { return }
    machine.endQuiet(at: now)
    self.connection?.quiet = nil
    self.connection?.heartbeatDue = min(connection.heartbeatDue, now + heartbeat)
  }
}
