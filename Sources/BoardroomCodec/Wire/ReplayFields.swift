import BoardroomModel
import EventLogModel

// The fields of what concerns replays, both ways.

extension JSONWriter {
  mutating func replayWish(_ wish: ReplayWish) {
    if let place = wish.place { self.place(place) }
    speed(wish.speed)
    field("group", wish.group)
  }

  mutating func replayControl(_ control: ReplayControl) {
    switch control {
    case .play: field("do", "play")
    case .pause: field("do", "pause")
    case .seek(let place):
      field("do", "seek")
      self.place(place)
    case .speed(let speed):
      field("do", "speed")
      self.speed(speed)
    }
  }

  mutating func replayStatus(_ status: ReplayStatus) {
    field("phase", status.phase.rawValue)
    field("at", status.at)
    field("revision", status.revision)
    speed(status.speed)
    field("begin", status.begin)
    field("end", status.end)
    if let refusal = status.refusal { self.refusal(refusal) }
  }

  private mutating func place(_ place: ReplayPlace) {
    switch place {
    case .time(let time): field("at", time)
    case .revision(let revision): field("revision", revision)
    }
  }

  /// A whole speed without a fraction, as JSON of other programs has it.
  private mutating func speed(_ speed: Double) {
    key("speed")
    if let whole = Int64(exactly: speed) { value(whole) } else { raw("\(speed)".utf8) }
  }
}

extension JSONFields {
  func replayWish() throws(CodecError) -> ReplayWish {
    let group = try optionalString("group")
    if let size = group?.utf8.count, size > ReplayWish.longestGroup {
      throw .tooLarge(what: "replay.group", actual: size, allowed: ReplayWish.longestGroup)
    }
    return ReplayWish(place: try place(), speed: has("speed") ? try speed() : 1, group: group)
  }

  func replayControl() throws(CodecError) -> ReplayControl {
    switch try string("do") {
    case "play": return .play
    case "pause": return .pause
    case "speed": return .speed(try speed())
    case "seek":
      guard let place = try place() else { throw error("at", "is missing, and so is revision") }
      return .seek(place)
    default: throw error("do", "is none of play, pause, seek, speed")
    }
  }

  func replayStatus() throws(CodecError) -> ReplayStatus {
    ReplayStatus(
      phase: try choice("phase"), at: try time("at"), revision: try revision("revision"),
      speed: try speed(), begin: try time("begin"), end: try time("end"),
      refusal: has("code") ? try refusal() : nil)
  }

  /// One of both, or nothing.
  private func place() throws(CodecError) -> ReplayPlace? {
    guard !(has("at") && has("revision")) else { throw error("at", "must not come along with revision") }
    if has("at") { return .time(try time("at")) }
    return has("revision") ? .revision(try revision("revision")) : nil
  }

  private func speed() throws(CodecError) -> Double {
    let speed = try finite("speed")
    guard ReplayWish.speeds.contains(speed) else {
      let range = ReplayWish.speeds
      throw error("speed", "must be from \(range.lowerBound) to \(Int(range.upperBound))")
    }
    return speed
  }
}
