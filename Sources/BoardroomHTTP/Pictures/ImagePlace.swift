import BoardroomModel
import EventLogModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where the images of boards are kept: a folder, or tables of a database. All calls block; threads of Swift's pool must not
/// make them.
package protocol ImagePlace: Sendable, CustomStringConvertible {
  /// Stores an image; durable when it returns without a failure. One that is there already stays, and is put anew if it is
  /// damaged.
  func put(
    _ bytes: [UInt8], as name: ImageName, in room: RoomID, _ limits: ImageLimits
  ) -> ImageFailure?

  /// Nil if there is none. The bytes are as they are stored: whether they are those of the name is not looked at.
  func read(_ name: ImageName, in room: RoomID) -> Result<[UInt8]?, ImageFailure>

  /// Nil if there is none.
  func about(_ name: ImageName, in room: RoomID) -> Result<ListedImage?, ImageFailure>

  /// At most `limit` images of all rooms, in the order of rooms and names, after the one named `room/name`.
  func page(after last: String?, limit: Int) -> Result<[ListedImage], ImageFailure>

  /// Rooms that have images.
  func rooms() -> Result<[RoomID], ImageFailure>

  /// Removes one image, if it is there.
  func remove(_ name: ImageName, of room: RoomID) -> ImageFailure?

  /// Removes all images of a room, to which no more may be put.
  func removeAll(of room: RoomID) -> ImageFailure?

  // MARK: Images that nothing names (LOG-32)

  /// Several servers may have these images and the logs that name them. Then one of them looks for images that nothing names,
  /// and logs of others are not seen to their ends.
  var isShared: Bool { get }

  /// Whether this server looks for them now: of several one does at a time.
  func isOurTurn() -> Result<Bool, ImageFailure>

  /// Hands out records that are committed and that `LogStore.runs` of this server may not have yet.
  func readUnsealed(_ take: ([UInt8]) -> Void) -> ImageFailure?

  /// Takes images, named `room/name`, out of everybody's sight, except those that were put after `time`. Returns those that it took.
  func setAside(_ images: Set<String>, unlessPutAfter time: Timestamp) -> Result<Set<String>, ImageFailure>

  /// Shows images again that were set aside. Nil: all of them, as a killed process leaves them.
  func bringBack(_ images: Set<String>?) -> ImageFailure?

  /// Removes images that were set aside. Returns those that were.
  func removeAside(_ images: Set<String>) -> Result<Set<String>, ImageFailure>

  /// Where an image is, for operators.
  func path(of name: ImageName, in room: RoomID) -> String

  /// Whether the place is there at all: a folder is made for the first image.
  var isThere: Bool { get }
}

/// A place that one server has.
extension ImagePlace {
  package var isShared: Bool { false }
  package func isOurTurn() -> Result<Bool, ImageFailure> { .success(true) }
  package func readUnsealed(_ take: ([UInt8]) -> Void) -> ImageFailure? { nil }
}

/// Why an image is not stored or not shown.
package enum ImageFailure: Error, Sendable, Hashable {
  case full(actual: Int, allowed: Int, limit: String)
  case io(operation: String, code: Int32)
  /// The bytes do not have the SHA-256 that the name says.
  case damaged(ImageName)
  /// The database does not answer, or has no space.
  case unavailable

  /// Whether a call failed for lack of space.
  static func isFull(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT }
}

extension ImageFailure: CustomStringConvertible {
  /// For operators.
  package var description: String {
    switch self {
    case .full(let actual, let allowed, let limit):
      "the images of a room are over the limit \(limit): \(actual) of \(allowed)"
    case .io(let operation, let code): "\(operation) failed on an image (error \(code))"
    case .damaged(let name): "the image \(name) is damaged"
    case .unavailable: "the database does not answer the question for images, or has no space for them"
    }
  }
}

/// How much the images of one room may be.
package struct ImageLimits: Sendable, Hashable {
  package var bytes: Int
  package var count: Int

  package init(bytes: Int, count: Int) { (self.bytes, self.count) = (bytes, count) }

  /// Why a room's images may not be so much; nil if they may.
  package func failure(bytes: Int, count: Int) -> ImageFailure? {
    guard bytes <= self.bytes else {
      return .full(actual: bytes, allowed: self.bytes, limit: "limits.roomImages")
    }
    guard count <= self.count else { return .full(actual: count, allowed: self.count, limit: "images") }
    return nil
  }
}

/// An image that is there.
package struct ListedImage: Sendable, Hashable {
  package var room: RoomID
  package var name: ImageName
  package var bytes: Int
  /// When it was last put, also if it was there already.
  package var put: Timestamp

  package init(room: RoomID, name: ImageName, bytes: Int, put: Timestamp) {
    (self.room, self.name, self.bytes, self.put) = (room, name, bytes, put)
  }
}
