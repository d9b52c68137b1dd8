import BoardroomCodec
import BoardroomModel
import EventLogModel

/// The special channels that tell of everything (SIG-C6, SIG-C7): what happens in the spaces of a loop is gathered
/// for one turn of its loop, and goes to the host of the special channel as one batch.
extension LoopRooms {
  /// The log holds this.
  func note(_ presence: Presence) {
    guard presences.note(presence) else { return }
    let me = Confined(self, to: loop)
    loop.execute {
      me.value.passPresencesOn(to: .userOnline)
      me.value.passPresencesOn(to: .channelEvents)
    }
  }

  private func passPresencesOn(to special: SpaceName) {
    guard let batch = presences.take(for: special) else { return }
    exchange.ask(.presences(batch), of: special) { [weak self] _ in
      self?.presences.answered(by: special)
      self?.passPresencesOn(to: special)
    }
  }
}
