import BoardroomModel
import EventLogModel
import Foundation

/// What is wrong with one stored image, or with all of a folder's.
public struct ImageDamage: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of damage.
  public enum Fault: Sendable, Hashable {
    /// A room names it, and it is not there.
    case missing
    /// Rooms name images, and there is no folder of images at all.
    case noFolder
    /// Its bytes do not have the SHA-256 that its name says.
    case damaged
    /// The file is empty.
    case empty
    /// The system cannot read it.
    case unreadable(code: Int32)
  }

  public let what: Fault
  /// The file, or the folder.
  public let path: String

  /// Whether nothing is known of the image, because the place of all images does not answer at present.
  package var isPassing: Bool { what == .unreadable(code: EAGAIN) }

  public var description: String {
    switch what {
    case .missing: "the image \(path) is missing, and its room names it"
    case .noFolder: "the folder \(path) is missing, and rooms name images in it"
    case .damaged: "the image \(path) is damaged: its bytes are not those of its name"
    case .empty: "the image \(path) is damaged: it is empty"
    case .unreadable(let code): "the image \(path) cannot be read: \(String(cString: strerror(code)))"
    }
  }
}

/// Checks the images of a data folder without a server. Changes nothing; a server may be running.
public struct ImageCheck: Sendable {
  /// One stored image.
  public struct Stored: Sendable, Hashable {
    public let room: RoomID
    let name: ImageName
    init(room: RoomID, name: ImageName) { (self.room, self.name) = (room, name) }

    /// Nil unless they are a room's uuid and the name of an image.
    public init?(room: String, fileName: String) {
      guard let room = RoomID(room), let name = ImageName(fileName) else { return nil }
      self.init(room: room, name: name)
    }

    /// Whether its name is the SHA-256 of these bytes.
    public func stands(for bytes: [UInt8]) -> Bool { name.stands(for: bytes) }

    /// The file's name: the SHA-256 of its content, and its kind.
    public var fileName: String { "\(name)" }
    /// Its place in the data folder.
    public var path: String { "\(ImageFolder.name)/\(room)/\(name)" }
  }

  private let place: any ImagePlace

  /// - Parameter data: the server's data folder.
  public init(folder data: String) { place = ImageFolder(in: data) }

  /// Of images that are kept elsewhere.
  package init(of place: any ImagePlace) { self.place = place }

  // MARK: What is there

  /// How many images are asked for at once.
  private static let page = 1_000

  /// All images that are there, by room and name. Other files, and files that are being written, are left
  /// out. Throws if not all can be listed: what is missing in a list counts as removed.
  public func all() throws(ImageDamage) -> [Stored] { try allWithLengths().map(\.image) }

  /// The same with their lengths in bytes, which are known without reading them.
  package func allWithLengths() throws(ImageDamage) -> [(image: Stored, bytes: Int)] {
    switch listed() {
    case .success(let found): return found
    case .failure(let failure): throw Self.damage(failure, at: "\(place)")
    }
  }

  /// All images with their lengths in bytes, which are known without reading them.
  func listed() -> Result<[(image: Stored, bytes: Int)], ImageFailure> {
    var (found, last): ([(image: Stored, bytes: Int)], String?) = ([], nil)
    while true {
      let page: [ListedImage]
      switch place.page(after: last, limit: Self.page) {
      case .success(let listed): page = listed
      case .failure(let failure): return .failure(failure)
      }
      found += page.map { (Stored(room: $0.room, name: $0.name), $0.bytes) }
      guard page.count == Self.page, let end = page.last else { return .success(found) }
      last = "\(end.room)/\(end.name)"
    }
  }

  /// The bytes of an image. Throws if they do not have the SHA-256 of its name.
  public func read(_ image: Stored) throws(ImageDamage) -> [UInt8] {
    let path = place.path(of: image.name, in: image.room)
    switch place.read(image.name, in: image.room) {
    case .success(nil): throw ImageDamage(what: .missing, path: path)
    case .success(let bytes?):
      guard !bytes.isEmpty else { throw ImageDamage(what: .empty, path: path) }
      guard image.name.stands(for: bytes) else { throw ImageDamage(what: .damaged, path: path) }
      return bytes
    case .failure(let failure): throw Self.damage(failure, at: path)
    }
  }

