#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What the operating system reports of this process, under the names that Prometheus's own clients use.
enum ProcessSamples {
  static func taken() -> [MetricSample] {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
    #else
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #endif
    var samples = [
      MetricSample(
        "process_cpu_seconds_total", .counter, seconds(usage.ru_utime) + seconds(usage.ru_stime),
        help: "CPU time used, user and system.")
    ]
    if let bytes = residentBytes() {
      samples.append(MetricSample("process_resident_memory_bytes", .gauge, bytes, help: "Memory in use."))
    }
    return samples
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
  }

  /// The second number of Linux's `statm`, in pages; nil where there is no such file.
  private static func residentBytes() -> Double? {
    guard let file = fopen("/proc/self/statm", "r") else { return nil }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 128)
    guard fgets(&text, Int32(text.count), file) != nil else { return nil }
    let numbers = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      .split(separator: " ")
    return numbers.count > 1 ? Double(numbers[1]).map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) } : nil
  }
}
