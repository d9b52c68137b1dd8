import EventLogModel

/// Copies of files that are about to be given up because parts of them are damaged: `damaged/<ms since
/// 1970>-<name>` in the data folder. The store does not read, change or remove them again: they are for a
/// later repair.
struct DamagedParts {
  static let name = "damaged"

  let disk: any Disk
  let folder: String
  private let time = WallClock.milliseconds

  init(disk: any Disk, folder: String) {
    self.disk = disk
    self.folder = folder
  }

  /// Copies a file of the folder, durably, and returns the copy's name below the data folder; `nil` where there is no
  /// such file. Without space for the copy nothing may be given up: throws `full`.
  func keep(_ path: String) throws(LogError) -> String? {
    let source: any DiskFile
    do throws(LogError) { source = try disk.open(path, create: false, readOnly: true) } catch {
      guard case .io(_, _, ErrorNumber.noEntry) = error else { throw error }
      return nil
    }
    defer { source.close() }
    let name = "\(Self.name)/\(time)-\(path.split(separator: "/").last ?? "")"
    do throws(LogError) {
      try disk.makeFolder(folder + "/" + Self.name)
      let copy = try disk.open(folder + "/" + name, create: true, readOnly: false)
      defer { copy.close() }
      try copy.write(try source.readAll(), at: 0)
      try copy.flush()
      try disk.flushFolder(folder + "/" + Self.name)
      try disk.flushFolder(folder)
    } catch {
      throw ErrorNumber.asFull(error, in: folder)
    }
    return name
  }
}

extension Damage {
  /// The same damage, with the place of the copy in its text.
  func kept(as copy: String) -> Damage {
    var other = self
    other.what += "; a copy of the file is \(copy)"
    return other
  }
}
