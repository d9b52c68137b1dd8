import BoardroomCodec
import BoardroomModel
import EventLogModel

// Random valid states.

extension Chance {
  // MARK: States

  mutating func member(_ number: UInt64) -> Member {
    Member(
      id: MemberID(number), session: id(), generation: Generation(1 + upTo(5)), uid: coin() ? text() : nil,
      role: pick(Role.allCases), writable: coin(), payload: coin() ? jsonText() : nil,
      client: coin() ? word() : nil, joined: Timestamp(milliseconds: Int64(upTo(99_999))),
      phase: pick(MemberPhase.allCases), viewMode: pick(ViewMode.allCases), state: texts(),
      camera: coin() ? camera() : nil, pointer: coin() ? pointer() : nil,
      lastCounter: self.number(upTo: 1 << 50), lastRevision: Revision(self.number(upTo: 1 << 50)))
  }

  mutating func texts() -> [String: JSONText] {
    Dictionary((0..<upTo(5)).map { _ in (text(), jsonText()) }) { first, _ in first }
  }

  mutating func stroke(_ id: ElementID) -> Element {
    let style = style()
    var content = StrokeContent(style: style, ended: coin(), pointCount: 0, segments: [])
    for index in 0..<upTo(3) {
      let points = EncodedPoints(steps(begins: index == 0, hasPressure: nil))
      content.pointCount += points.count
      content.segments.append(contentsOf: points.bytes)
    }
    return Element(id: id, scene: style.scene, content: .stroke(content))
  }

  mutating func element(_ place: Int) -> Element {
    let id = ElementID(member: MemberID(UInt64(upTo(5))), number: UInt64(place))
    if coin() { return stroke(id) }
    let put = shape(id)
    var element = Element(id: put.id, scene: put.scene, content: .shape(type: put.type, raw: put.raw))
    if coin() { element.attributes = attributes().fields.reduce(into: [:]) { $0[$1.key] = $1.value } }
    guard upTo(4) == 0 else { return element }
    element.isCopy = true
    element.id = ElementID(member: 6, number: UInt64(place))
    return element
  }

  mutating func state(places: Int) -> RoomState {
    var state = RoomState()
    state.revision = Revision(number(upTo: 1 << 50))
    state.time = Timestamp(milliseconds: Int64(number(upTo: 1 << 42)))
    state.created = coin() ? RoomCreated(name: text(), limit: upTo(9), isRecord: coin()) : nil
    state.createdAt = Timestamp(milliseconds: Int64(upTo(1 << 40)))
    state.globalState = texts()
    for number in 0..<UInt64(upTo(4)) { state.members[MemberID(number)] = member(number) }
    state.nextMember = 7
    state.scenes = (0..<upTo(4)).map { _ in
      Scene(
        id: scene(), directory: pick(["/", "/a"]), name: text(), ppt: coin() ? jsonText() : nil,
        pptStep: upTo(2))
    }
    state.currentScene = scene()
    state.nextScene = scene()
    state.broadcaster = coin() ? 3 : nil
    for place in 0..<places { state.elements.put(element(place)) }
    for place in 0..<places where upTo(3) == 0 {
      guard let id = state.elements.places[place]?.id else { continue }
      _ = coin() ? state.elements.erase(id) : state.elements.bury(id)
    }
    if coin() { moderate(&state) }
    if coin() { state.space = space() }
    return state
  }

  private mutating func moderate(_ state: inout RoomState) {
    state.isBanned = coin()
    state.isDeleted = coin()
    state.limits = [word(): upTo(99), "limits.magix": 1]
    for _ in 0..<upTo(3) { state.stores[text()] = texts() }
    for number in 0..<UInt64(upTo(3)) { state.bans[number] = ban(number) }
    for number in 0..<UInt64(upTo(3)) { state.histories[MemberID(number)] = history() }
  }
}
