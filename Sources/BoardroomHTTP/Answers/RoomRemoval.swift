import BoardroomHosting
import BoardroomModel
import EventLogModel

/// Removes a room for good, its log and its images.
package enum RoomRemoval {
  /// The log first: without it nobody is shown the images' addresses, and what is left of them goes with a later round.
  package static func remove(
    _ room: RoomID, _ engine: RoomServerEngine, _ images: ImageStore
  ) async throws(LogError) {
    await engine.expel(from: room, reason: .roomDelete)
    try await engine.store.delete(room)
    await images.removeAll(of: room)
  }
}
