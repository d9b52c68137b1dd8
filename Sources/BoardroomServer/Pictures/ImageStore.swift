import BoardroomModel
import Crypto
import EventLogModel
import NIOPosix

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The images of boards as files: `images/ROOM/NAME` in the data folder. Blocking calls run on NIO's threads
/// for that.
struct ImageStore: Sendable {
  /// Whether a call failed for want of space.
  static func isFull(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT }

  /// Its name in the data folder.
  static let folderName = "images"

  enum Failure: Error, Sendable, Hashable {
    case full(actual: Int, allowed: Int)
    case io(operation: String, code: Int32)
  }

  /// `…/images`; made when the first image comes.
  let folder: String
  /// Bytes of all images of one room.
  let roomLimit: Int
  private let threads = NIOThreadPool.singleton

  init(inFolder data: String, roomLimit: Int) {
    folder = data + "/" + Self.folderName
    self.roomLimit = roomLimit
  }

  /// Durable when it returns.
  func put(_ bytes: [UInt8], kind: ImageKind, in room: RoomID) async throws -> ImageName {
    try await threads.runIfActive { try write(bytes, kind, room).get() }
  }

  /// Nil if there is none.
  func image(_ name: ImageName, in room: RoomID) async throws -> [UInt8]? {
    try await threads.runIfActive { try read("\(folder)/\(room)/\(name)").get() }
  }

  // MARK: Files

  private func write(_ bytes: [UInt8], _ kind: ImageKind, _ room: RoomID) -> Result<ImageName, Failure> {
    let name = ImageName(digest: TokenText.hex(SHA256.hash(data: bytes)), kind: kind)
    let place = "\(folder)/\(room)"
    let path = "\(place)/\(name)"
    guard access(path, F_OK) != 0 else { return .success(name) }
    for made in [folder, place] where mkdir(made, 0o700) != 0 && errno != EEXIST {
      return .failure(.io(operation: "mkdir", code: errno))
    }
    let total = size(of: place) + bytes.count
    guard total <= roomLimit else { return .failure(.full(actual: total, allowed: roomLimit)) }
    let part = "\(path).\(UInt32.random(in: 0 ... .max)).part"
    if let failure = fill(part, bytes) {
      unlink(part)
      return .failure(failure)
    }
    guard rename(part, path) == 0 else { return .failure(.io(operation: "rename", code: errno)) }
    for changed in [place, folder] { sync(changed) }
    return .success(name)
  }

  private func fill(_ path: String, _ bytes: [UInt8]) -> Failure? {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    guard file >= 0 else { return .io(operation: "open", code: errno) }
    defer { close(file) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { part in
        systemWrite(file, part.baseAddress! + written, bytes.count - written)
      }
      guard count > 0 else { return .io(operation: "write", code: errno) }
      written += count
    }
    return fsync(file) == 0 ? nil : .io(operation: "fsync", code: errno)
  }

  private func sync(_ folder: String) {
    let file = open(folder, O_RDONLY)
    guard file >= 0 else { return }
    fsync(file)
    close(file)
  }

  private func read(_ path: String) -> Result<[UInt8]?, Failure> {
    guard let file = fopen(path, "r") else {
      return errno == ENOENT || errno == ENOTDIR
        ? .success(nil) : .failure(.io(operation: "open", code: errno))
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let count = fread(&piece, 1, piece.count, file)
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return ferror(file) == 0 ? .success(bytes) : .failure(.io(operation: "read", code: errno))
  }

  private func size(of place: String) -> Int {
    guard let entries = opendir(place) else { return 0 }
    defer { closedir(entries) }
    var total = 0
    while let entry = readdir(entries) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      var found = stat()
      if stat("\(place)/\(name)", &found) == 0, found.st_mode & S_IFMT == S_IFREG {
        total += Int(found.st_size)
      }
    }
    return total
  }
}

private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  write(file, bytes, count)
}
