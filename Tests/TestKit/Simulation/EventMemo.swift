import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Reads each record once, however many mirrors it goes to: what a record says depends on its kind and bytes alone.
final class EventMemo {
  private struct Key: Hashable {
    let kind: UInt8
    let body: ArraySlice<UInt8>
  }
  private var read: [Key: RoomEvent] = [:]

  func decode(_ view: RecordView, in records: [UInt8]) throws(CodecError) -> RoomEvent {
    let key = Key(kind: view.kind, body: records[view.body])
    if var event = read[key] {
      event.revision = view.revision
      event.time = view.time
      event.actor = Actor(code: view.actor)
      return event
    }
    let event = try EventCodec.decode(view, in: records)
    read[key] = event
    return event
  }
}
