import BoardroomHTTP
import BoardroomServer
import EventLog
import Foundation
import Logging
import NIOPosix

/// Images in a node's folder, from before a database kept them.
struct FileImages {
  private let folder: ImageFolder

  init(in folder: ImageFolder) { self.folder = folder }

  /// Puts all of them into another place, and gives the folder another name then. Returns how many there were. Blocks. A
  /// call that was cut short is done again by the next one.
  func move(to target: any ImagePlace) throws -> Int {
    let (files, images) = (ImageCheck(of: folder), ImageCheck(of: target))
    let all = try files.all()
    for image in all {
      do throws(ImageDamage) { try images.put(try files.read(image), as: image) } catch {
        switch error.what {
        // Nobody could be shown it either.
        case .damaged, .empty, .missing: continue
        case .noFolder, .unreadable:
          throw Failure(
            .io, "An image cannot be brought into the database: \(error).",
            "Start again: what is there already stays.")
        }
      }
    }
    let (old, new) = ("\(folder)", "\(folder).moved")
    guard rename(old, new) == 0 else {
      throw Failure(.io, "\(old) cannot be renamed: \(String(cString: strerror(errno)))", at: old)
    }
    return all.count
  }
}

extension ServeCommand {
  /// What the database keeps for all nodes. Images that are files of this node, from before there were tables for them, are
  /// brought there first.
  static func beside(
    _ store: any ServedStore, of database: Database, _ settings: ServerSettings, _ logger: Logger
  ) async throws -> BesideLogs {
    let beside = try database.beside(store)
    let folder = ImageFolder(in: settings.folder)
    guard folder.isThere else { return beside }
    let moved = try await beside.threads.runIfActive { try FileImages(in: folder).move(to: beside.images) }
    logger.notice("images were brought into the database", metadata: ["images": "\(moved)"])
    return beside
  }
}
