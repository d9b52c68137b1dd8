import BoardroomModel
import EventLogModel

/// The family `state`: the global state, members' states and stores.
extension RoomState {
  mutating func fold(_ event: StateEvent, by actor: Actor, _ touched: inout RoomParts) -> String? {
    switch event {
    case .global(let patch): foldGlobalState(patch, &touched)
    case .member(let patch): foldMemberState(patch, by: actor, &touched)
    case .storeSet(let set): foldStoreSet(set, &touched)
    case .storeDeleted(let name): foldStoreDeleted(name, &touched)
    }
  }

  private mutating func foldGlobalState(_ patch: JSONPatch, _ touched: inout RoomParts) -> String? {
    if globalState.merge(patch) { touched.insert(.globalState) }
    return nil
  }

  private mutating func foldMemberState(
    _ patch: JSONPatch, by actor: Actor, _ touched: inout RoomParts
  ) -> String? {
    guard let id = actor.member, let changed = members[id]?.state.merge(patch) else {
      return Misfit.noMember
    }
    if changed { touched.insert(.memberState) }
    return nil
  }

  private mutating func foldStoreSet(_ event: StoreSet, _ touched: inout RoomParts) -> String? {
    guard created != nil else { return Misfit.notCreated }
    let before = stores[event.store]
    var fields = event.resets ? [:] : before ?? [:]
    _ = fields.merge(event.patch)
    stores[event.store] = fields
    if before != fields { touched.insert(.stores) }
    return nil
  }

  private mutating func foldStoreDeleted(_ name: String, _ touched: inout RoomParts) -> String? {
    guard stores.removeValue(forKey: name) != nil else { return Misfit.noStore }
    touched.insert(.stores)
    return nil
  }
}

extension [String: JSONText] {
  /// RS-1: sets the patch's keys, removes those that are null. True if anything is another than before.
  mutating func merge(_ patch: JSONPatch) -> Bool {
    var changed = false
    for (key, value) in patch.fields where self[key] != value {
      self[key] = value
      changed = true
    }
    return changed
  }
}
