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
    public var path: String { "\(ImageStore.folderName)/\(room)/\(name)" }
  }

  private let data: String
  private var folder: String { data + "/" + ImageStore.folderName }

  /// - Parameter data: the server's data folder.
  public init(folder data: String) { self.data = data }

  // MARK: What is there

  /// All images that are there, by room and name. Other files, and files that are being written, are left
  /// out.
  public func all() -> [Stored] {
    let rooms = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return rooms.sorted().compactMap { RoomID($0) }.flatMap { room -> [Stored] in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(room)")) ?? []
      return names.sorted().compactMap { ImageName($0) }.map { Stored(room: room, name: $0) }
    }
  }

  /// The bytes of an image. Throws if they do not have the SHA-256 of its name.
  public func read(_ image: Stored) throws(ImageDamage) -> [UInt8] {
    let path = data + "/" + image.path
    switch ImageStore.read(path) {
    case .success(nil): throw ImageDamage(what: .missing, path: path)
    case .success(let bytes?):
      guard !bytes.isEmpty else { throw ImageDamage(what: .empty, path: path) }
      guard image.name.stands(for: bytes) else { throw ImageDamage(what: .damaged, path: path) }
      return bytes
    case .failure(.io(_, let code)): throw ImageDamage(what: .unreadable(code: code), path: path)
    case .failure(.full), .failure(.damaged): throw ImageDamage(what: .damaged, path: path)
    }
  }

  /// What is wrong with an image; nil if nothing is. With `deep` all of it is read; else only its presence
  /// and length are checked.
  public func damage(of image: Stored, deep: Bool) -> ImageDamage? {
    let path = data + "/" + image.path
    if deep {
      do throws(ImageDamage) { _ = try read(image) } catch { return error }
      return nil
    }
    var found = stat()
    guard stat(path, &found) == 0 else {
      return ImageDamage(what: errno == ENOENT ? .missing : .unreadable(code: errno), path: path)
    }
    return found.st_size > 0 ? nil : ImageDamage(what: .empty, path: path)
  }

  /// The length of an image in bytes; 0 if it is missing.
  public func size(of image: Stored) -> Int {
    var found = stat()
    return stat(data + "/" + image.path, &found) == 0 ? Int(found.st_size) : 0
  }

  /// Where a room's images are, if it has any.
  public func folder(of room: RoomID) -> String { "\(folder)/\(room)" }

  /// Whether the file of an image exists.
  public func isThere(_ image: Stored) -> Bool { access(data + "/" + image.path, F_OK) == 0 }

  /// Which of the images that rooms name are missing.
  public func missing(of named: Set<Stored>) -> [ImageDamage] {
    guard !named.isEmpty else { return [] }
    let absent = named.map { data + "/" + $0.path }.filter { access($0, F_OK) != 0 }.sorted()
    let folders =
      access(folder, F_OK) == 0 ? [] : [ImageDamage(what: .noFolder, path: folder)]
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
