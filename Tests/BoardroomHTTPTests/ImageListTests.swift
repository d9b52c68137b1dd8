import BoardroomModel
import EventLogModel
import Testing

@testable import BoardroomHTTP

@Suite("The list of all images")
struct ImageListTests {
  @Test("IMG-3, IMG-4: a list that ends early is a failure, not a shorter list", arguments: [0, 1, 2])
  func endsEarly(pages: Int) throws {
    let check = ImageCheck(of: FailingImages(pages: pages))
    #expect(throws: ImageDamage.self) { try check.all() }
  }

  @Test("IMG-3: a list of several pages has all of them")
  func whole() throws {
    #expect(try ImageCheck(of: FailingImages(pages: nil)).all().count == 2_500)
  }
}

/// 2,500 images of one room, which cannot be listed any more after some pages.
private struct FailingImages: ImagePlace {
  /// Nil: they always can.
  let pages: Int?

  private static let images = (0..<2_500).map { number in
    let digits = String(number, radix: 16)
    return "\(String(repeating: "0", count: 64 - digits.count))\(digits).png"
  }

  var description: String { "images that fail" }
  var isThere: Bool { true }

  func page(after last: String?, limit: Int) -> Result<[ListedImage], ImageFailure> {
    let first = last.map { last in Self.images.firstIndex { last.hasSuffix($0) }.map { $0 + 1 } ?? 0 } ?? 0
    if let pages, first >= pages * limit { return .failure(.unavailable) }
    let names = Self.images[first...].prefix(limit).compactMap { ImageName($0) }
    return .success(names.map { ListedImage(room: RoomID(high: 1, low: 1), name: $0, bytes: 1, put: .zero) })
  }

  func path(of name: ImageName, in room: RoomID) -> String { "\(room)/\(name)" }
  func put(_: [UInt8], as _: ImageName, in _: RoomID, _: ImageLimits) -> ImageFailure? { .unavailable }
  func read(_: ImageName, in _: RoomID) -> Result<[UInt8]?, ImageFailure> { .failure(.unavailable) }
  func about(_: ImageName, in _: RoomID) -> Result<ListedImage?, ImageFailure> { .failure(.unavailable) }
  func rooms() -> Result<[RoomID], ImageFailure> { .failure(.unavailable) }
  func remove(_: ImageName, of _: RoomID) -> ImageFailure? { .unavailable }
  func removeAll(of _: RoomID) -> ImageFailure? { .unavailable }
  func setAside(_: Set<String>, unlessPutAfter _: Timestamp) -> Result<Set<String>, ImageFailure> {
    .failure(.unavailable)
  }
  func bringBack(_: Set<String>?) -> ImageFailure? { .unavailable }
  func removeAside(_: Set<String>) -> Result<Set<String>, ImageFailure> { .failure(.unavailable) }
}
