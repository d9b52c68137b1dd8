import BoardroomModel
import EventLogModel

// The JSON payloads of the family `state`, both ways.

extension JSONFields {
  func stateEvent(_ kind: EventKind) throws(CodecError) -> StateEvent {
    switch kind {
    case .globalState: .global(try patch())
    case .memberState: .member(try patch())
    case .storeSet: .storeSet(try storeSet(isCommand: false))
    case .storeDeleted: .storeDeleted(try storeName())
    default: throw .unknownKind(kind.rawValue)
    }
  }

  func stateCommand(_ kind: EventKind) throws(CodecError) -> StateCommand {
    switch kind {
    case .globalState: .global(try patch())
    case .memberState: .member(try patch())
    case .storeSet: .setStore(try storeSet(isCommand: true))
    case .storeDeleted: .deleteStore(try storeName())
    default: throw .unknownKind(kind.rawValue)
    }
  }

  private func storeSet(isCommand: Bool) throws(CodecError) -> StoreSet {
    let set = StoreSet(
      store: try storeName(), patch: try fields("set").patch(),
      resets: try bool("reset", otherwise: false),
      onlyAbsent: isCommand ? try bool("onlyAbsent", otherwise: false) : false)
    guard !set.resets || !set.onlyAbsent else {
      throw error("onlyAbsent", "has no meaning together with reset")
    }
    return set
  }

  private func storeName() throws(CodecError) -> String {
    let name = try label("store")
    guard !name.isEmpty else { throw badName("store", "must not be empty") }
    return name
  }
}

extension JSONWriter {
  mutating func stateEvent(_ event: StateEvent) {
    switch event {
    case .global(let patch), .member(let patch): raw(patch.raw.bytes)
    case .storeSet(let set): storeSet(set)
    case .storeDeleted(let name): object { $0.field("store", name) }
    }
  }

  mutating func stateCommand(_ command: StateCommand) {
    switch command {
    case .global(let patch), .member(let patch): raw(patch.raw.bytes)
    case .setStore(let set): storeSet(set)
    case .deleteStore(let name): object { $0.field("store", name) }
    }
  }

  private mutating func storeSet(_ set: StoreSet) {
    object { writer in
      writer.field("store", set.store)
      writer.field("set", set.patch.raw)
      if set.resets { writer.field("reset", true) }
      if set.onlyAbsent { writer.field("onlyAbsent", true) }
    }
  }
}
