import BoardroomModel
import EventLogModel

/// The family `drawing`: strokes on the board, members' pointers and cameras.
extension RoomState {
  mutating func fold(_ act: DrawingAct, by actor: Actor, _ touched: inout RoomParts) -> String? {
    switch act {
    case .stroke(let segment): foldStroke(segment, by: actor, &touched)
    case .pointer(let move): foldPointer(move, by: actor, &touched)
    case .camera(let camera): foldCamera(camera, by: actor, &touched)
    }
  }

  private mutating func foldStroke(
    _ segment: StrokeSegment, by actor: Actor, _ touched: inout RoomParts
  ) -> String? {
    guard let member = actor.member else { return Misfit.noMember }
    let id = ElementID(member: member, number: segment.number)
    if let style = segment.begin {
      return foldBegin(id, style, segment, &touched)
    }
    // That the member is here need not be asked: its open strokes ended when it left.
    guard elements.extend(id, with: segment.points, ends: segment.ends) else { return Misfit.noStroke }
    touched.insert(.elements)
    return nil
  }

  private mutating func foldBegin(
    _ id: ElementID, _ style: StrokeStyle, _ segment: StrokeSegment, _ touched: inout RoomParts
  ) -> String? {
    guard members[id.member] != nil else { return Misfit.noMember }
    guard hasScene(style.scene) else { return Misfit.noScene }
    guard elements.ordinal(of: id) == nil else { return Misfit.strokeAgain }
    let stroke = StrokeContent(
      style: style, ended: segment.ends, pointCount: segment.points.count,
      segments: Array(segment.points.bytes))
    putFresh(Element(id: id, scene: style.scene, content: .stroke(stroke)), by: .member(id.member), &touched)
    return nil
  }

  private mutating func foldPointer(_ move: PointerMove, by actor: Actor, _ touched: inout RoomParts)
    -> String?
  {
    guard let id = actor.member, change(id, { $0.pointer = move }) else { return Misfit.noMember }
    touched.insert(.pointer)
    return nil
  }

  /// V-4: a follower who moves the camera becomes free.
  private mutating func foldCamera(_ camera: Camera, by actor: Actor, _ touched: inout RoomParts) -> String? {
    var isFreed = false
    let isHere = actor.member.map { change($0) { isFreed = $0.moveCamera(to: camera) } }
    guard isHere == true else { return Misfit.noMember }
    touched.insert(.camera)
    if isFreed { touched.insert(.viewModes) }
    return nil
  }
}

extension Member {
  /// True if the member was a follower and is free now.
  fileprivate mutating func moveCamera(to place: Camera) -> Bool {
    camera = place
    guard viewMode == .follower else { return false }
    viewMode = .freedom
    return true
  }
}
