import BoardroomClient
import TestKit

/// Two members whose recorders have just been cleared.
func pair(
  _ change: (inout WhiteRoomConfig) -> Void = { _ in }
) throws -> (world: World, anna: SimulatedClient, ben: SimulatedClient, a: WhiteRoom, b: WhiteRoom) {
  let world = World(seed: 3)
  let (anna, ben) = (world.client("anna"), world.client("ben"))
  let (a, b) = (try anna.join(change), try ben.join())
  world.run(for: 2)
  anna.recorder.clear()
  ben.recorder.clear()
  return (world, anna, ben, a, b)
}
