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
  /// Why the last attempt to reach the server came to nothing, where that is what went wrong.
  public let connection: ConnectionFailure?
  /// Whether the task that waited was cancelled. What it had sent may be done all the same.
  public private(set) var isCancelled = false

  /// Makes an error from what a server or this SDK refused.
  public init(_ refusal: Refusal, kick: KickReason? = nil) { self.init(refusal, kick: kick, connection: nil) }

  init(_ refusal: Refusal, kick: KickReason? = nil, connection: ConnectionFailure?) {
    code = refusal.code
    cause = refusal.cause
    cure = refusal.cure
    actual = refusal.actual
    allowed = refusal.allowed
    self.kick = kick
    self.connection = connection
  }

  package init(_ code: RefusalCode, cause: String? = nil, cure: String? = nil) {
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
  /// `failure`: of the last attempt, whose cause is what the app has to know.
  static func joinLimit(_ limit: Duration, tries: Int, after failure: ConnectionFailure?) -> BoardroomError {
    gaveUp(
      .timeout, "Joining", limit, tries, failure,
      cure: "Check the network and the server's address, then join again.")
  }

  /// Without tries where nobody counted them, as in a replay.
  static func gaveUp(_ limit: Duration, tries: Int, after failure: ConnectionFailure?) -> BoardroomError {
    gaveUp(.networkLost, "Reconnecting", limit, tries, failure, cure: nil)
  }

  private static func gaveUp(
    _ code: RefusalCode, _ what: String, _ limit: Duration, _ tries: Int, _ failure: ConnectionFailure?,
    cure: String?
  ) -> BoardroomError {
    let attempts = tries > 0 ? " (\(tries) attempts)" : ""
    guard let failure else {
      let cause = "\(what) took longer than the limit of \(limit.inSeconds) s\(attempts)."
      return BoardroomError(Refusal(code, cause: cause, cure: cure))
    }
    let cause = "\(failure) \(what) was given up after \(limit.inSeconds) s\(attempts)."
    return BoardroomError(Refusal(code, cause: cause, cure: failure.cure), connection: failure)
  }

  /// The task that waited was cancelled.
  package static let cancelled: BoardroomError = {
    var error = BoardroomError(
      .timeout, cause: "The task that waited for the answer was cancelled.",
      cure: "Read the state to learn whether it was done: what had been sent is not called back.")
    error.isCancelled = true
    return error
  }()

  /// The task that waited for a join was cancelled.
  static let joinCancelled: BoardroomError = {
    var error = BoardroomError(
      .notConnected, cause: "The task that joined was cancelled, and the room was left.", cure: "Join again.")
    error.isCancelled = true
    return error
  }()

  static let joinUnderWay = BoardroomError(
    .pending, cause: "Another join is under way.", cure: "Wait for its completion.")

  package static let left = BoardroomError(.notConnected, cause: "The room was left.", cure: "Join again.")

  package static let outcomeUnknown = BoardroomError(
    .networkLost, cause: "The command was decided while the connection was lost.",
    cure: "Read the room's state to learn the outcome.")

  /// Of a command of an account or a channel.
  static let noReceipt = BoardroomError(
    .timeout, cause: "No receipt came within 10 s.",
    cure: "It is not sent again. Send it under the same name: what has arrived is not doubled.")

  static let notCarriedOut = BoardroomError(
    .networkLost, cause: "The session ended before the command reached the server.",
    cure: "Send it again if it still makes sense.")

  static let tooManyWaiting = BoardroomError(
    .rateLimited, cause: "Too many commands wait for their receipts.")
}

// MARK: What the SDK itself refuses

extension BoardroomError {
  static let serializationDisabled = BoardroomError(
    .forbidden, cause: "The app has not enabled the history.",
    cure:
      "Call setHistory(enabled: true) first; what was done before cannot be undone."
  )

  static let textDisabled = BoardroomError(
    .forbidden, cause: "The app has text operations disabled.",
    cure: "Call setTextEditing(enabled: true).")

  static let imagesKept = BoardroomError(
    .forbidden, cause: "The app keeps images from being erased.",
    cure: "Call setImageErasing(enabled: true).")

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
