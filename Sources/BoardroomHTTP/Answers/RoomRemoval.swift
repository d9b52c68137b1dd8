import BoardroomHosting
import BoardroomModel
import EventLogModel

/// Removes a room for good, its log and its images.
package enum RoomRemoval {
  /// Removes the log first. Without it nobody is shown the images' addresses, and a later round removes
  /// images that are left.
  package static func remove(
    _ room: RoomID, _ engine: RoomServerEngine, _ images: ImageStore
  ) async throws(LogError) {
    await engine.expel(from: room, reason: .roomDelete)
    try await engine.store.delete(room)
    await images.removeAll(of: room)
  }
}
