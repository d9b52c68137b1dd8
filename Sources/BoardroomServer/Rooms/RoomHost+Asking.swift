import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Questions of connections, and their answers.
extension RoomHost {
  /// Only an account's logins may ask.
  func consider(_ ask: Ask, from seat: Seat, at now: Timestamp) {
    guard case .account = room.state.space?.name else {
      return answer(ask, .failure(Refusal(.unknownKind)), to: seat)
    }
    answer(ask, .failure(Refusal(.unknownKind)), to: seat)
  }

  func answer(_ ask: Ask, _ result: Result<Reply, Refusal>, to seat: Seat) {
    guard let line = seat.line, !line.isFull else { return }
    line.send(wire.bytes(of: .answer(Answer(number: ask.number, result: result)), in: line.subprotocol))
  }
}
