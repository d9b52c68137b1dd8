import BoardroomCodec
import BoardroomModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Why something did not work: a code to decide on, and what was wrong and what helps, for people.
public struct BoardroomError: Error, Sendable, Hashable {
  /// What went wrong, for programs.
  public let code: RefusalCode
  /// What went wrong, in words.
  public let cause: String
  /// What helps, in words; empty if nothing does.
  public let cure: String
  /// For sizes, counts and rates: what it was and what is allowed.
  public let actual: Int?
  /// The limit that was passed; nil if there is none.
  public let allowed: Int?
  /// Set where the server removed the member.
  public let kick: KickReason?

  /// Makes an error from what a server or this SDK refused.
  public init(_ refusal: Refusal, kick: KickReason? = nil) {
    code = refusal.code
    cause = refusal.cause
    cure = refusal.cure
    actual = refusal.actual
    allowed = refusal.allowed
    self.kick = kick
  }

  init(_ code: RefusalCode, cause: String? = nil, cure: String? = nil) {
    self.init(Refusal(code, cause: cause, cure: cure))
  }

  init(_ error: CodecError) { self.init(error.refusal) }
}

extension BoardroomError: CustomStringConvertible {
  /// Code, cause and cure in one line. It holds no text, token or payload of a member.
  public var description: String {
    var text = "\(code.rawValue): \(cause)"
    if let actual, let allowed { text += " It was \(actual), \(allowed) is allowed." }
    return text + " " + cure
  }
}

extension BoardroomError: LocalizedError {
  /// The same as `description`, for Foundation.
  public var errorDescription: String? { description }
  /// The same as `cause`, for Foundation.
  public var failureReason: String? { cause }
  /// The same as `cure`, for Foundation.
  public var recoverySuggestion: String? { cure }
}

extension BoardroomError {
  static func joinLimit(_ limit: Duration, tries: Int) -> BoardroomError {
    BoardroomError(
      .timeout,
      cause: "Joining took longer than the limit of \(limit.inSeconds) s (\(tries) attempts).",
      cure: "Check the network and the server's address, then join again.")
  }

  /// Without tries where nobody counted them, as in a replay.
  static func gaveUp(_ limit: Duration, tries: Int) -> BoardroomError {
    let attempts = tries > 0 ? " (\(tries) attempts)" : ""
    return BoardroomError(
      .networkLost, cause: "Reconnecting took longer than the limit of \(limit.inSeconds) s\(attempts).")
  }

  static let joinUnderWay = BoardroomError(
    .pending, cause: "Another join is under way.", cure: "Wait for its completion.")

  static let left = BoardroomError(.notConnected, cause: "The room was left.", cure: "Join again.")

  static let outcomeUnknown = BoardroomError(
    .networkLost, cause: "The command was decided while the connection was lost.",
    cure: "Read the room's state to learn the outcome.")

  static let notCarriedOut = BoardroomError(
    .networkLost, cause: "The session ended before the command reached the server.",
    cure: "Send it again if it still makes sense.")

  static let tooManyWaiting = BoardroomError(
    .rateLimited, cause: "Too many commands wait for their receipts.")
}

// MARK: What the SDK itself refuses

extension BoardroomError {
  static let serializationDisabled = BoardroomError(
    .forbidden, cause: "The app has serialization disabled.",
    cure: "Call disableSerialization(false) first; what was done before cannot be undone.")

  static let textDisabled = BoardroomError(
    .forbidden, cause: "The app has text operations disabled.", cure: "Call disableTextOperations(false).")

  static let imagesKept = BoardroomError(
    .forbidden, cause: "The app keeps images from being erased.", cure: "Call disableEraseImage(false).")

  static let nothingSelected = BoardroomError(
    .noSuchElement, cause: "Nothing is selected.", cure: "Select elements first.")

  static let noRoomInOrder = BoardroomError(
    .badParameter, cause: "There is no room left between the elements' order keys.",
    cure: "Move the elements around it first.")

  static let badImageAddress = BoardroomError(
    .badParameter, cause: "An image's source does not begin with http:// or https://.",
    cure: "Upload the image and give the address that the server answers with.")

  static let noViewSize = BoardroomError(
    .badParameter, cause: "The size of the app's view is not known.", cure: "Call refreshViewSize first.")

  static let badRectangle = BoardroomError(
    .badParameter, cause: "A width or a height is not above zero.", cure: "Give a rectangle with an area.")

  static let noPicture = BoardroomError(
    .noSuchScene, cause: "The page has no ppt background with a size.", cure: "Put one with width and height."
  )

  static let storeClosed = BoardroomError(
    .notConnected, cause: "The store was disconnected.", cure: "Connect to it again.")

  static func badMemberState(_ field: String, _ reason: String) -> BoardroomError {
    BoardroomError(
      .badParameter, cause: "The field \(field) of the member state \(reason).",
      cure: "Give a value as WhiteMemberState describes it.")
  }
}

extension Duration {
  var inSeconds: String {
    let milliseconds = components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    return milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000)" : "\(Double(milliseconds) / 1_000)"
  }
}
