import CSQLite

/// What SQLite's connections of one process share besides their files: locks, and the memory of the write-ahead log's index.
/// Belongs to whoever has the turn.
///
/// The memory is nobody's file: every process that is the first to open a database makes its index anew, from the log.
final class DatabaseLocks: @unchecked Sendable {
  typealias Owner = ObjectIdentifier

  final class SharedMemory {
    var regions: [UnsafeMutableRawPointer] = []
    var users: Set<Owner> = []
    var shared = [Set<Owner>](repeating: [], count: Int(SQLITE_SHM_NLOCK))
    var exclusive = [Owner?](repeating: nil, count: Int(SQLITE_SHM_NLOCK))

    deinit { for region in regions { region.deallocate() } }
  }

  private var levels: [String: [Owner: Int32]] = [:]
  private var memories: [String: SharedMemory] = [:]

  // MARK: Files

  /// Raises a connection's lock of a file; false when another's is in the way.
  func raise(_ path: String, _ owner: Owner, to level: Int32) -> Bool {
    let others = (levels[path] ?? [:]).filter { $0.key != owner }.values
    let mine = levels[path]?[owner] ?? SQLITE_LOCK_NONE
    guard mine < level else { return true }
    switch level {
    case SQLITE_LOCK_SHARED: if others.contains(where: { $0 >= SQLITE_LOCK_PENDING }) { return false }
    case SQLITE_LOCK_RESERVED: if others.contains(where: { $0 >= SQLITE_LOCK_RESERVED }) { return false }
    default:
      if others.contains(where: { $0 >= SQLITE_LOCK_RESERVED }) { return false }
      if !others.isEmpty {
        levels[path]?[owner] = SQLITE_LOCK_PENDING
        return false
      }
    }
    levels[path, default: [:]][owner] = level
    return true
  }

  func lower(_ path: String, _ owner: Owner, to level: Int32) {
    levels[path]?[owner] = level == SQLITE_LOCK_NONE ? nil : level
  }

  func isReserved(_ path: String) -> Bool {
    levels[path]?.values.contains { $0 >= SQLITE_LOCK_RESERVED } ?? false
  }

  // MARK: Memory

  /// A region of a database's memory; nil where there is none and none is to be made.
  func region(_ path: String, _ owner: Owner, _ index: Int, bytes: Int, extend: Bool)
    -> UnsafeMutableRawPointer?
  {
    let memory = memories[path] ?? SharedMemory()
    memories[path] = memory
    memory.users.insert(owner)
    guard extend || index < memory.regions.count else { return nil }
    while memory.regions.count <= index {
      let region = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
      region.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
      memory.regions.append(region)
    }
    return memory.regions[index]
  }

  /// Takes or gives back locks on the memory; false when another's is in the way.
  func lock(_ path: String, _ owner: Owner, _ slots: Range<Int>, _ flags: Int32) -> Bool {
    guard let memory = memories[path] else { return false }
    if flags & SQLITE_SHM_UNLOCK != 0 {
      for slot in slots {
        memory.shared[slot].remove(owner)
        if memory.exclusive[slot] == owner { memory.exclusive[slot] = nil }
      }
      return true
    }
    let isExclusive = flags & SQLITE_SHM_EXCLUSIVE != 0
    for slot in slots {
      if let other = memory.exclusive[slot], other != owner { return false }
      if isExclusive, memory.shared[slot].contains(where: { $0 != owner }) { return false }
    }
    for slot in slots {
      if isExclusive { memory.exclusive[slot] = owner } else { memory.shared[slot].insert(owner) }
    }
    return true
  }

  /// A connection leaves; with the last one the memory goes.
  func leave(_ path: String, _ owner: Owner) {
    guard let memory = memories[path] else { return }
    _ = lock(path, owner, 0..<Int(SQLITE_SHM_NLOCK), SQLITE_SHM_UNLOCK)
    memory.users.remove(owner)
    if memory.users.isEmpty { memories[path] = nil }
  }
}
