import EventLogModel

// What happens on the board beyond drawing: elements changed and copied, scenes cleaned, removed and moved.

/// Keys of a SyncedStore (SS-1).
public struct StoreSet: Sendable, Hashable {
  public var store: String
  public var patch: JSONPatch
  /// Whether the store holds nothing else afterwards.
  public var resets: Bool
  /// In a command: keys that are there stay as they are (the defaults of `connect`). Never in an event.
  public var onlyAbsent: Bool
  public init(store: String, patch: JSONPatch, resets: Bool = false, onlyAbsent: Bool = false) {
    self.store = store
    self.patch = patch
    self.resets = resets
    self.onlyAbsent = onlyAbsent
  }
}