  private static func damage(_ failure: ImageFailure, at path: String) -> ImageDamage {
    switch failure {
    case .io(_, let code): ImageDamage(what: .unreadable(code: code), path: path)
    case .unavailable: ImageDamage(what: .unreadable(code: EAGAIN), path: path)
    case .full, .damaged: ImageDamage(what: .damaged, path: path)
    }
  }

  /// What is wrong with an image; nil if nothing is. With `deep` all of it is read; else only its presence
  /// and length are checked.
  public func damage(of image: Stored, deep: Bool) -> ImageDamage? {
    if deep {
      do throws(ImageDamage) { _ = try read(image) } catch { return error }
      return nil
    }
    let path = place.path(of: image.name, in: image.room)
    switch place.about(image.name, in: image.room) {
    case .success(nil): return ImageDamage(what: .missing, path: path)
    case .success(let found?): return found.bytes > 0 ? nil : ImageDamage(what: .empty, path: path)
    case .failure(let failure): return Self.damage(failure, at: path)
    }
  }

  /// The length of an image in bytes; 0 if it is missing.
  public func size(of image: Stored) -> Int {
    guard case .success(let found?) = place.about(image.name, in: image.room) else { return 0 }
    return found.bytes
  }

  /// Whether an image is there.
  public func isThere(_ image: Stored) -> Bool {
    guard case .success(.some) = place.about(image.name, in: image.room) else { return false }
    return true
  }

  /// Stores an image that is read from elsewhere, whatever limits a server has. Throws why it cannot be.
  package func put(_ bytes: [UInt8], as image: Stored) throws(ImageDamage) {
    let limits = ImageLimits(bytes: .max, count: .max)
    if let failure = place.put(bytes, as: image.name, in: image.room, limits) {
      throw Self.damage(failure, at: place.path(of: image.name, in: image.room))
    }
  }

  /// Removes an image. Throws why it cannot be.
  package func remove(_ image: Stored) throws(ImageDamage) {
    if let failure = place.remove(image.name, of: image.room) {
      throw Self.damage(failure, at: place.path(of: image.name, in: image.room))
    }
  }

  /// Which of the images that rooms name are missing.
  public func missing(of named: Set<Stored>) -> [ImageDamage] {
    guard !named.isEmpty else { return [] }
    let absent = named.filter { !isThere($0) }.map { place.path(of: $0.name, in: $0.room) }.sorted()
    let folders = place.isThere ? [] : [ImageDamage(what: .noFolder, path: "\(place)")]
    return folders + absent.map { ImageDamage(what: .missing, path: $0) }
  }

  // MARK: What rooms name

  private static let begin = Array("/v5/rooms/".utf8)
  private static let middle = Array("/images/".utf8)
  private static let roomDigits = 32
  private static let digestDigits = 64

  /// The images whose addresses are in these bytes, which are stored records or parts of a state. The formats
  /// are not parsed, because an address is the same bytes in all of them.
  public static func named(in bytes: [UInt8]) -> Set<Stored> {
    var found: Set<Stored> = []
    bytes.withUnsafeBytes { raw in
      guard let start = raw.baseAddress else { return }
      var place = 0
      while place < raw.count, let slash = memchr(start + place, 0x2F, raw.count - place) {
        place = start.distance(to: UnsafeRawPointer(slash)) + begin.count
        guard place <= raw.count, memcmp(slash, begin, begin.count) == 0 else {
          place -= begin.count - 1
          continue
        }
        if let image = image(in: bytes[place...]) { found.insert(image) }
      }
    }
    return found
  }

  private static func image(in bytes: ArraySlice<UInt8>) -> Stored? {
    let room = RoomID(String(decoding: bytes.prefix(roomDigits), as: UTF8.self))
    let rest = bytes.dropFirst(roomDigits)
    guard let room, rest.starts(with: middle) else { return nil }
    let file = rest.dropFirst(middle.count)
    let digest = String(decoding: file.prefix(digestDigits), as: UTF8.self)
    let end = file.dropFirst(digestDigits)
    // No ending is the beginning of another, so the order does not matter.
    for kind in ImageKind.allCases where end.starts(with: Array(".\(kind.rawValue)".utf8)) {
      return ImageName("\(digest).\(kind.rawValue)").map { Stored(room: room, name: $0) }
    }
    return nil
  }
}
