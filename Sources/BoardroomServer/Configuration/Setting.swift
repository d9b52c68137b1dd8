import BoardroomAccess
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel

/// One setting: its key, and how a text becomes its value.
///
/// The key `limits.statePatch` is `--set limits.statePatch=…` on the command line, `BOARDROOM_LIMITS_STATE_PATCH`
/// in the environment and `{"limits": {"statePatch": …}}` in the file.
public struct Setting: Sendable {
  public let key: String
  public let meaning: String
  /// How a value is written, for help.
  public let form: String
  /// Sets the value. Returns what is wrong with the text, or nil.
  let set: @Sendable (inout ServerSettings, String) -> String?
  let read: @Sendable (ServerSettings) -> String

  public var variable: String {
    "BOARDROOM_"
      + key.map { letter in
        letter == "." ? "_" : letter.isUppercase ? "_" + String(letter) : letter.uppercased()
      }.joined()
  }

  public var standard: String { read(ServerSettings()) }
  /// The present value in the form in which it is set.
  public func text(in settings: ServerSettings) -> String { read(settings) }
}

extension Setting {
  typealias Path<Value> = any WritableKeyPath<ServerSettings, Value> & Sendable

  static func text(_ key: String, _ path: Path<String>, _ meaning: String) -> Setting {
    Setting(key: key, meaning: meaning, form: "text") { settings, text in
      guard !text.isEmpty else { return "is empty" }
      settings[keyPath: path] = text
      return nil
    } read: {
      $0[keyPath: path]
    }
  }

  /// A folder, or the address of a database, of which a password is not shown.
  static func store(_ key: String, _ path: Path<String>, _ meaning: String) -> Setting {
    Setting(key: key, meaning: meaning, form: "path or address") { settings, text in
      guard !text.isEmpty else { return "is empty" }
      guard StorePlace(text).isReadable else {
        return "is no address such as postgresql://user@host/name; in a password @ is %40 and / is %2F"
      }
      settings[keyPath: path] = text
      return nil
    } read: {
      StorePlace($0[keyPath: path]).description
    }
  }

  /// A path of a file, or `none`.
  static func file(_ key: String, _ path: Path<String?>, _ meaning: String) -> Setting {
    Setting(key: key, meaning: meaning, form: "path or none") { settings, text in
      guard !text.isEmpty else { return "is empty" }
      settings[keyPath: path] = text == "none" ? nil : text
      return nil
    } read: {
      $0[keyPath: path] ?? "none"
    }
  }

  static func proxies(_ key: String, _ path: Path<ProxyList>, _ meaning: String) -> Setting {
    Setting(key: key, meaning: meaning, form: "none, or addresses and blocks with commas") { settings, text in
      guard let list = ProxyList(text) else {
        return "is neither none nor addresses and blocks such as 10.0.0.7,192.168.0.0/16"
      }
      settings[keyPath: path] = list
      return nil
    } read: {
      $0[keyPath: path].text
    }
  }

  static func hosts(_ key: String, _ path: Path<HostList>, _ meaning: String) -> Setting {
    Setting(key: key, meaning: meaning, form: "none, or names with commas") { settings, text in
      guard let list = HostList(text) else { return "is neither none nor names such as board.lan,10.0.0.7" }
      settings[keyPath: path] = list
      return nil
    } read: {
      $0[keyPath: path].text
    }
  }

  static func count(
    _ key: String, _ path: Path<Int>, _ range: ClosedRange<Int>, _ meaning: String
  ) -> Setting {
    Setting(key: key, meaning: meaning, form: "\(range.lowerBound) to \(range.upperBound)") {
      settings, text in
      guard let value = Int(text), range.contains(value) else {
        return "is not a whole number from \(range.lowerBound) to \(range.upperBound)"
      }
      settings[keyPath: path] = value
      return nil
    } read: {
      String($0[keyPath: path])
    }
  }

