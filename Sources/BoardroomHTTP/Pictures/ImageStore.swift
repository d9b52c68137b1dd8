import BoardroomAccess
import BoardroomModel
import EventLogModel
import Foundation
import NIOPosix
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The images of boards as files: `images/ROOM/NAME` in the data folder. Blocking calls run on NIO's thread
/// pool.
package final class ImageStore: Sendable {
  /// Whether a call failed for lack of space.
  static func isFull(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT }

  /// Its name in the data folder.
  static let folderName = "images"

  enum Failure: Error, Sendable, Hashable {
    case full(actual: Int, allowed: Int, limit: String)
    case io(operation: String, code: Int32)
    /// The bytes do not have the SHA-256 that the name says.
    case damaged(ImageName)
  }

  /// `…/images`; made when the first image comes.
  let folder: String
  /// Bytes of all images of one room.
  let roomLimit: Int
  /// Images of one room.
  let countLimit: Int
  private let threads = NIOThreadPool.singleton
  private let tallies = Mutex<[RoomID: Tally]>([:])

  /// How many images and bytes a room has. Its folder is read once; then each change is counted (BOUND-8).
  private struct Tally {
    var bytes = 0
    var count = 0
    /// Puts that are under way; the numbers include them already.
    var underWay = 0

    mutating func giveBack(_ size: Int) {
      bytes -= size
      count -= 1
    }
  }

  /// How many rooms' numbers are kept in memory. 4,096 take some 300 KiB; for other rooms the folder is read
  /// again.
  private static let kept = 4_096

  package init(inFolder data: String, roomLimit: Int, countLimit: Int = .max) {
    folder = data + "/" + Self.folderName
    self.roomLimit = roomLimit
    self.countLimit = countLimit
  }

  /// Durable when it returns.
  func put(_ bytes: [UInt8], kind: ImageKind, in room: RoomID) async throws -> ImageName {
    try await threads.runIfActive { [self] in try write(bytes, kind, room).get() }
  }

  /// Nil if there is none. The bytes are hashed at each read, so that wrong bytes are never sent (IMG-1):
  /// when a disk flips a bit, the file's time does not show it.
  func image(_ name: ImageName, in room: RoomID) async throws -> [UInt8]? {
    try await threads.runIfActive { [self] in
      guard let bytes = try Self.read("\(folder)/\(room)/\(name)").get() else { return nil }
      guard name.stands(for: bytes) else { throw Failure.damaged(name) }
      return bytes
    }
  }

  /// An image that is there.
  package struct ListedImage: Sendable, Hashable {
    package var room: RoomID
    package var name: ImageName
    package var bytes: Int
    /// When it was last put, also if it was there already.
    package var put: Timestamp
  }

  /// At most `limit` images of all rooms, in the order of rooms and names, after the one named `room/name`.
  package func page(after last: String?, limit: Int) async -> [ListedImage] {
    let page = try? await threads.runIfActive { [folder] in
      let (room, name) = (last?.prefix(32) ?? "", last?.dropFirst(33) ?? "")
      var page: [ListedImage] = []
      for place in PlainFile.names(in: folder) where place >= room {
        guard page.count < limit else { break }
        guard let found = RoomID(place) else { continue }
        for file in PlainFile.names(in: "\(folder)/\(place)") where place > room || file > name {
          guard page.count < limit else { break }
          guard let image = ImageName(file), let about = Self.about("\(folder)/\(place)/\(file)") else {
            continue
          }
          page.append(ListedImage(room: found, name: image, bytes: about.bytes, put: about.put))
        }
      }
      return page
    }
    return page ?? []
  }

  /// Nil if there is no such file.
  static func about(_ path: String) -> (bytes: Int, put: Timestamp)? {
    var found = stat()
    guard stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return nil }
    #if canImport(Darwin)
      let time = found.st_mtimespec
    #else
      let time = found.st_mtim
    #endif
    let put = Timestamp(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    return (Int(found.st_size), put)
  }

  /// Rooms that have a folder.
  package func rooms() async -> [RoomID] {
    let names = try? await threads.runIfActive { [folder] in
      try FileManager.default.contentsOfDirectory(atPath: folder)
    }
    return (names ?? []).compactMap { RoomID($0) }
  }

  /// Removes all images of a room, to which no more may be put. What cannot be removed now is removed by the
  /// next call.
  package func removeAll(of room: RoomID) async {
    _ = try? await threads.runIfActive { [self] in
      try FileManager.default.removeItem(atPath: "\(folder)/\(room)")
      tallies.withLock { $0[room] = nil }
      sync(folder)
    }
  }

  // MARK: Setting aside

  private static let aside = ".aside"

  /// Moves images, named `room/name`, out of their places, except those that were put after `time`. Returns
  /// those that were moved.
  package func setAside(_ images: Set<String>, unlessPutAfter time: Timestamp) async -> Set<String> {
    let taken = try? await threads.runIfActive { [folder] in
      images.filter { image in
        let path = "\(folder)/\(image)"
        guard rename(path, path + Self.aside) == 0 else { return false }
        // The time is read after the file was renamed: a put from here on writes the file again.
        guard let put = Self.about(path + Self.aside)?.put, put <= time else {
          rename(path + Self.aside, path)
          return false
        }
        return true
      }
    }
    return taken ?? []
  }

  /// Moves images back to their places. Without names, all that were set aside, as a killed process leaves
  /// them.
  package func bringBack(_ images: Set<String>? = nil) async {
    _ = try? await threads.runIfActive { [folder] in
      let all = images ?? Self.setAside(in: folder)
      for path in all.map({ "\(folder)/\($0)" }) { rename(path + Self.aside, path) }
    }
  }

  private static func setAside(in folder: String) -> Set<String> {
    var found: Set<String> = []
    for room in PlainFile.names(in: folder) {
      for name in PlainFile.names(in: "\(folder)/\(room)") where name.hasSuffix(aside) {
        found.insert("\(room)/\(name.dropLast(aside.count))")
      }
    }
    return found
  }

  /// Removes images that were set aside.
  package func removeAside(_ images: Set<String>) async {
    _ = try? await threads.runIfActive { [self] in
      for image in images {
        let path = "\(folder)/\(image)\(Self.aside)"
        guard let size = Self.about(path)?.bytes, unlink(path) == 0 else { continue }
        if let room = RoomID(String(image.prefix(32))) { tallies.withLock { $0[room]?.giveBack(size) } }
      }
      for room in Set(images.map { $0.prefix(32) }) { sync("\(folder)/\(room)") }
    }
  }

  // MARK: Files

  private func write(_ bytes: [UInt8], _ kind: ImageKind, _ room: RoomID) -> Result<ImageName, Failure> {
    let name = ImageName(of: bytes, kind: kind)
    let place = "\(folder)/\(room)"
    let path = "\(place)/\(name)"
    if access(path, F_OK) == 0, let result = mended(bytes, name, room, path) { return result }
    for made in [folder, place] where mkdir(made, 0o700) != 0 && errno != EEXIST {
      return .failure(.io(operation: "mkdir", code: errno))
    }
    if let failure = reserve(bytes.count, in: room, place) { return .failure(failure) }
    let part = "\(path).\(UInt32.random(in: 0 ... .max)).part"
    if let failure = fill(part, bytes) {
      unlink(part)
      endReservation(of: room) { $0.giveBack(bytes.count) }
      return .failure(failure)
    }
    var failure: Failure?
    endReservation(of: room) { tally in
      if access(path, F_OK) == 0 {
        // Another put has stored the same image in the meantime.
        unlink(part)
        tally.giveBack(bytes.count)
      } else if rename(part, path) != 0 {
        failure = .io(operation: "rename", code: errno)
        unlink(part)
        tally.giveBack(bytes.count)
      }
    }
    if let failure { return .failure(failure) }
    for changed in [place, folder] { sync(changed) }
    return .success(name)
  }

  /// An image that is there already stays, unless it is damaged: then putting the same image again replaces
  /// it. Nil if it was set aside in the meantime, because nothing named it (LOG-32).
  private func mended(
    _ bytes: [UInt8], _ name: ImageName, _ room: RoomID, _ path: String
  ) -> Result<ImageName, Failure>? {
    if case .success(bytes) = Self.read(path) {
      // The time of the file becomes that of this put.
      return utimensat(AT_FDCWD, path, nil, 0) == 0 ? .success(name) : nil
    }
    let part = "\(path).\(UInt32.random(in: 0 ... .max)).part"
    if let failure = fill(part, bytes) {
      unlink(part)
      return .failure(failure)
    }
    guard rename(part, path) == 0 else {
      let code = errno
      unlink(part)
      return .failure(.io(operation: "rename", code: code))
    }
    sync("\(folder)/\(room)")
    return .success(name)
  }

  // MARK: Counting

  /// Reserves room for one image of so many bytes. Returns the failure if there is none.
  private func reserve(_ bytes: Int, in room: RoomID, _ place: String) -> Failure? {
    tallies.withLock { tallies in
      if tallies.count >= Self.kept, tallies[room] == nil {
        tallies = tallies.filter { $0.value.underWay > 0 }
      }
      var tally = tallies[room] ?? Self.tally(of: place)
      defer { tallies[room] = tally }
      guard tally.bytes + bytes <= roomLimit else {
        return .full(actual: tally.bytes + bytes, allowed: roomLimit, limit: "limits.roomImages")
      }
      guard tally.count < countLimit else {
        return .full(actual: tally.count + 1, allowed: countLimit, limit: "images")
      }
      tally.bytes += bytes
      tally.count += 1
      tally.underWay += 1
      return nil
    }
  }

  private func endReservation(of room: RoomID, _ end: (inout Tally) -> Void) {
    tallies.withLock { tallies in
      var tally = tallies[room] ?? Tally()
      tally.underWay -= 1
      end(&tally)
      tallies[room] = tally
    }
  }

  private func fill(_ path: String, _ bytes: [UInt8]) -> Failure? {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
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
    let file = open(folder, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    fsync(file)
    close(file)
  }

  static func read(_ path: String) -> Result<[UInt8]?, Failure> {
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

  /// Counts what the folder holds. No put is under way then, so files that a killed process did not finish
  /// are removed.
  private static func tally(of place: String) -> Tally {
    var tally = Tally()
    guard let entries = opendir(place) else { return tally }
    defer { closedir(entries) }
    while let entry = readdir(entries) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(".part") {
        unlink("\(place)/\(name)")
        continue
      }
      var found = stat()
      guard stat("\(place)/\(name)", &found) == 0, found.st_mode & S_IFMT == S_IFREG else { continue }
      tally.bytes += Int(found.st_size)
      tally.count += 1
    }
    return tally
  }
}

private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  write(file, bytes, count)
}
