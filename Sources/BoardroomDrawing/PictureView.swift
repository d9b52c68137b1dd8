import BoardroomModel

/// A picture's size in pixels.
public struct PictureSize: Hashable, Sendable {
  /// The longest side: 8,192, twice a wide screen. A renderer needs at most 256 MiB for it.
  public static let longest = 8_192

  public let width: Int
  public let height: Int

  /// Nil if a side is below 1 or over `longest`.
  public init?(width: Int, height: Int) {
    guard (1...Self.longest).contains(width), (1...Self.longest).contains(height) else { return nil }
    self.width = width
    self.height = height
  }

  /// `640x360`.
  public init?(_ text: String) {
    let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let width = parts[0], let height = parts[1] else { return nil }
    self.init(width: width, height: height)
  }

  var spot: Spot { Spot(Double(width), Double(height)) }
}

/// Which part of a scene a picture of a given size shows.
public enum PictureView: Hashable, Sendable {
  /// Everything on the scene with a margin, centred, and made smaller until it fits, but never larger.
  case everything
  /// What a member with this camera sees on a screen of the picture's size.
  case camera(Camera)
  /// This rectangle, as large as fits. Where the proportions differ, the picture also shows what is beside
  /// it.
  case area(Area)
}

extension PictureView {
  /// The part of the scene that fills the picture. `content` is what is drawn with its margin.
  func shown(of content: Area, in size: PictureSize) -> Area {
    switch self {
    case .everything: Self.fit(content, size.spot, largest: 1)
    case .camera(let camera):
      Self.around(camera.centre, size.spot * (65_536 / Double(max(camera.scale, 1))))
    case .area(let area): Self.fit(area, size.spot, largest: .infinity)
    }
  }

  private static func fit(_ area: Area, _ size: Spot, largest: Double) -> Area {
    let (width, height) = (max(area.size.x, 1e-3), max(area.size.y, 1e-3))
    let scale = min(size.x / width, size.y / height, largest)
    return around(area.centre, size * (1 / scale))
  }

  private static func around(_ centre: Spot, _ size: Spot) -> Area {
    Area(low: centre - size * 0.5, high: centre + size * 0.5)
  }
}

extension Camera {
  /// In pixels of the scene.
  var centre: Spot {
    let scale = Double(sign: .plus, exponent: Int(unit), significand: 1)
    return Spot(Double(x) * scale, Double(y) * scale)
  }
}
