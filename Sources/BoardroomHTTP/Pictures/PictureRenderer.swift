/// Turns SVG pictures into PNG. A protocol, because the usual renderer is another program.
package protocol PictureRenderer: Sendable {
  /// Takes and returns the bytes of a file.
  func png(of svg: [UInt8]) async throws(PictureError) -> [UInt8]
}

/// Why there is no picture.
package enum PictureError: Error, Sendable, Hashable {
  /// The program that draws is not installed.
  case noRenderer
  /// So many requests are waiting already.
  case busy(waiting: Int)
  /// The program did not end in time, or failed.
  case failed
}
