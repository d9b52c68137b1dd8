import BoardroomModel
import EventLogModel

// The JSON payloads of scenes, stores, histories and moderation, kinds 35 to 48: reading.

extension JSONFields {
  /// A path of a page or a directory.
  func path(_ key: String) throws(CodecError) -> String {
    let path = try string(key)
    guard path == "/" || Self.isPath(path) else {
      throw badName(key, "must begin with a slash, not end with one, and hold no empty name")
    }
    return path
  }

  func sceneClean() throws(CodecError) -> SceneClean {
    SceneClean(scene: try optionalScene("scene"), retainPPT: try bool("retainPPT", otherwise: false))
  }

  func sceneCleaned() throws(CodecError) -> SceneCleaned {
    SceneCleaned(scene: try scene("scene"), retainPPT: try bool("retainPPT"))
  }

  func scenesRemoved() throws(CodecError) -> ScenesRemoved {
    var scenes: [SceneID] = []
    for item in try array("scenes") {
      guard let number = item.unsigned, number <= UInt64(SceneID.max) else {
        throw error("scenes", "must hold numbers of scenes")
      }
      scenes.append(SceneID(number))
    }
    return ScenesRemoved(scenes: scenes, current: try scene("current"), fresh: try optionalScene("fresh"))
  }

  func sceneMoved() throws(CodecError) -> SceneMoved {
    let name = try string("name")
    guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else {
      throw badName("name", "must not be empty and not hold a slash")
    }
    return SceneMoved(
      scene: try scene("scene"), directory: try path("directory"), name: name,
      index: try optionalCount("index"))
  }

  func pptStep() throws(CodecError) -> PPTStep {
    PPTStep(scene: try scene("scene"), step: try count("step"))
  }

  func pptDirection() throws(CodecError) -> PPTDirection {
    guard let direction = PPTDirection(rawValue: Int(try signed("by", in: -1...1))) else {
      throw error("by", "must be 1 or -1")
    }
    return direction
  }

  func optionalCount(_ key: String) throws(CodecError) -> Int? { try has(key) ? count(key) : nil }

  func optionalScene(_ key: String) throws(CodecError) -> SceneID? {
    try has(key) ? scene(key) : nil
  }

  // MARK: Stores

  func storeSet(isCommand: Bool) throws(CodecError) -> StoreSet {
    let set = StoreSet(
      store: try storeName(), patch: try fields("set").patch(),
      resets: try bool("reset", otherwise: false),
      onlyAbsent: isCommand ? try bool("onlyAbsent", otherwise: false) : false)
    guard !set.resets || !set.onlyAbsent else {
      throw error("onlyAbsent", "has no meaning together with reset")
    }
    return set
  }

  func storeName() throws(CodecError) -> String {
    let name = try label("store")
    guard !name.isEmpty else { throw badName("store", "must not be empty") }
    return name
  }

  // MARK: Histories

  func historyDepth() throws(CodecError) -> HistoryDepth {
    HistoryDepth(scenes: try count("scenes"), depth: try count("depth"))
  }

  // MARK: Moderation

  func moderation(_ kind: EventKind) throws(CodecError) -> Moderation {
    switch kind {
    case .handRaised: .hand(try bool("raised"))
    case .writingAllowed: try writingAllowed()
    case .roomLocked: .lock(try bool("locked"))
    default: throw .unknownKind(kind.rawValue)
    }
  }

  private func writingAllowed() throws(CodecError) -> Moderation {
    .writing(MemberID(try number("member")), isAllowed: try bool("allowed"))
  }

  func limitsPatch() throws(CodecError) -> LimitsPatch {
    let inner = try fields("set")
    var fields: [LimitsPatch.Field] = []
    for (name, value) in inner.object.members {
      fields.append(LimitsPatch.Field(name: name, value: value.isNull ? nil : try inner.count(name)))
    }
    return LimitsPatch(fields)
  }

  func ban() throws(CodecError) -> Ban {
    Ban(
      number: try number("ban"), room: has("room") ? try name("room") : nil, uid: try optionalString("uid"),
      address: try optionalString("address"), until: has("until") ? try time("until") : nil,
      token: try optionalString("token"), since: has("since") ? try time("since") : nil,
      member: has("member") ? MemberID(try number("member", upTo: FieldRanges.exactInteger)) : nil,
      name: try optionalString("name"))
  }
}
