import BoardroomModel

/// A size in pixels.
public struct WhiteSize: Sendable, Hashable {
  /// In pixels of the screen.
  public var width: Double
  /// In pixels of the screen.
  public var height: Double
  /// Makes a size.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }
}

/// A rectangle of the board, in pixels.
public struct WhiteRectangle: Sendable, Hashable {
  /// Its upper left corner.
  public var originX: Double
  /// The upper edge, in pixels of the board.
  public var originY: Double
  /// In pixels of the board.
  public var width: Double
  /// In pixels of the board.
  public var height: Double

  /// Makes a rectangle from its upper left corner.
  public init(originX: Double, originY: Double, width: Double, height: Double) {
    (self.originX, self.originY, self.width, self.height) = (originX, originY, width, height)
  }

  /// Around the middle of the board.
  public init(width: Double, height: Double) {
    self.init(originX: -width / 2, originY: -height / 2, width: width, height: height)
  }
}

/// Where a camera may look (CA-2). What is nil has no bound.
public struct WhiteCameraBound: Sendable, Hashable {
  /// The middle of the part of the board that may be seen.
  public var centerX: Double
  /// The vertical place of that middle.
  public var centerY: Double
  /// In pixels of the board; nil: no bound.
  public var width: Double?
  /// In pixels of the board; nil: no bound.
  public var height: Double?
  /// The least scale; nil: no bound.
  public var minScale: Double?
  /// The largest scale; nil: no bound.
  public var maxScale: Double?

  /// Makes a bound around a middle.
  public init(
    centerX: Double = 0, centerY: Double = 0, width: Double? = nil, height: Double? = nil,
    minScale: Double? = nil, maxScale: Double? = nil
  ) {
    (self.centerX, self.centerY) = (centerX, centerY)
    (self.width, self.height, self.minScale, self.maxScale) = (width, height, minScale, maxScale)
  }

  /// The camera nearest to this one that shows nothing beyond the bound. A view that is larger than the bound
  /// stands on its middle.
  func bounding(_ camera: WhiteCameraState, in view: WhiteSize?) -> WhiteCameraState {
    var camera = camera
    if let minScale { camera.scale = max(camera.scale, minScale) }
    if let maxScale { camera.scale = min(camera.scale, maxScale) }
    func keep(_ centre: Double, _ middle: Double, _ room: Double?, _ seen: Double?) -> Double {
      guard let room else { return centre }
      let reach = max(0, (room - (seen ?? 0) / camera.scale) / 2)
      return min(max(centre, middle - reach), middle + reach)
    }
    camera.centerX = keep(camera.centerX, centerX, width, view?.width)
    camera.centerY = keep(camera.centerY, centerY, height, view?.height)
    return camera
  }
}

/// How a camera goes from one place to another. Boardroom records places; the way is the view's.
public enum WhiteAnimationMode: String, Sendable, Hashable, CaseIterable { case immediately, continuous }

// The camera (CA-1 to CA-4). The world's origin is the middle of the board, x grows to the right and y down.
extension WhiteRoom {
  /// Looks there, within the bound. A follower becomes free by it (V-4).
  @discardableResult
  nonisolated(nonsending) public func moveCamera(
    _ camera: WhiteCameraState, animation: WhiteAnimationMode = .continuous
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.moveCamera(camera))
  }

  /// Shows this rectangle as large as it fits into the view (CA-1). Needs `refreshViewSize`.
  @discardableResult
  nonisolated(nonsending) public func moveCameraToContainer(
    _ rectangle: WhiteRectangle, animation: WhiteAnimationMode = .continuous
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.moveCamera(to: rectangle))
  }

  /// Shows the current page's ppt background as large as it fits into the view (CA-2).
  @discardableResult
  nonisolated(nonsending) public func scalePptToFit(
    _ animation: WhiteAnimationMode = .continuous
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.scalePptToFit)
  }

  /// From here on this client's camera stays within the bound; nil takes it away (CA-2).
  public func setCameraBound(_ bound: WhiteCameraBound?) { link.enter { $0.board.cameraBound = bound } }

  /// The size of the view that the app shows the board in (CA-2). Only the app knows it; nothing is sent.
  public func refreshViewSize(width: Double, height: Double) {
    let size = WhiteSize(width: width, height: height)
    link.enter { link in
      link.mirror.viewSize = size
      link.showState()
    }
  }

  /// The point of the board under a point of the view, counted from the view's upper left corner (CA-3). Without
  /// a view size, from its middle.
  public func convertToPointInWorld(x: Double, y: Double) -> (x: Double, y: Double) {
    let camera = cameraState
    return (
      camera.centerX + (x - (camera.width ?? 0) / 2) / camera.scale,
      camera.centerY + (y - (camera.height ?? 0) / 2) / camera.scale
    )
  }

  /// Tells the others where this client's pointer is on the current page, in pixels of the board.
  @discardableResult
  nonisolated(nonsending) public func movePointer(x: Double, y: Double) async throws(BoardroomError)
    -> Receipt
  {
    try await answer(.movePointer(x: x, y: y))
  }
}

extension RoomRequest<Receipt> {
  package static func moveCamera(_ camera: WhiteCameraState) -> Self { .onLink { $0.moveCamera(camera, $1) } }

  package static func moveCamera(to rectangle: WhiteRectangle) -> Self {
    .onLink { $0.moveCamera(to: rectangle, $1) }
  }

  package static var scalePptToFit: Self { .onLink { $0.scalePptToFit($1) } }

  package static func movePointer(x: Double, y: Double) -> Self { .onLink { $0.movePointer(x, y, $1) } }
}

extension RoomLink {
  fileprivate func moveCamera(_ camera: WhiteCameraState, _ completion: @escaping CommandCompletion) {
    let bounded = board.cameraBound?.bounding(camera, in: mirror.viewSize) ?? camera
    submit(.drawing(.camera(bounded.camera)), completion)
  }

  fileprivate func moveCamera(to rectangle: WhiteRectangle, _ completion: @escaping CommandCompletion) {
    guard let view = mirror.viewSize else { return completion(.failure(.noViewSize)) }
    guard rectangle.width > 0, rectangle.height > 0 else { return completion(.failure(.badRectangle)) }
    moveCamera(
      WhiteCameraState(
        centerX: rectangle.originX + rectangle.width / 2, centerY: rectangle.originY + rectangle.height / 2,
        scale: min(view.width / rectangle.width, view.height / rectangle.height)), completion)
  }

  fileprivate func scalePptToFit(_ completion: @escaping CommandCompletion) {
    let room = mirror.parts()
    guard let page = room.scene(room.currentScene)?.ppt.flatMap({ WhitePptPage($0) }), page.width > 0,
      page.height > 0
    else { return completion(.failure(.noPicture)) }
    moveCamera(to: WhiteRectangle(width: page.width, height: page.height), completion)
  }

  fileprivate func movePointer(_ x: Double, _ y: Double, _ completion: @escaping CommandCompletion) {
    let unit = WhiteCameraState.unit
    submit(
      .drawing(
        .pointer(
          PointerMove(scene: mirror.parts().currentScene, unit: unit, x: x.units(unit), y: y.units(unit)))),
      completion)
  }
}
