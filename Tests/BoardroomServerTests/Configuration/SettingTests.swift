import BoardroomCore
import BoardroomModel
import Foundation
import Testing

@testable import BoardroomHosting
@testable import BoardroomServer

private func settings(
  _ flags: [String: String] = [:], _ environment: [String: String] = [:], _ file: String? = nil
) throws(SettingError) -> ServerSettings {
  try ServerSettings(
    flags: flags, environment: environment, file: file.map { (path: "b.json", bytes: Array($0.utf8)) })
}

@Test("A flag wins over a variable, a variable over the file, the file over the default")
func precedence() throws {
  let (flags, variables, file) = (["port": "1"], ["BOARDROOM_PORT": "2"], "{\"port\": 3}")
  #expect(try settings().port == 8_080)
  #expect(try settings([:], [:], file).port == 3)
  #expect(try settings([:], variables, file).port == 2)
  #expect(try settings(flags, variables, file).port == 1)
  #expect(try settings(flags, [:], file).port == 1)
}

@Test(
  "Every key is read from the command line, its variable and the file, and its default is of its own form")
func everyKeyWorksEverywhere() throws {
  #expect(Set(Setting.all.map(\.key)).count == Setting.all.count)
  #expect(Set(Setting.all.map(\.variable)).count == Setting.all.count)
  for setting in Setting.all {
    let text = setting.standard
    #expect(setting.text(in: try settings([setting.key: text])) == text, "\(setting.key)")
    #expect(setting.text(in: try settings([:], [setting.variable: text])) == text, "\(setting.key)")
    let nested = setting.key.split(separator: ".").reversed().reduce("\"\(text)\"") { "{\"\($1)\":\($0)}" }
    #expect(setting.text(in: try settings([:], [:], nested)) == text, "\(setting.key)")
    #expect(throws: SettingError.self, "\(setting.key) takes nothing") { try settings([setting.key: ""]) }
    #expect(Setting.table.contains(setting.key))
    #expect(Setting.markdown.contains(setting.variable))
  }
}

@Test("A camel-case key has a variable with underscores")
func variablesAreSpelled() {
  #expect(Setting.named("limits.statePatch")?.variable == "BOARDROOM_LIMITS_STATE_PATCH")
}

private struct Wrong: Sendable, CustomTestStringConvertible {
  var flags: [String: String] = [:]
  var environment: [String: String] = [:]
  var file: String?
  var key: String
  var source: String
  var testDescription: String { "\(key) from \(source)" }
}

private let wrongs = [
  Wrong(file: "{\"prot\": 1}", key: "prot", source: "b.json"),
  Wrong(file: "{\"limits\": {\"mesage\": 1}}", key: "limits.mesage", source: "b.json"),
  Wrong(file: "{\"port\": true}", key: "port", source: "b.json"),
  Wrong(file: "{\"port\": [1]}", key: "port", source: "b.json"),
  Wrong(file: "{\"port\": null}", key: "port", source: "b.json"),
  Wrong(file: "{\"port\": 70000}", key: "port", source: "b.json"),
  Wrong(file: "{\"port\": 1, \"port\": 2}", key: "The content", source: "b.json"),
  Wrong(file: "[1]", key: "The content", source: "b.json"),
  Wrong(file: "{", key: "The content", source: "b.json"),
  Wrong(flags: ["nonsense": "1"], key: "nonsense", source: "--set"),
  Wrong(flags: ["port": "-1"], key: "port", source: "the command line"),
  Wrong(environment: ["BOARDROOM_PORT": "eighty"], key: "port", source: "BOARDROOM_PORT"),
  Wrong(environment: ["BOARDROOM_LOG_LEVEL": "loud"], key: "log.level", source: "BOARDROOM_LOG_LEVEL"),
  Wrong(flags: ["limits.message": "12 KiB"], key: "limits.message", source: "the command line"),
  Wrong(flags: ["heartbeat": "1ns"], key: "heartbeat", source: "the command line"),
  Wrong(flags: ["heartbeat": "5s"], key: "suspect", source: "all settings together"),
  Wrong(flags: ["suspect": "40s"], key: "offline", source: "all settings together"),
]

@Test("A key or value that is not understood is an error that names it and where it stood", arguments: wrongs)
private func wrongSettingsAreNamed(_ wrong: Wrong) {
  do throws(SettingError) {
    _ = try settings(wrong.flags, wrong.environment, wrong.file)
    Issue.record("was taken")
  } catch {
    #expect(error.key == wrong.key)
    #expect(error.source == wrong.source)
    #expect(error.description.contains(wrong.key))
  }
}

@Test("Sizes and times are read with their units and written in the largest that fits")
func quantitiesAreRead() {
  let sizes: [(String, Int?)] = [
    ("0", 0), ("17", 17), ("17B", 17), ("4KiB", 4_096), ("3MiB", 3 << 20), ("1GiB", 1 << 30), ("1KB", nil),
    ("KiB", nil), ("1.5KiB", nil), ("-1", nil), ("9999999999999GiB", nil), ("", nil),
  ]
  for (text, value) in sizes { #expect(Quantity.bytes(text) == value, "\(text)") }
  let times: [(String, Duration?)] = [
    ("5", .milliseconds(5)), ("500us", .microseconds(500)), ("50ms", .milliseconds(50)),
    ("30s", .seconds(30)),
    ("5min", .seconds(300)), ("24h", .seconds(86_400)), ("1d", .seconds(86_400)), ("2m", .seconds(120)),
    ("1.5h", .seconds(5_400)), ("0.25s", .milliseconds(250)), ("s", nil), ("٣s", nil), ("1.s", nil),
    (".5s", nil),
    ("1.0000001s", nil), ("-1s", nil), ("1w", nil), ("9999999999999d", nil),
  ]
  for (text, value) in times { #expect(Quantity.duration(text) == value, "\(text)") }
  #expect(Quantity.duration("2.5", alone: .seconds(1)) == .milliseconds(2_500))
  #expect(Quantity.text(bytes: 3 << 19) == "1536KiB")
  #expect(Quantity.text(.microseconds(1_500)) == "1500us")
  #expect(Quantity.text(.seconds(90)) == "90s")
}

@Test("What is set reaches rooms and connections")
func settingsReachPolicies() throws {
  let changed = try settings(["limits.magix": "2KiB", "pointers": "off", "rate": "0", "outbox": "64KiB"])
  let policy = changed.serverPolicy
  #expect(policy.limits.magix == 2_048)
  #expect(policy.room.limits.magix == 2_048)
  #expect(policy.room.pointers == .off)
  #expect(policy.room.rate == nil)
  #expect(policy.outbox == 65_536)
}

@Test("docs/OPERATIONS.md has the table of settings as the code has it")
func settingsAreDocumented() throws {
  let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  let page = try String(contentsOf: root.appending(path: "docs/OPERATIONS.md"), encoding: .utf8)
  #expect(page.contains(Setting.markdown), "put the output of `boardroom serve --reference settings` there")
}
