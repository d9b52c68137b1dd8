import EventLogFormat

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Clocks, and the machine's own limits, measured in the same run as the figures that are compared with them.
enum Clock {
  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Processor time of the whole process, in seconds.
  static var cpu: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Bytes passed to write calls by this process so far; zero where the system does not tell.
  static var bytesWritten: Int {
    guard let file = fopen("/proc/self/io", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if text.hasPrefix("wchar: ") { return Int(text.dropFirst(7).filter(\.isNumber)) ?? 0 }
    }
    return 0
  }
}

struct Sample: Sendable {
  private var values: [Double] = []
  mutating func add(_ value: Double) { values.append(value) }
  mutating func add(_ other: Sample) { values += other.values }
  mutating func quantile(_ q: Double) -> Double {
    guard !values.isEmpty else { return 0 }
    values.sort()
    return values[min(values.count - 1, Int(q * Double(values.count)))]
  }
  var count: Int { values.count }
}

/// A file that is overwritten in place and synced after each write: no commit can be faster.
struct RawDisk {
  private let file: Int32
  private let path: String
  private var at = 0
  private let size = 16 << 20
  private var page = [UInt8](repeating: 0x5a, count: 256 << 10)

  init(folder: String) {
    path = folder + "/raw"
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    for _ in 0..<size >> 20 { _ = write(file, zeros, zeros.count) }
    fsync(file)
  }

  /// Seconds that one write of `bytes` and its sync take.
  mutating func commit(bytes: Int) -> Double {
    let rounded = min(page.count, max(4096, (bytes + 4095) & ~4095))
    if at + rounded > size { at = 0 }
    page[0] &+= 1
    let began = Clock.now
    _ = pwrite(file, page, rounded, off_t(at))
    #if canImport(Glibc)
      fdatasync(file)
    #else
      fsync(file)
    #endif
    at += rounded
    return Clock.now - began
  }

  func end() {
    close(file)
    unlink(path)
  }
}

enum Machine {
  /// Bytes a second of plain reading of a file that is in the page cache.
  static func read(_ path: String) -> Double {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var best = 0.0
    for _ in 0..<3 {
      let file = open(path, O_RDONLY | O_CLOEXEC)
      defer { close(file) }
      let began = Clock.now
      var total = 0
      while true {
        let count = Glibc_read(file, &buffer, buffer.count)
        if count <= 0 { break }
        total += count
      }
      best = max(best, Double(total) / (Clock.now - began))
    }
    return best
  }

  private static func Glibc_read(_ file: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    #if canImport(Glibc)
      Glibc.read(file, buffer, count)
    #else
      Darwin.read(file, buffer, count)
    #endif
  }
}
