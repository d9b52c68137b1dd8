import BoardroomCodec
import BoardroomModel
import BoardroomReplay
import EventLogModel

extension RoomEvent {
  /// One line for people: revision, time, who, what.
  var line: String {
    let who = actor.member.map { "member \($0)" } ?? "server"
    return "\(Text.padded(revision.description, 8)) \(Text.clock(time))  \(Text.padded(who, 10)) \(summary)"
  }

  /// The record in the exact JSON mirror, as `export` writes it.
  var jsonLine: String {
    var builder = RunBuilder(first: revision)
    builder.append(
      Record(
        kind: event.kind, time: time, actor: actor.code,
        body: EventCodec.encodeBody(event, counter: counter)))
    guard let run = builder.takeRun(), let line = RecordMirror.lines(of: run).first else { return "" }
    return String(decoding: line.last == UInt8(ascii: "\n") ? line.dropLast() : line[...], as: UTF8.self)
  }
}
