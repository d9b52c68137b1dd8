/// An address and port to listen on, written `127.0.0.1:9090` or `[::1]:9090`.
public struct ListenAddress: Sendable, Hashable {
  public var host: String
  /// 0: any free one.
  public var port: Int

  public init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Nil if the text has no port or no address.
  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (0...65_535).contains(port)
    else { return nil }
    var host = text[..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    if isBracketed { host = host.dropFirst().dropLast() }
    guard !host.isEmpty, host.contains(":") == isBracketed, !host.contains(where: \.isWhitespace) else {
      return nil
    }
    self.init(host: String(host), port: port)
  }

  public var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
