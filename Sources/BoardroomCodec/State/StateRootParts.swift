import BoardroomModel
import EventLogModel

// The parts of a root that came after the first logs were written. Each is left out where it is empty, so that an
// old log folds to the bytes that it always had.

extension JSONWriter {
  mutating func laterParts(of state: RoomState) {
    if state.isBanned { field("banned", true) }
    if state.isDeleted { field("deleted", true) }
    if let lock = state.lock {
      field("lock") { writer in if let by = lock.by { writer.field("by", by.rawValue) } }
    }
    if !state.barredUsers.isEmpty { list("barred", state.barredUsers) { $0.value($1) } }
    if !state.limits.isEmpty { limits(state.limits) }
    if !state.stores.isEmpty { stores(state.stores) }
    if !state.bans.isEmpty {
      list("bans", state.bans.keys.sorted()) { writer, number in state.bans[number].map { writer.ban($0) } }
    }
    if !state.histories.isEmpty {
      list("histories", state.histories.keys.sorted()) { writer, member in
        state.histories[member].map { writer.history($0, of: member) }
      }
    }
    if let space = state.space { self.space(space) }
  }

  private mutating func limits(_ limits: [String: Int]) {
    field("limits") { writer in
      for name in limits.keys.sorted(by: precedes) { writer.field(name, limits[name]) }
    }
  }

  private mutating func stores(_ stores: [String: [String: JSONText]]) {
    field("stores") { writer in
      for name in stores.keys.sorted(by: precedes) { writer.sorted(name, stores[name] ?? [:]) }
    }
  }

  // MARK: Histories

  private mutating func history(_ history: History, of member: MemberID) {
    object { writer in
      writer.field("member", member.rawValue)
      writer.field("scenes", history.kept.scenes)
      writer.field("depth", history.kept.depth)
      writer.list("tracks", history.tracks) { writer, track in
        writer.object { writer in
          writer.field("scene", track.scene)
          writer.list("undo", track.undo) { $0.step($1) }
          writer.list("redo", track.redo) { $0.step($1) }
        }
      }
    }
  }

  private mutating func step(_ step: HistoryStep) {
    object { writer in
      writer.field("revision", step.revision)
      writer.list("operations", step.operations) { writer, operation in
        writer.object { $0.operation(operation) }
      }
    }
  }

  private mutating func operation(_ operation: StepOperation) {
    switch operation {
    case .put(let id): field("put", id.description)
    case .erase(let id): field("erase", id.description)
    case .set(let id, let key, let before, let after):
      field("set", id.description)
      field("key", key)
      field("before", before)
      field("after", after)
    case .replace(let id, let before, let after):
      field("replace", id.description)
      field("before") { $0.shapeContent(before) }
      field("after") { $0.shapeContent(after) }
    }
  }

  private mutating func shapeContent(_ shape: ShapeContent) {
    field("shape", shape.raw)
    if !shape.attributes.isEmpty { sorted("set", shape.attributes) }
    if shape.isCopy { field("copy", true) }
  }
}

extension JSONFields {
  func readLaterParts(into state: inout RoomState) throws(CodecError) {
    state.isBanned = try bool("banned", otherwise: false)
    state.isDeleted = try bool("deleted", otherwise: false)
    if has("lock") { state.lock = try fields("lock").roomLock() }
    for item in has("barred") ? try array("barred") : [] {
      guard let uid = item.string else { throw error("barred", "must hold uids") }
      state.barredUsers.append(uid)
    }
    if has("limits") { state.limits = try limitNumbers() }
    if has("stores") { state.stores = try storeTexts() }
    for item in has("bans") ? try array("bans") : [] {
      let ban = try JSONFields(item, of: "bans").ban()
      guard state.bans.updateValue(ban, forKey: ban.number) == nil else {
        throw error("bans", "must not hold a number twice")
      }
    }
    for item in has("histories") ? try array("histories") : [] {
      let fields = try JSONFields(item, of: "histories")
      let member = MemberID(try fields.number("member"))
      guard state.histories.updateValue(try fields.history(), forKey: member) == nil else {
        throw error("histories", "must not hold a member twice")
      }
    }
    if has("space") { state.space = try fields("space").spaceState() }
  }

  private func roomLock() throws(CodecError) -> RoomLock {
    RoomLock(by: has("by") ? MemberID(try number("by")) : nil)
  }

  private func limitNumbers() throws(CodecError) -> [String: Int] {
    let inner = try fields("limits")
    var limits: [String: Int] = [:]
    for (name, _) in inner.object.members { limits[name] = try inner.count(name) }
    return limits
  }

  private func storeTexts() throws(CodecError) -> [String: [String: JSONText]] {
    let inner = try fields("stores")
    var stores: [String: [String: JSONText]] = [:]
    for (name, _) in inner.object.members { stores[name] = try inner.texts(name) }
    return stores
  }

  // MARK: Histories

  private func history() throws(CodecError) -> History {
    var tracks: [SceneTrack] = []
    for item in try array("tracks") {
      let fields = try JSONFields(item, of: "tracks")
      tracks.append(
        SceneTrack(
          scene: try fields.scene("scene"), undo: try fields.steps(of: "undo"),
          redo: try fields.steps(of: "redo")))
    }
    return History(kept: try historyDepth(), tracks: tracks)
  }

  private func steps(of key: String) throws(CodecError) -> [HistoryStep] {
    var steps: [HistoryStep] = []
    for item in try array(key) {
      let fields = try JSONFields(item, of: key)
      var operations: [StepOperation] = []
      for inner in try fields.array("operations") {
        operations.append(try JSONFields(inner, of: "operations").stepOperation())
      }
      steps.append(HistoryStep(revision: try fields.revision("revision"), operations: operations))
    }
    return steps
  }

  private func stepOperation() throws(CodecError) -> StepOperation {
    if has("put") { return .put(try element("put")) }
    if has("erase") { return .erase(try element("erase")) }
    if has("set") {
      return .set(
        try element("set"), key: try string("key"), before: object["before"]?.text,
        after: object["after"]?.text)
    }
    return .replace(
      try element("replace"), before: try fields("before").shapeContent(),
      after: try fields("after").shapeContent())
  }

  private func shapeContent() throws(CodecError) -> ShapeContent {
    let put = try fields("shape").elementPut()
    return ShapeContent(
      type: put.type, raw: put.raw, attributes: has("set") ? try texts("set") : [:],
      isCopy: try bool("copy", otherwise: false))
  }
}
