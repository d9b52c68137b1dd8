import BoardroomModel
import EventLogModel

/// What the family `state` needs; of SyncedStores see SS-1.
extension Room {
  func states(_ command: StateCommand, by author: MemberID?) throws(Refusal) -> Outcome {
    switch command {
    case .global(let patch): return try globalState(patch)
    case .member(let patch): return try memberState(patch, of: member(author))
    case .setStore(let set): return try setStore(set)
    case .deleteStore(let name): return try deleteStore(name)
    }
  }

  private func globalState(_ patch: JSONPatch) throws(Refusal) -> Outcome {
    try checkSize(patch.raw.bytes.count, inForce.limits.statePatch, LimitName.statePatch)
    let size = size(after: patch)
    // A state that is over the limit (it was lowered) may still shrink.
    if size > globalStateSize { try checkSize(size, inForce.limits.globalState, LimitName.globalState) }
    return Outcome(event: .state(.global(patch)), isVerbatim: true)
  }

  private func memberState(_ patch: JSONPatch, of author: MemberID) throws(Refusal) -> Outcome {
    try checkSize(patch.raw.bytes.count, inForce.limits.statePatch, LimitName.statePatch)
    var merged = state.members[author]?.state ?? [:]
    let before = merged.size
    if merged.merge(patch), merged.size > before {
      try checkSize(merged.size, inForce.memberState, LimitName.memberState)
    }
    return Outcome(event: .state(.member(patch)), isVerbatim: true)
  }

  // MARK: Stores

  private func setStore(_ set: StoreSet) throws(Refusal) -> Outcome {
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
  private func deleteStore(_ name: String) throws(Refusal) -> Outcome {
    try checkName(name, of: "store")
    return state.stores[name] == nil
      ? .nothing : Outcome(event: .state(.storeDeleted(name)), isVerbatim: true)
  }
}
