import BoardroomModel

/// A recorded drawing: what a hand did, and when.
struct Drawing: Sendable {
  enum DrawingAction: Sendable {
    case stroke(PenStroke)
    case shape(ElementType, JSONText)
    case magix(MagixEvent)
    case patch(JSONPatch)
  }

  struct DrawingStep: Sendable {
    /// Milliseconds since the drawing began.
    var at: Int64
    var what: DrawingAction

    /// When it is done: of a stroke when the pen goes up.
    var end: Int64 {
      guard case .stroke(let stroke) = what else { return at }
      return at + (stroke.points.last?.time ?? 0)
    }
  }

  var acts: [DrawingStep] = []

  /// The acts dealt out to a number of hands, each with its own order kept: every hand draws every n-th.
  func dealt(to hands: Int) -> [Drawing] {
    (0..<hands).map { hand in
      Drawing(acts: acts.indices.filter { $0 % hands == hand }.map { acts[$0] })
    }
  }
}

/// One pen stroke with times of its own.
struct PenStroke: Sendable, Equatable {
  struct Point: Sendable, Equatable {
    /// In pixels.
    var x: Double
    var y: Double
    /// Milliseconds since the pen went down.
    var time: Int64
    /// 0 to 1; nil where the device told none.
    var pressure: Double?
  }

  var tool = StrokeTool.pencil
  var colour = Colour(red: 30, green: 30, blue: 30)
  /// In pixels.
  var width = 3.0
  var points: [Point] = []
}
