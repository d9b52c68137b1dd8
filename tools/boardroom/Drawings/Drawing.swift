import BoardroomModel

/// A recorded drawing: the steps of a hand, with their times.
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

    /// When the step is done; of a stroke, when the pen goes up.
    var end: Int64 {
      guard case .stroke(let stroke) = what else { return at }
      return at + (stroke.points.last?.time ?? 0)
    }
  }

  var acts: [DrawingStep] = []

  /// Distributes the steps over a number of hands: each hand draws every n-th step, in order.
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
    /// From 0 to 1; nil if the device reported none.
    var pressure: Double?
  }

  var tool = StrokeTool.pencil
  var colour = Colour(red: 30, green: 30, blue: 30)
  /// In pixels.
  var width = 3.0
  var points: [Point] = []
}
