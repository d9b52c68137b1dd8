/// Draws pictures one at a time and keeps the last ones.
package actor PictureQueue {
  /// How many requests may wait; one more is refused. 16: a wait of at most a minute and a half.
  static let mostWaiting = 16
  /// 16 MiB: some dozens of pages.
  static let usualCache = 16 << 20

  /// Nil if no renderer is installed; pictures are SVG then.
  let renderer: (any PictureRenderer)?
  private let capacity: Int
  private var kept: [PictureName: [UInt8]] = [:]
  private var order: [PictureName] = []
  private var size = 0
  private var waiting = 0
  private var last: Task<[UInt8], any Error>?

  package init(renderer: (any PictureRenderer)?, capacity: Int = PictureQueue.usualCache) {
    self.renderer = renderer
    self.capacity = capacity
  }

  nonisolated var formats: [PictureName.Format] { renderer == nil ? [.svg] : [.png, .svg] }

  /// The file of a picture. If it is not in the cache, `draw` makes it as SVG.
  func picture(
    _ name: PictureName, draw: @escaping @Sendable () async throws -> String
  ) async throws -> [UInt8] {
    if let bytes = kept[name] { return bytes }
    guard waiting < Self.mostWaiting else { throw PictureError.busy(waiting: waiting) }
    waiting += 1
    defer { waiting -= 1 }
    let before = last
    let turn = Task {
      _ = await before?.result
      return try await make(name, draw)
    }
    last = turn
    return try await turn.value
  }

  private func make(_ name: PictureName, _ draw: @Sendable () async throws -> String) async throws -> [UInt8]
  {
    if let bytes = kept[name] { return bytes }
    let svg = Array(try await draw().utf8)
    let bytes: [UInt8]
    switch name.format {
    case .svg: bytes = svg
    case .png:
      guard let renderer else { throw PictureError.noRenderer }
      bytes = try await renderer.png(of: svg)
    }
    keep(bytes, as: name)
    return bytes
  }

  private func keep(_ bytes: [UInt8], as name: PictureName) {
    guard bytes.count <= capacity, kept.updateValue(bytes, forKey: name) == nil else { return }
    order.append(name)
    size += bytes.count
    while size > capacity, let oldest = order.first {
      order.removeFirst()
      size -= kept.removeValue(forKey: oldest)?.count ?? 0
    }
  }
}
