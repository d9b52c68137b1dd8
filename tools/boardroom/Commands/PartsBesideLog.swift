import BoardroomAccess
import BoardroomHTTP
import BoardroomModel
import BoardroomServer
import EventLogModel
import Foundation

/// Copies the parts of a store besides its logs into another folder.
struct PartsBesideLog {
  private let folder: String
  private let images: ImageCheck

  init(of store: FolderOption) throws { (folder, images) = (store.folder, try store.images()) }

  /// Copies the key file, so that tokens stay valid.
  func copyKey(to target: String) throws {
    for name in Self.keys where FileManager.default.fileExists(atPath: folder + "/" + name) {
      try FileManager.default.copyItem(atPath: folder + "/" + name, toPath: target + "/" + name)
    }
  }

  /// The keys that sign tokens, and the key that signs archives.
  private static let keys = [KeyFile.name, SigningKey.name]

  /// Copies the key files over older ones. An old file stays until the new one is whole.
  func updateKey(in target: String) throws {
    for name in Self.keys {
      guard let key = FileManager.default.contents(atPath: folder + "/" + name) else { continue }
      let path = target + "/" + name
      guard FileManager.default.contents(atPath: path) != key else { continue }
      try NewFolder.write(Array(key), to: path + ".new")
      guard rename(path + ".new", path) == 0 else {
        throw Failure(.io, "\(path) cannot be written: \(String(cString: strerror(errno)))", at: path)
      }
    }
  }

  /// Fails if the other folder has keys of another server: tokens that were given out with them would be void.
  func refuseOtherKeys(in target: String) throws {
    for name in Self.keys {
      let path = target + "/" + name
      guard let other = FileManager.default.contents(atPath: path),
        let key = FileManager.default.contents(atPath: folder + "/" + name), key != other
      else { continue }
      throw Failure(
        .cannotCreate, "\(path) has other keys than \(folder).",
        "Name an empty folder with --files, or move that file away.", at: path, code: "otherKeys")
    }
  }

  static func removeImages(of room: RoomID, in target: String) throws {
    if let failure = ImageFolder(in: target).removeAll(of: room) { throw failure }
  }

  /// Removes from the copy the images of a room that are missing at the source, because they were erased.
  func removeErasedImages(of room: RoomID, in target: String) throws {
    let here: Set<ImageCheck.Stored>
    do throws(ImageDamage) { here = Set(try images.all()) } catch {
      // Where images cannot be listed, none is taken for erased.
      throw Failure(.io, "\(error).", "Try again.")
    }
    for image in try ImageCheck(folder: target).all() where image.room == room && !here.contains(image) {
      try FileManager.default.removeItem(atPath: target + "/" + image.path)
    }
  }

  /// Copies images that rooms name; they must be there (IMG-3). Returns those that were left out.
  func copyImages(_ named: Set<ImageCheck.Stored>, to target: String) throws -> [ImageDamage] {
    images.missing(of: named) + (try addImages(to: target).damages)
  }

  /// Copies the images that the copy does not have in their whole length, and compares each with its name.
  /// Returns their number, and those that were left out.
  func addImages(to target: String) throws -> (added: Int, damages: [ImageDamage]) {
    try addImages(to: ImageCheck(folder: target)) { image, bytes in
      do { try NewFolder.write(bytes, to: target + "/" + image.path) } catch {
        throw Failure(
          .io, "\(target)/\(image.path) cannot be written: \(NewFolder.reason(error))", at: target)
      }
    }
  }

  /// The same where a copy's images are not files.
  func addImages(to target: ImageCheck) throws -> (added: Int, damages: [ImageDamage]) {
    try addImages(to: target) { image, bytes in
      do throws(ImageDamage) { try target.put(bytes, as: image) } catch {
        throw Failure(.io, "An image cannot be stored: \(error).", "Try again: what is there stays.")
      }
    }
  }

  private func addImages(
    to copied: ImageCheck, _ put: (ImageCheck.Stored, [UInt8]) throws -> Void
  ) throws -> (added: Int, damages: [ImageDamage]) {
    var (added, damages): (Int, [ImageDamage]) = (0, [])
    let all: [ImageCheck.Stored]
    do throws(ImageDamage) { all = try images.all() } catch { return (0, [error]) }
    for image in all {
      try Task.checkCancellation()
      let size = images.size(of: image)
      guard size == 0 || size != copied.size(of: image) else { continue }
      let bytes: [UInt8]
      do throws(ImageDamage) { bytes = try images.read(image) } catch {
        // An image that was removed since is not damaged.
        if error.what != .missing { damages.append(error) }
        continue
      }
      try put(image, bytes)
      added += 1
    }
    return (added, damages)
  }
}
