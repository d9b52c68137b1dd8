import BoardroomCodec
import BoardroomModel
import EventLogModel

/// The special channels that tell of everything (SIG-C6, SIG-C7): what happens in the spaces of a loop is gathered
/// for one turn of its loop, and goes to the host of the special channel as one batch.
extension LoopRooms {
  /// The log holds this.
  func note(_ presence: Presence) {
    presences.append(presence)
    guard presences.count == 1 else { return }
    let me = Confined(self, to: loop)
    loop.execute { me.value.passPresencesOn() }
  }

  private func passPresencesOn() {
    let batch = presences
    presences = []
    for (special, isOfChannels) in [(SpaceName.userOnline, false), (.channelEvents, true)] {
      let part = batch.filter { ($0.channel != nil) == isOfChannels }
      guard !part.isEmpty else { continue }
      exchange.ask(.presences(part), of: special, inOrderOf: special) { _ in }
    }
  }
}
