import BoardroomHosting
import BoardroomVersion
import EventLogModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What an operator asks of a running program besides its metrics: its version, its start, and how much space
/// its disk has.
package struct ServerFacts: Sendable {
  /// The version of the product; a test compares it with the newest heading of CHANGELOG.md.
  package static let version = ProductVersion.current

  /// The data folder.
  let data: String
  package let started: Timestamp

  package init(data: String, started: Timestamp = .wallClock) {
    self.data = data
    self.started = started
  }

  /// When the program's file was written: tells one build from another.
  static let build: Timestamp? = {
    var found = stat()
    guard stat("/proc/self/exe", &found) == 0 else { return nil }
    #if canImport(Darwin)
      return Timestamp(milliseconds: Int64(found.st_mtimespec.tv_sec) * 1_000)
    #else
      return Timestamp(milliseconds: Int64(found.st_mtim.tv_sec) * 1_000)
    #endif
  }()

  /// Bytes that this user can still write to the data folder's disk; nil if the system does not say.
  package var diskFree: Int? {
    var found = statvfs()
    guard statvfs(data, &found) == 0 else { return nil }
    return Int(clamping: UInt64(found.f_bavail) &* UInt64(found.f_frsize))
  }

  /// One fact in each line, for the answer of `/readyz`.
  var lines: [String] {
    var lines = ["version \(Self.version)"]
    if let build = Self.build { lines.append("build \(build.iso8601)") }
    lines.append("started \(started.iso8601)")
    if let diskFree { lines.append("disk free \(diskFree) bytes") }
    return lines
  }
}
