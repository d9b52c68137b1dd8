import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import StorageTestKit

/// Commands made up by dice, from what a member's mirror shows: most of them make sense, some do not.
struct Drafts {
  let mirror: RoomState
  /// Whose numbers new elements have.
  let member: MemberID
  /// Whether this one may touch elements and what they are on, in a quiet plan.
  let draws: Bool
  let newNumber: () -> UInt64
  let openStroke: () -> UInt64?
  let setOpenStroke: (UInt64?) -> Void
  var luck: SeededGenerator

  mutating func command() -> Command {
    let draft = luck.pick(draws ? Self.all : Self.withoutDrawing)
    return draft(&self)
  }

  typealias Draft = @Sendable (inout Drafts) -> Command

  private static let plain: [(Draft, Int)] = [
    ({ $0.pointer() }, 3), ({ $0.camera() }, 3), ({ $0.writable() }, 2), ({ $0.globalState() }, 4),
    ({ $0.memberState() }, 3), ({ $0.viewMode() }, 4), ({ $0.magix() }, 5), ({ $0.phases() }, 1),
    ({ $0.switchScene() }, 4), ({ $0.moderation() }, 2), ({ $0.react() }, 2),
  ]
  private static let drawing: [(Draft, Int)] = [
    ({ $0.stroke() }, 14), ({ $0.put() }, 10), ({ $0.erase() }, 5),
  ]
  private static let scenes: [(Draft, Int)] = [({ $0.putScenes() }, 4)]
  private static let all = plain + boardPlain + drawing + boardDrawing + scenes + boardScenes
  private static let withoutDrawing = plain + boardPlain

  // MARK: What is there

  var shown: [Element] {
    mirror.elements.places.compactMap { place in
      place.flatMap { mirror.elements.ordinal(of: $0.id) == nil ? nil : $0 }
    }
  }

  /// The id of something on the board, or, seldom, of nothing.
  mutating func anyElement() -> ElementID {
    if !luck.isLucky(1, in: 12), let element = shown.randomElement(using: &luck) { return element.id }
    return ElementID(
      member: MemberID(UInt64(luck.number(0...5))), number: UInt64(luck.number(1...9)))
  }

  mutating func anyScene() -> SceneID {
    if luck.isLucky(2, in: 3), mirror.currentScene > 0 { return mirror.currentScene }
    if !luck.isLucky(1, in: 12), let scene = mirror.scenes.randomElement(using: &luck) { return scene.id }
    return SceneID(luck.number(1...9))
  }

  mutating func anyDirectory() -> String { luck.pick([("/", 3), ("/a", 3), ("/a/b", 2), ("/c", 1)]) }

  mutating func anyPath() -> String {
    if luck.isLucky(1, in: 12) {
      return luck.pick([("", 1), ("x", 1), ("/a/", 1), ("//", 1), ("/nowhere", 2)])
    }
    if luck.isLucky(1, in: 4) { return anyDirectory() }
    return mirror.scenes.randomElement(using: &luck)?.path ?? "/init"
  }

  mutating func anyJSON() -> JSONText {
    JSONText(
      unchecked: luck.pick([
        ("\(luck.number(0...99))", 4), ("\"w\(luck.number(0...99))\"", 3), ("{\"a\": [1, null, true]}", 1),
        ("true", 1), ("null", 2),
      ]))
  }

  mutating func patch(_ names: [String]) -> JSONPatch {
    var fields: [(key: String, value: JSONText?)] = []
    for _ in 0..<luck.number(1...2) {
      let key = names.randomElement(using: &luck)!
      let value = anyJSON()
      if !fields.contains(where: { $0.key == key }) { fields.append((key, value.isNull ? nil : value)) }
    }
    return JSONPatch(fields)
  }

  // MARK: Views and states

  private mutating func pointer() -> Command {
    .drawing(
      .pointer(
        PointerMove(
          scene: anyScene(), unit: -2, x: Int64(luck.number(-900...900)), y: Int64(luck.number(0...9)))))
  }

  private mutating func camera() -> Command {
    .drawing(
      .camera(
        Camera(
          unit: -2, x: Int64(luck.number(-900...900)), y: 0, scale: UInt64(luck.number(1...4)) << 15)))
  }

  private mutating func writable() -> Command { .members(.setWritable(luck.isLucky(3, in: 4))) }
  /// Pens and rooms are given back oftener than they are taken, or there would be nobody left to draw.
  private mutating func moderation() -> Command {
    let member = mirror.roster.randomElement(using: &luck)?.id ?? 9
    return .moderation(
      luck.pick([
        (.hand(true), 3), (.hand(false), 2), (.writing(member, isAllowed: true), 4),
        (.writing(member, isAllowed: false), 1), (.lock(false), 3), (.lock(true), 1),
      ]))
  }