  static func size(
    _ key: String, _ path: Path<Int>, _ range: ClosedRange<Int>, _ meaning: String
  ) -> Setting {
    let form = "\(Quantity.text(bytes: range.lowerBound)) to \(Quantity.text(bytes: range.upperBound))"
    return Setting(key: key, meaning: meaning, form: form) { settings, text in
      guard let value = Quantity.bytes(text), range.contains(value) else {
        return "is not a size from \(form), such as 4096 or 256KiB"
      }
      settings[keyPath: path] = value
      return nil
    } read: {
      Quantity.text(bytes: $0[keyPath: path])
    }
  }

  static func duration(
    _ key: String, _ path: Path<Duration>, _ range: ClosedRange<Duration>, _ meaning: String
  ) -> Setting {
    let form = "\(Quantity.text(range.lowerBound)) to \(Quantity.text(range.upperBound))"
    return Setting(key: key, meaning: meaning, form: form) { settings, text in
      guard let value = Quantity.duration(text), range.contains(value) else {
        return "is not a time from \(form), such as 500us, 50ms, 30s or 5min"
      }
      settings[keyPath: path] = value
      return nil
    } read: {
      Quantity.text($0[keyPath: path])
    }
  }

  static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ key: String, _ path: Path<Value>, _ meaning: String
  ) -> Setting {
    let form = Value.allCases.map(\.rawValue).joined(separator: ", ")
    return Setting(key: key, meaning: meaning, form: form) { settings, text in
      guard let value = Value(rawValue: text) else { return "is not one of \(form)" }
      settings[keyPath: path] = value
      return nil
    } read: {
      $0[keyPath: path].rawValue
    }
  }

  static func flag(_ key: String, _ path: Path<Bool>, _ meaning: String) -> Setting {
    Setting(key: key, meaning: meaning, form: "on, off") { settings, text in
      guard text == "on" || text == "off" else { return "is neither on nor off" }
      settings[keyPath: path] = text == "on"
      return nil
    } read: {
      $0[keyPath: path] ? "on" : "off"
    }
  }

  static func pace(_ key: String, _ path: Path<RoomPolicy.Pace>, _ meaning: String) -> Setting {
    Setting(key: key, meaning: meaning, form: "all, off, or 1ms to 1min") { settings, text in
      switch text {
      case "all": settings[keyPath: path] = .all
      case "off": settings[keyPath: path] = .off
      default:
        guard let value = Quantity.duration(text), (.milliseconds(1)...Duration.seconds(60)).contains(value)
        else { return "is neither all nor off nor a time from 1ms to 1min" }
        settings[keyPath: path] = .every(value)
      }
      return nil
    } read: { settings in
      switch settings[keyPath: path] {
      case .all: "all"
      case .off: "off"
      case .every(let pause): Quantity.text(pause)
      }
    }
  }

  static func origins(_ key: String, _ path: Path<OriginRule>, _ meaning: String) -> Setting {
    Setting(key: key, meaning: meaning, form: "*, none, or origins with commas") { settings, text in
      guard let rule = OriginRule(text) else {
        return "is neither * nor none nor origins like https://example.org with commas between them"
      }
      settings[keyPath: path] = rule
      return nil
    } read: {
      $0[keyPath: path].text
    }
  }

  /// Zero: no limit. The burst is four times the rate, as in `RoomPolicy`.
  static func rate(_ key: String, _ path: Path<RoomPolicy.Rate?>, _ meaning: String) -> Setting {
    Setting(key: key, meaning: meaning, form: "0 to 1000000") { settings, text in
      guard let value = Int(text), (0...1_000_000).contains(value) else {
        return "is not a whole number from 0 to 1000000"
      }
      settings[keyPath: path] = value == 0 ? nil : RoomPolicy.Rate(sustained: value, burst: value * 4)
      return nil
    } read: {
      String($0[keyPath: path]?.sustained ?? 0)
    }
  }
}
