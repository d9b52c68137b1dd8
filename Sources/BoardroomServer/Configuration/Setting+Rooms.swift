import BoardroomCore
import BoardroomModel

// Settings of rooms and ports whose values have a form of their own.

extension Setting {
  /// An address with a port, or `none`.
  static func listen(_ key: String, _ path: Path<ListenAddress?>, _ meaning: String) -> Setting {
    Setting(key: key, meaning: meaning, form: "none, or HOST:PORT") { settings, text in
      guard text != "none" else {
        settings[keyPath: path] = nil
        return nil
      }
      guard let address = ListenAddress(text) else {
        return "is neither none nor an address with a port, such as 127.0.0.1:9090 or [::1]:9090"
      }
      settings[keyPath: path] = address
      return nil
    } read: {
      $0[keyPath: path]?.text ?? "none"
    }
  }

  /// A time, or `never`.
  static func timeOrNever(
    _ key: String, _ path: Path<Duration?>, _ range: ClosedRange<Duration>, _ meaning: String
  ) -> Setting {
    let least = Quantity.text(range.lowerBound)
    let form = "never, or \(least) to \(Quantity.text(range.upperBound))"
    return Setting(key: key, meaning: meaning, form: form) { settings, text in
      guard text != "never" else {
        settings[keyPath: path] = nil
        return nil
      }
      guard let value = Quantity.duration(text), range.contains(value) else {
        return "is neither never nor a time of \(least) or more, such as 120min"
      }
      settings[keyPath: path] = value
      return nil
    } read: {
      $0[keyPath: path].map { Quantity.text($0) } ?? "never"
    }
  }

  /// Rates by kind of command, and `room` for the room as a whole. What is not named stays as it is; zero is no
  /// limit. The burst is four times the rate, as in `RoomPolicy`.
  static func rates(_ key: String, _ meaning: String) -> Setting {
    let form = "NAME=COUNT a second with commas; NAME: room, or a kind of docs/PROTOCOL.md; 0: no limit"
    return Setting(key: key, meaning: meaning, form: form) { settings, text in
      for part in text.split(separator: ",", omittingEmptySubsequences: false) {
        let sides = part.split(separator: "=", omittingEmptySubsequences: false)
        guard sides.count == 2, let value = Int(sides[1]),
          let limit = RoomLimit.named("rate.\(sides[0])"), limit.range.contains(value)
        else { return "is not like room=2000,magix=50 with kinds of commands and whole numbers" }
        settings.room = settings.room.with([limit.name: value])
      }
      return nil
    } read: { settings in
      var parts = settings.room.roomRate.map { ["room=\($0.sustained)"] } ?? []
      for (kind, rate) in settings.room.rates.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        parts.append("\(kind.name)=\(rate.sustained)")
      }
      return parts.isEmpty ? "room=0" : parts.joined(separator: ",")
    }
  }
}
