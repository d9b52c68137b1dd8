import BoardroomModel
import EventLogModel

/// What the family `drawing` needs.
extension Room {
  func drawing(_ act: DrawingAct, by author: MemberID) throws(Refusal) -> Outcome {
    switch act {
    case .stroke(let segment): return try stroke(segment, by: author)
    case .pointer(let move): return try pointer(move)
    case .camera(let camera): return try self.camera(camera)
    }
  }

  private func stroke(_ segment: StrokeSegment, by author: MemberID) throws(Refusal) -> Outcome {
    try checkSize(segment.points.bytes.count, inForce.limits.stroke, LimitName.stroke)
    let id = ElementID(member: author, number: segment.number)
    if let style = segment.begin {
      try checkScene(style.scene)
      guard state.elements.ordinal(of: id) == nil else {
        throw Refusal(
          .badParameter, cause: "The stroke's number is that of an element on the board.",
          cure: "Number strokes and elements upwards, each once.")
      }
      try checkNotBuried(id)
      try checkElements(plus: 1)
      try checkPoints(segment.points.count)
      try checkBoard(plus: Element.overhead + segment.points.bytes.count)
    } else {
      guard let points = state.elements.openPoints(of: id) else { throw Refusal(.noSuchElement) }
      // The end of a stroke always comes through.
      if segment.points.count > 0 {
        try checkPoints(points + segment.points.count)
        try checkBoard(plus: segment.points.bytes.count)
      }
    }
    return Outcome(event: .drawing(.stroke(segment)), isVerbatim: true)
  }

  private func pointer(_ move: PointerMove) throws(Refusal) -> Outcome {
    try checkScene(move.scene)
    return Outcome(event: .drawing(.pointer(move)), isVerbatim: true)
  }

  private func camera(_ camera: Camera) throws(Refusal) -> Outcome {
    guard camera.scale > 0 else {
      throw Refusal(.badParameter, cause: "A camera's scale is zero.", cure: "Send a scale above zero.")
    }
    return Outcome(event: .drawing(.camera(camera)), isVerbatim: true)
  }
}
