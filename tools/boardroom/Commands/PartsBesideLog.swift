import BoardroomServer
import EventLogModel
import Foundation

/// What a data folder has besides its log, copied into another one.
struct PartsBesideLog {
  private let folder: String

  init(of folder: String) { self.folder = folder }

  /// Tokens that were given out stay good.
  func copyKey(to target: String) throws {
    let key = folder + "/" + KeyFile.name
    guard FileManager.default.fileExists(atPath: key) else { return }
    try FileManager.default.copyItem(atPath: key, toPath: target + "/" + KeyFile.name)
  }

  /// Each is compared with its name on the way, and what rooms name has to be there (IMG-3). Returns what was left out.
  func copyImages(_ named: Set<ImageCheck.Stored>, to target: String) throws -> [ImageDamage] {
    let check = ImageCheck(folder: folder)
    var damages = check.missing(of: named)
    for image in check.all() {
      try Task.checkCancellation()
      let bytes: [UInt8]
      do throws(ImageDamage) { bytes = try check.read(image) } catch {
        damages.append(error)
        continue
      }
      do { try NewFolder.write(bytes, to: target + "/" + image.path) } catch {
        throw Failure(.io, "\(target)/\(image.path) cannot be written: \(NewFolder.reason(error))")
      }
    }
    return damages
  }
}
