import BoardroomAccess
import BoardroomModel
import EventLogModel
import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The images of boards as files: `images/ROOM/NAME` in the data folder.
package final class ImageFolder: ImagePlace {
  /// Its name in the data folder.
  static let name = "images"

  /// `…/images`; made when the first image comes.
  let folder: String
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

  /// - Parameter data: the data folder.
  package init(in data: String) { folder = data + "/" + Self.name }

  package var description: String { folder }

  package func path(of name: ImageName, in room: RoomID) -> String { "\(folder)/\(room)/\(name)" }

  package var isThere: Bool { access(folder, F_OK) == 0 }

  package func read(_ name: ImageName, in room: RoomID) -> Result<[UInt8]?, ImageFailure> {
    Self.read(path(of: name, in: room))
  }

  package func about(_ name: ImageName, in room: RoomID) -> Result<ListedImage?, ImageFailure> {
    var found = stat()
    guard stat(path(of: name, in: room), &found) == 0 else {
      return errno == ENOENT || errno == ENOTDIR
        ? .success(nil) : .failure(.io(operation: "stat", code: errno))
    }
    let about = Self.about(path(of: name, in: room))
    return .success(about.map { ListedImage(room: room, name: name, bytes: $0.bytes, put: $0.put) })
  }

  package func page(after last: String?, limit: Int) -> Result<[ListedImage], ImageFailure> {
    let (room, name) = (last?.prefix(32) ?? "", last?.dropFirst(33) ?? "")
    var page: [ListedImage] = []
    do throws(PlainFile.Failure) {
      for place in try PlainFile.names(in: folder) where place >= room {
        guard page.count < limit else { break }
        guard let found = RoomID(place) else { continue }
        for file in try PlainFile.names(in: "\(folder)/\(place)") where place > room || file > name {
          guard page.count < limit else { break }
          guard let image = ImageName(file), let about = Self.about("\(folder)/\(place)/\(file)") else {
            continue
          }
          page.append(ListedImage(room: found, name: image, bytes: about.bytes, put: about.put))
        }
      }
    } catch { return .failure(Self.failure(error)) }
    return .success(page)
  }

  private static func failure(_ failure: PlainFile.Failure) -> ImageFailure {
    switch failure {
    case .io(let operation, _, let code): .io(operation: operation, code: code)
    }
  }

  /// Nil if there is no such file.
  private static func about(_ path: String) -> (bytes: Int, put: Timestamp)? {
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

  package func rooms() -> Result<[RoomID], ImageFailure> {
    do throws(PlainFile.Failure) {
      return .success(try PlainFile.names(in: folder).compactMap { RoomID($0) })
    } catch { return .failure(Self.failure(error)) }
  }

  package func remove(_ name: ImageName, of room: RoomID) -> ImageFailure? {
    guard unlink(path(of: name, in: room)) == 0 else {
      return errno == ENOENT || errno == ENOTDIR ? nil : .io(operation: "unlink", code: errno)
    }
    tallies.withLock { $0[room] = nil }
    sync("\(folder)/\(room)")
    return nil
  }

  package func removeAll(of room: RoomID) -> ImageFailure? {
    let path = "\(folder)/\(room)"
    guard access(path, F_OK) == 0 else { return nil }
    do { try FileManager.default.removeItem(atPath: path) } catch {
      return .io(operation: "remove", code: EIO)
    }
    tallies.withLock { $0[room] = nil }
    sync(folder)
    return nil
  }

  // MARK: Setting aside

  private static let aside = ".aside"

  package func setAside(
    _ images: Set<String>, unlessPutAfter time: Timestamp
  ) -> Result<Set<String>, ImageFailure> {
    let moved = images.filter { image in
      let path = "\(folder)/\(image)"
      guard rename(path, path + Self.aside) == 0 else { return false }
      // The time is read after the file was renamed: a put from here on writes the file again.
      guard let put = Self.about(path + Self.aside)?.put, put <= time else {
        rename(path + Self.aside, path)
        return false
      }
      return true
    }
    return .success(moved)
  }

  package func bringBack(_ images: Set<String>?) -> ImageFailure? {
    let all = images ?? Self.setAside(in: folder)
    for path in all.map({ "\(folder)/\($0)" }) { rename(path + Self.aside, path) }
    return nil
  }

  private static func setAside(in folder: String) -> Set<String> {
    var found: Set<String> = []
    // What cannot be listed now is brought back by the next start.
    for room in (try? PlainFile.names(in: folder)) ?? [] {
      for name in (try? PlainFile.names(in: "\(folder)/\(room)")) ?? [] where name.hasSuffix(aside) {
        found.insert("\(room)/\(name.dropLast(aside.count))")
      }
    }
    return found
  }

  package func removeAside(_ images: Set<String>) -> Result<Set<String>, ImageFailure> {
    let removed = images.filter { image in
      let path = "\(folder)/\(image)\(Self.aside)"
      guard let size = Self.about(path)?.bytes, unlink(path) == 0 else { return false }
      if let room = RoomID(String(image.prefix(32))) { tallies.withLock { $0[room]?.giveBack(size) } }
      return true
    }
    for room in Set(images.map { $0.prefix(32) }) { sync("\(folder)/\(room)") }
    return .success(removed)
  }

  // MARK: Files

  package func put(
    _ bytes: [UInt8], as name: ImageName, in room: RoomID, _ limits: ImageLimits
  ) -> ImageFailure? {
    let place = "\(folder)/\(room)"
    let path = "\(place)/\(name)"
    if access(path, F_OK) == 0, let mended = mended(bytes, room, path) { return mended.failure }
    for made in [folder, place] where mkdir(made, 0o700) != 0 && errno != EEXIST {
      return .io(operation: "mkdir", code: errno)
    }
    if let failure = reserve(bytes.count, in: room, place, limits) { return failure }
    let part = "\(path).\(UInt32.random(in: 0 ... .max)).part"
    if let failure = fill(part, bytes) {
      unlink(part)
      endReservation(of: room) { $0.giveBack(bytes.count) }
      return failure
    }
    var failure: ImageFailure?
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
    if let failure { return failure }
    for changed in [place, folder] { sync(changed) }
    return nil
  }

  /// What became of an image that was there already.
  private struct Mended {
    var failure: ImageFailure?
  }

  /// An image that is there already stays, unless it is damaged: then putting the same image again replaces
  /// it. Nil if it was set aside in the meantime, because nothing named it (LOG-32).
  private func mended(_ bytes: [UInt8], _ room: RoomID, _ path: String) -> Mended? {
    if case .success(bytes) = Self.read(path) {
      // The time of the file becomes that of this put.
      return utimensat(AT_FDCWD, path, nil, 0) == 0 ? Mended() : nil
    }
    let part = "\(path).\(UInt32.random(in: 0 ... .max)).part"
    if let failure = fill(part, bytes) {
      unlink(part)
      return Mended(failure: failure)
    }
    guard rename(part, path) == 0 else {
      let code = errno
      unlink(part)
      return Mended(failure: .io(operation: "rename", code: code))
    }
    sync("\(folder)/\(room)")
    return Mended()
  }

  // MARK: Counting

  /// Reserves room for one image of so many bytes. Returns the failure if there is none.
  private func reserve(
    _ bytes: Int, in room: RoomID, _ place: String, _ limits: ImageLimits
  ) -> ImageFailure? {
    tallies.withLock { tallies in
      if tallies.count >= Self.kept, tallies[room] == nil {
        tallies = tallies.filter { $0.value.underWay > 0 }
      }
      var tally = tallies[room] ?? Self.tally(of: place)
      defer { tallies[room] = tally }
      let after = (bytes: tally.bytes + bytes, count: tally.count + 1)
      if let failure = limits.failure(bytes: after.bytes, count: after.count) { return failure }
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

  private func fill(_ path: String, _ bytes: [UInt8]) -> ImageFailure? {
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

  private static func read(_ path: String) -> Result<[UInt8]?, ImageFailure> {
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
