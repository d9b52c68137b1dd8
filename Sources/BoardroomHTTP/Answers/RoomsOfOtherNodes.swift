import BoardroomModel
import EventLogModel

/// Asks the other nodes what they know of rooms that they own (FWD-9). From any thread.
package protocol OtherNodesRooms: Sendable {
  /// The facts of those of these rooms that another node owns and has told within its time.
  func facts(of rooms: [RoomID]) async -> [RoomID: RoomRegistry.RoomFacts]
}
