import BoardroomCodec
import BoardroomModel
import EventLogModel

// The family `state`: random valid values, and bodies that it does not have.

extension Chance {
  mutating func stateEvent(_ kind: EventKind) -> Event? {
    switch kind {
    case .globalState: .state(.global(patch()))
    case .memberState: .state(.member(patch()))
    case .storeSet: .state(.storeSet(storeSet(isCommand: false)))
    case .storeDeleted: .state(.storeDeleted(word()))
    default: nil
    }
  }

  mutating func stateCommand(_ kind: EventKind) -> Command? {
    switch kind {
    case .globalState: .state(.global(patch()))
    case .memberState: .state(.member(patch()))
    case .storeSet: .state(.setStore(storeSet(isCommand: true)))
    case .storeDeleted: .state(.deleteStore(word()))
    default: nil
    }
  }

  mutating func storeSet(isCommand: Bool) -> StoreSet {
    let resets = coin()
    return StoreSet(
      store: word(), patch: patch(), resets: resets, onlyAbsent: isCommand && !resets && coin())
  }
}

extension BadInput {
  static let state: [BadInput] = [
    .body(
      "a store without a name", "storeDeleted", "{\"store\":\"\"}",
      badName("storeDeleted.store", "must not be empty"),
      .badName),
    .body(
      "a patch over its limit", "globalState", "{\"a\":\"\(String(repeating: "x", count: 60))\"}",
      .tooLarge(what: "globalState", actual: 68, allowed: 64), .tooLarge),
  ]
}