  private mutating func globalState() -> Command { .state(.global(patch(["a", "b", "é", "e\u{301}"]))) }
  private mutating func memberState() -> Command { .state(.member(patch(["strokeWidth", "tool", "x"]))) }
  private mutating func viewMode() -> Command {
    .members(.viewMode(luck.pick([(.freedom, 2), (.follower, 2), (.broadcaster, 3)])))
  }

  private mutating func magix() -> Command {
    .magix(MagixEvent(name: luck.pick([("note", 9), ("bad\u{7}", 1)]), payload: anyJSON()))
  }

  private mutating func react() -> Command {
    let emoji = luck.pick([("👍", 6), ("🎉", 3), ("x", 1)])
    guard luck.isLucky(1, in: 3), let element = shown.randomElement(using: &luck) else {
      return .react(Reaction(emoji, at: .page(anyScene(), x: Int64(luck.number(-900...900)), y: 7)))
    }
    return .react(Reaction(emoji, at: .element(element.id)))
  }

  private mutating func phases() -> Command {
    .diagnostics(.clientPhases([ClientPhase(phase: "reconnecting", ago: Int64(luck.number(0...999)))]))
  }

  // MARK: Scenes

  private mutating func switchScene() -> Command {
    luck.isLucky(1, in: 4)
      ? .scenes(.switchTo(.index(luck.number(0...3)))) : .scenes(.switchTo(.path(anyPath())))
  }

  private mutating func putScenes() -> Command {
    let names = ["init", "p", "q", "b", "r/s"].shuffled(using: &luck).prefix(luck.number(1...2))
    let slide = JSONText(unchecked: "{\"src\":\"slide\",\"width\":4,\"height\":3}")
    let ppt = luck.isLucky(1, in: 3) ? slide : nil
    return .scenes(
      .put(
        ScenesPut(
          directory: anyDirectory(), index: luck.number(0...4),
          scenes: names.map { SceneSpec(id: 0, name: $0, ppt: ppt) })))
  }

  // MARK: Elements

  private mutating func stroke() -> Command {
    if let number = openStroke(), !luck.isLucky(1, in: 8) {
      let ends = luck.isLucky(1, in: 3)
      if ends { setOpenStroke(nil) }
      return .drawing(.stroke(StrokeSegment(number: number, begin: nil, ends: ends, points: points())))
    }
    let number = luck.isLucky(1, in: 15) ? UInt64(luck.number(1...4)) : newNumber()
    let ends = luck.isLucky(1, in: 2)
    setOpenStroke(ends ? nil : number)
    var segment = wholeStroke(number, on: anyScene())
    segment.ends = ends
    return .drawing(.stroke(segment))
  }

  mutating func wholeStroke(_ number: UInt64, on scene: SceneID) -> StrokeSegment {
    let style = StrokeStyle(
      scene: scene, unit: -2, tool: .pencil, colour: Colour(red: 1, green: 2, blue: 3), width: 12)
    return StrokeSegment(number: number, begin: style, ends: true, points: points())
  }

  private mutating func points() -> EncodedPoints {
    let count = luck.number(0...2)
    var bytes: [UInt8] = [4, UInt8(count)]
    for _ in 0..<3 * count { bytes.append(UInt8(luck.number(0...99))) }
    return EncodedPoints(count: count, bytes: bytes[...])
  }

  private mutating func put() -> Command {
    let id = luck.isLucky(2, in: 3) ? ElementID(member: member, number: newNumber()) : anyElement()
    return .elements(.put(element(id, on: anyScene())))
  }

  mutating func element(_ id: ElementID, on scene: SceneID) -> ElementPut {
    let type = ElementType.allCases.randomElement(using: &luck)!
    var rest = "\"width\":5,\"height\":6"
    switch type {
    case .straight, .arrow: rest = "\"points\":[[0,0],[\(luck.number(0...99)),4]]"
    case .text, .note: rest += ",\"text\":\"t\(luck.number(0...99))\""
    case .rectangle, .ellipse, .triangle, .rhombus, .pentagram, .speechBalloon, .image: break
    }
    let set = luck.isLucky(1, in: 5) ? attributes() : nil
    if let set { rest += ",\"set\":\(set.raw.text)" }
    let raw =
      "{\"id\":\"\(id)\",\"scene\":\(scene),\"type\":\"\(type.rawValue)\","
      + "\"x\":\(luck.number(0...99)),\"y\":2,\(rest)}"
    return ElementPut(id: id, scene: scene, type: type, raw: JSONText(unchecked: raw), set: set)
  }

  private mutating func erase() -> Command {
    .elements(.erase((0..<luck.number(1...3)).map { _ in anyElement() }))
  }
}
