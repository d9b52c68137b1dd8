import BoardroomModel
import EventLogModel

/// The family `scenes`: pages stay, since others may have drawn on them; their paths were the member's words.
extension ContentErasure {
  func withoutWords(_ event: SceneEvent) -> SceneEvent? {
    switch event {
    case .put(let put): Self.withoutNames(put).map { .put($0) }
    case .moved(let moved): Self.withoutNames(moved).map { .moved($0) }
    case .switched, .cleaned, .removed, .pptStepped: preconditionFailure(Self.nothingSaid)
    }
  }

  private static func withoutNames(_ put: ScenesPut) -> ScenesPut? {
    let scenes = put.scenes.map { SceneSpec(id: $0.id, name: "erased-\($0.id)") }
    let left = ScenesPut(directory: "/", index: put.index, scenes: scenes)
    return left == put ? nil : left
  }

  private static func withoutNames(_ moved: SceneMoved) -> SceneMoved? {
    let left = SceneMoved(
      scene: moved.scene, directory: "/", name: "erased-\(moved.scene)", index: moved.index)
    return left == moved ? nil : left
  }
}
