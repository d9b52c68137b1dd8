import BoardroomCore
import BoardroomHosting

extension World {
  /// A world whose rooms have these limits, for tests that do not see the server.
  public convenience init(seed: UInt64 = 1, rooms change: (inout RoomPolicy) -> Void) {
    var policy = ServerPolicy()
    change(&policy.room)
    self.init(seed: seed, policy: policy)
  }
}
