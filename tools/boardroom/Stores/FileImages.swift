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

  /// What `move` has done.
  struct Outcome {
    /// Images that are in the other place now.
    var moved = 0
    /// Files that the system did not let it read. The folder keeps its name then, and the next call tries them again.
    var unreadable: [ImageDamage] = []
  }

  /// Puts all of them into another place, and gives the folder another name then. Blocks. A call that was cut short is done
  /// again by the next one. Throws if the other place does not take one, or the folder cannot be listed or renamed.
  func move(to target: any ImagePlace) throws -> Outcome {
    let (files, images) = (ImageCheck(of: folder), ImageCheck(of: target))
    var outcome = Outcome()
    for image in try files.all() {
      let bytes: [UInt8]
      do throws(ImageDamage) { bytes = try files.read(image) } catch {
        switch error.what {
        // Nobody could be shown it either.
        case .damaged, .empty, .missing: break
        case .noFolder, .unreadable: outcome.unreadable.append(error)
        }
        continue
      }
      do throws(ImageDamage) { try images.put(bytes, as: image) } catch {
        throw Failure(
          .io, "An image cannot be brought into the database: \(error).",
          "Start again: what is there already stays.")
      }
      outcome.moved += 1
    }
    if outcome.unreadable.isEmpty { try rename() }
    return outcome
  }

  /// To `images.moved`, or with a number behind it: an operator may have brought files back, and not removed those.
  private func rename() throws {
    let old = "\(folder)"
    let names = (1...).lazy.map { $0 == 1 ? old + ".moved" : "\(old).moved.\($0)" }
    guard let new = names.first(where: { access($0, F_OK) != 0 }) else { return }
    guard Foundation.rename(old, new) == 0 else {
      throw Failure(.io, "\(old) cannot be renamed: \(String(cString: strerror(errno)))", at: old)
    }
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
    let done = try await beside.threads.runIfActive { try FileImages(in: folder).move(to: beside.images) }
    if let first = done.unreadable.first {
      logger.error(
        "images cannot be read: they are not in the database",
        metadata: ["images": "\(done.unreadable.count)", "why": "\(first)"])
    }
    logger.notice("images were brought into the database", metadata: ["images": "\(done.moved)"])
    return beside
  }
}
