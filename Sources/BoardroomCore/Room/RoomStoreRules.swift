import BoardroomModel
import EventLogModel

/// What commands for SyncedStores need (SS-1).
extension Room {
  func setStore(_ set: StoreSet) throws(Refusal) -> Outcome {
    try checkSize(set.store.utf8.count, inForce.magixName, LimitName.magixName)
    try checkName(set.store, of: "store")
    try checkSize(set.patch.raw.bytes.count, inForce.storePatch, LimitName.storePatch)
    guard set.onlyAbsent else {
      try checkStore(set)
      return Outcome(event: .state(.storeSet(set)), isVerbatim: true)
    }
    let missing = missing(set)
    guard !missing.isEmpty else { return .nothing }
    let rest = StoreSet(store: set.store, patch: JSONPatch(fields: missing), resets: set.resets)
    try checkStore(rest)
    return Outcome(event: .state(.storeSet(rest)), isVerbatim: false)
  }

  /// The defaults of `connect` that are not there yet.
  private func missing(_ set: StoreSet) -> [(key: String, value: JSONText?)] {
    let there = set.resets ? [:] : state.stores[set.store] ?? [:]
    return set.patch.fields.filter { $0.value != nil && there[$0.key] == nil }
  }

  /// A store over its limit, as when that was lowered, may still shrink.
  private func checkStore(_ set: StoreSet) throws(Refusal) {
    let before = storeSizes[set.store]
    if before == nil { try checkCount(state.stores.count + 1, inForce.stores, LimitName.stores) }
    let after = size(after: set)
    if after > before ?? 0 { try checkSize(after, inForce.store, LimitName.store) }
  }

  /// A store that is not there is deleted already.
  func deleteStore(_ name: String) throws(Refusal) -> Outcome {
    try checkName(name, of: "store")
    return state.stores[name] == nil
      ? .nothing : Outcome(event: .state(.storeDeleted(name)), isVerbatim: true)
  }
}
