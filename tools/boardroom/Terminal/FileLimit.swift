import Foundation

/// How many files this process may have open at once.
enum FileLimit {
  /// Raises the limit as far as the system allows, and returns it.
  static func raised() -> Int {
    #if canImport(Darwin)
      let files = RLIMIT_NOFILE
    #else
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    var limit = rlimit()
    guard getrlimit(files, &limit) == 0 else { return 256 }
    let before = limit.rlim_cur
    limit.rlim_cur = limit.rlim_max
    let now = setrlimit(files, &limit) == 0 ? limit.rlim_cur : before
    return now > UInt64(Int32.max) ? Int(Int32.max) : Int(now)
  }
}
