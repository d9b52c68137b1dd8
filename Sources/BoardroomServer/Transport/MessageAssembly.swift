import BoardroomCodec
import BoardroomHosting
import BoardroomModel

/// Joins the fragments of a message, up to a limit (RFC 6455, section 5.4), and checks UTF-8 with each
/// fragment.
struct MessageAssembly {
  private var parts: [UInt8] = []
  private var isOpen = false
  private var text = TextCheck()

  /// Takes a text, binary or continuation frame. Returns the message if the frame completes one.
  mutating func add(
    _ frame: ClientFrame, in subprotocol: Subprotocol, limit: Int
  ) throws(FrameFault) -> [UInt8]? {
    try checkOrder(frame.opcode, subprotocol)
    let size = parts.count + frame.payload.count
    guard size <= limit else { throw .tooLarge(size, allowed: limit) }
    if subprotocol == .json {
      guard text.check(frame.payload), !frame.isFinal || text.isWhole else { throw .badText }
    }
    if frame.isFinal, !isOpen { return frame.payload }
    parts.append(contentsOf: frame.payload)
    isOpen = !frame.isFinal
    guard frame.isFinal else { return nil }
    defer { parts = [] }
    return parts
  }

  private func checkOrder(_ opcode: ClientFrame.Opcode, _ subprotocol: Subprotocol) throws(FrameFault) {
    if opcode == .continuation {
      guard isOpen else { throw .malformed("A continuation came without a beginning.") }
      return
    }
    guard !isOpen else { throw .malformed("A message began inside another one.") }
    let expected: ClientFrame.Opcode =
      switch subprotocol {
      case .binary: .binary
      case .json: .text
      }
    guard opcode == expected else {
      let refusal = Refusal(
        .malformed, cause: "The frame is of the wrong kind for the subprotocol.",
        cure: "Send binary frames in boardroom.v1, text frames in boardroom.json.v1.")
      throw FrameFault(refusal: refusal, code: CloseCode.refused)
    }
  }
}
