import BoardroomCodec
import BoardroomModel
import NIOCore
import NIOWebSocket

/// Puts fragmented messages together, up to a limit (RFC 6455, section 5.4).
struct MessageAssembly {
  private var parts: [UInt8] = []
  private var isOpen = false

  /// Takes a text, binary or continuation frame; gives the message that it completes, if it does.
  mutating func take(
    _ frame: WebSocketFrame, in subprotocol: Subprotocol, limit: Int
  ) throws(Refusal) -> [UInt8]? {
    let content = frame.unmaskedData
    guard parts.count + content.readableBytes <= limit else {
      throw Refusal(.tooLarge, actual: parts.count + content.readableBytes, allowed: limit)
    }
    try checkOrder(frame.opcode, subprotocol)
    if frame.fin, !isOpen { return Array(content.readableBytesView) }
    parts.append(contentsOf: content.readableBytesView)
    isOpen = !frame.fin
    guard frame.fin else { return nil }
    defer { parts = [] }
    return parts
  }

  private func checkOrder(
    _ opcode: WebSocketOpcode, _ subprotocol: Subprotocol
  ) throws(Refusal) {
    if opcode == .continuation {
      guard isOpen else { throw Refusal(.malformed, cause: "A continuation came without a beginning.") }
      return
    }
    guard !isOpen else { throw Refusal(.malformed, cause: "A message began inside another one.") }
    let expected: WebSocketOpcode =
      switch subprotocol {
      case .binary: .binary
      case .json: .text
      }
    guard opcode == expected else {
      throw Refusal(
        .malformed, cause: "The frame is of the wrong kind for the subprotocol.",
        cure: "Send binary frames in boardroom.v1, text frames in boardroom.json.v1.")
    }
  }
}
