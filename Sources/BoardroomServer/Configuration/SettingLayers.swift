import BoardroomCodec
import BoardroomModel

/// A key or value that is not understood: its key, its source, and what is wrong with it.
public struct SettingError: Error, Sendable, Hashable, CustomStringConvertible {
  public var key: String
  /// The flag, the variable or the file.
  public var source: String
  /// Continues the sentence "`key` from `source`".
  public var reason: String

  public var description: String { "\(key) (from \(source)) \(reason)." }
}

extension ServerSettings {
  /// Settings from three places: a flag wins over a variable, a variable over the file, the file over defaults.
  ///
  /// - Parameters:
  ///   - flags: values by key, as they stood on the command line.
  ///   - environment: the process's variables; those that no setting has are left alone.
  ///   - file: path and content of the JSON file, if there is one.
  public init(
    flags: [String: String] = [:], environment: [String: String] = [:],
    file: (path: String, bytes: [UInt8])? = nil
  ) throws(SettingError) {
    self.init()
    let filed =
      try file.map { file throws(SettingError) in try Self.flatten(file.bytes, path: file.path) } ?? [:]
    for key in filed.keys.sorted() { try Self.require(key, in: file?.path ?? "") }
    for key in flags.keys.sorted() { try Self.require(key, in: "--set") }
    for setting in Setting.all {
      if let text = flags[setting.key] {
        try set(setting, to: text, from: "the command line")
      } else if let text = environment[setting.variable] {
        try set(setting, to: text, from: setting.variable)
      } else if let text = filed[setting.key] {
        try set(setting, to: text, from: file?.path ?? "")
      }
    }
    try checkOrder()
    try checkPairs()
  }

  private mutating func set(_ setting: Setting, to text: String, from source: String) throws(SettingError) {
    if let reason = setting.set(&self, text) {
      throw SettingError(key: setting.key, source: source, reason: reason)
    }
  }

  private static func require(_ key: String, in source: String) throws(SettingError) {
    guard Setting.named(key) == nil else { return }
    throw SettingError(
      key: key, source: source, reason: "is not a key; `boardroom serve --help` lists all of them")
  }

  /// Silence can be noticed only if heartbeat < suspect < offline, each with some room for a late timer (SES-8, SES-9).
  private func checkOrder() throws(SettingError) {
    // A heartbeat may be late by a quarter of its interval, and needs time on the network.
    guard timings.heartbeat * 1.5 <= timings.suspectAfter else {
      throw SettingError(
        key: "suspect", source: "all settings together",
        reason: "must be one and a half times heartbeat at least")
    }
    guard timings.suspectAfter < timings.offlineAfter else {
      throw SettingError(
        key: "offline", source: "all settings together", reason: "must be longer than suspect")
    }
  }

  private func checkPairs() throws(SettingError) {
    for (key, other) in [("tls.certificate", "tls.key"), ("tls.key", "tls.certificate")]
    where (tlsCertificate == nil) != (tlsKey == nil) && Setting.named(key)?.text(in: self) == "none" {
      throw SettingError(key: key, source: "all settings together", reason: "must be set when \(other) is")
    }
  }

  /// The file's object as dotted keys with the texts of their values.
  private static func flatten(_ bytes: [UInt8], path: String) throws(SettingError) -> [String: String] {
    guard let root = try? JSONValue.parse(bytes), root.object != nil else {
      throw SettingError(key: "The content", source: path, reason: "is not one strict JSON object")
    }
    var flat: [String: String] = [:]
    try add(root, named: "", to: &flat, path: path)
    return flat
  }

  private static func add(
    _ value: JSONValue, named key: String, to flat: inout [String: String], path: String
  ) throws(SettingError) {
    switch value {
    case .object(let members):
      for (name, value) in members {
        try add(value, named: key.isEmpty ? name : key + "." + name, to: &flat, path: path)
      }
    case .string(let text): flat[key] = text
    case .number(let text): flat[key] = text
    case .bool(let flag): flat[key] = String(flag)
    case .null, .array:
      throw SettingError(key: key, source: path, reason: "is neither a text nor a number")
    }
  }
}
