import EventLogModel

/// What somebody does to an element: which operations of others are struck out by it.
public enum ElementTouch: Sendable, Hashable {
  /// It comes, goes or is put anew.
  case whole
  /// These of its attributes are set.
  case keys([String])

  func strikes(_ operation: StepOperation) -> Bool {
    switch (self, operation) {
    case (.whole, _), (_, .put), (_, .erase), (_, .replace): true
    case (.keys(let keys), .set(_, let key, _, _)): keys.contains(key)
    }
  }
}

/// What a member can take back, scene by scene.
public struct History: Sendable, Hashable {
  public private(set) var kept: HistoryDepth
  /// The scene that was worked on last comes last. Tracks without steps are not kept.
  public private(set) var tracks: [SceneTrack]
  /// How many operations refer to an element. Follows from `tracks`; kept so that an event asks nobody's tracks
  /// whose history has nothing of its element.
  private var uses: [ElementID: Int] = [:]
  /// What all operations count for (BOUND-1). Follows from `tracks`.
  public private(set) var bytes = 0

  public init(kept: HistoryDepth, tracks: [SceneTrack] = []) {
    self.kept = kept
    self.tracks = tracks
    for track in tracks {
      for step in track.undo + track.redo { use(step) }
    }
  }

  public static func == (left: History, right: History) -> Bool {
    left.kept == right.kept && left.tracks == right.tracks
  }
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kept)
    hasher.combine(tracks)
  }

  public func track(_ scene: SceneID) -> SceneTrack? { tracks.first { $0.scene == scene } }
  public func refers(to id: ElementID) -> Bool { uses[id] != nil }
  /// All elements that operations refer to.
  public var elements: [ElementID] { Array(uses.keys) }

  // Each of the following adds to `released` the elements that nothing of this history refers to any more.

  /// A new step: nothing of this scene can be redone after it. The oldest step goes if there are more than are
  /// kept, and so does the scene that was not worked on for longest.
  public mutating func record(
    _ step: HistoryStep, on scene: SceneID, _ released: inout [ElementID]
  ) {
    use(step)
    var track = removeTrack(of: scene)
    for undone in track.redo { release(undone, &released) }
    track.redo = []
    track.undo.append(step)
    while track.undo.count > kept.depth { release(track.undo.removeFirst(), &released) }
    tracks.append(track)
    while tracks.count > kept.scenes { drop(tracks.removeFirst(), &released) }
  }

  /// The newest step that can be undone on this scene; from now on it can be redone.
  public mutating func undoStep(on scene: SceneID) -> HistoryStep? {
    guard track(scene)?.undo.isEmpty == false else { return nil }
    var track = removeTrack(of: scene)
    let step = track.undo.removeLast()
    track.redo.append(step)
    tracks.append(track)
    return step
  }

  /// The step that was undone last on this scene; from now on it can be undone.
  public mutating func redoStep(on scene: SceneID) -> HistoryStep? {
    guard track(scene)?.redo.isEmpty == false else { return nil }
    var track = removeTrack(of: scene)
    let step = track.redo.removeLast()
    track.undo.append(step)
    tracks.append(track)
    return step
  }

  /// Strikes out what conflicts with a touch of an element on this scene by somebody else; false if nothing does.
  public mutating func strike(
    _ id: ElementID, _ touch: ElementTouch, on scene: SceneID, _ released: inout [ElementID]
  ) -> Bool {
    guard refers(to: id) else { return false }
    return strike([id], touch, on: scene, &released)
  }

  /// The same for several elements of one scene at once.
  public mutating func strike(
    _ ids: Set<ElementID>, _ touch: ElementTouch, on scene: SceneID, _ released: inout [ElementID]
  ) -> Bool {
    guard let place = tracks.firstIndex(where: { $0.scene == scene }) else { return false }
    let gone = tracks[place].strike(ids, touch)
    for operation in gone { release(operation, &released) }
    if tracks[place].isEmpty { tracks.remove(at: place) }
    return !gone.isEmpty
  }

  /// Forgets scenes; false if there was nothing of them.
  public mutating func drop(_ scenes: Set<SceneID>, _ released: inout [ElementID]) -> Bool {
    let dropped = tracks.filter { scenes.contains($0.scene) }
    tracks.removeAll { scenes.contains($0.scene) }
    for track in dropped { drop(track, &released) }
    return !dropped.isEmpty
  }

  /// From now on keeps this much: what is older than that goes first, then what would be redone last.
  public mutating func keep(_ depth: HistoryDepth, _ released: inout [ElementID]) {
    kept = depth
    while tracks.count > kept.scenes { drop(tracks.removeFirst(), &released) }
    for place in tracks.indices {
      while tracks[place].steps > kept.depth {
        let step =
          tracks[place].undo.isEmpty
          ? tracks[place].redo.removeFirst() : tracks[place].undo.removeFirst()
        release(step, &released)
      }
    }
    tracks.removeAll(where: \.isEmpty)
  }

  // MARK: Inside

  private mutating func removeTrack(of scene: SceneID) -> SceneTrack {
    guard let place = tracks.firstIndex(where: { $0.scene == scene }) else { return SceneTrack(scene: scene) }
    return tracks.remove(at: place)
  }

  private mutating func drop(_ track: SceneTrack, _ released: inout [ElementID]) {
    for step in track.undo + track.redo { release(step, &released) }
  }

  private mutating func use(_ step: HistoryStep) {
    for operation in step.operations {
      uses[operation.element, default: 0] += 1
      bytes += operation.bytes
    }
  }

  private mutating func release(_ step: HistoryStep, _ released: inout [ElementID]) {
    for operation in step.operations { release(operation, &released) }
  }

  private mutating func release(_ operation: StepOperation, _ released: inout [ElementID]) {
    let id = operation.element
    bytes -= operation.bytes
    guard let count = uses[id] else { return }
    uses[id] = count > 1 ? count - 1 : nil
    if count <= 1 { released.append(id) }
  }
}

extension SceneTrack {
  var isEmpty: Bool { undo.isEmpty && redo.isEmpty }
  var steps: Int { undo.count + redo.count }

  /// Takes out what a touch conflicts with, and what could not be taken back or done again without that: once an
  /// operation on the whole of an element is gone, so is what came before it (of what can be undone) or what
  /// would come after it (of what can be redone).
  mutating func strike(_ ids: Set<ElementID>, _ touch: ElementTouch) -> [StepOperation] {
    var gone: [StepOperation] = []
    var whole: Set<ElementID> = []
    func isStruck(_ operation: StepOperation) -> Bool {
      guard ids.contains(operation.element) else { return false }
      guard whole.contains(operation.element) || touch.strikes(operation) else { return false }
      if operation.isWhole { whole.insert(operation.element) }
      gone.append(operation)
      return true
    }
    for place in undo.indices.reversed() {
      undo[place].operations = undo[place].operations.reversed().filter { !isStruck($0) }.reversed()
    }
    whole = []
    for place in redo.indices.reversed() { redo[place].operations.removeAll(where: isStruck) }
    guard !gone.isEmpty else { return gone }
    undo.removeAll(where: \.operations.isEmpty)
    redo.removeAll(where: \.operations.isEmpty)
    return gone
  }
}
