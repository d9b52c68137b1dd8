/// Turns SVG pictures into PNG ones. A seam: the usual one is another program.
package protocol PictureRenderer: Sendable {
  /// Both as the bytes of a file.
  func png(of svg: [UInt8]) async throws(PictureError) -> [UInt8]
}

/// Why there is no picture.
package enum PictureError: Error, Sendable, Hashable {
  /// The program that draws is not installed.
  case noRenderer
  /// So many are waiting already.
  case busy(waiting: Int)
  /// It did not end in time, or said that it could not.
  case failed
}
