import BoardroomCodec
import BoardroomModel
import EventLogModel

/// A callback of any service's client, as it is printed.
struct CallbackText {
  var name: String
  /// In their order.
  var arguments: [JSONValue]

  init(_ callback: (name: String, arguments: [JSONValue])) { (name, arguments) = callback }

  /// As `onMessageChannelReceive("lobby", "bert", 0, "hello")`.
  var line: String { "\(name)(\(arguments.map(\.text.text).joined(separator: ", ")))" }

  /// One object with the time in ms since 1970.
  func jsonLine(at time: Timestamp) -> String {
    let fields: [(String, JSONValue)] = [
      ("time", JSONValue(Int(time.milliseconds))), ("callback", .string(name)),
      ("arguments", .array(arguments)),
    ]
    return JSONValue.object(fields).text.text
  }
}
