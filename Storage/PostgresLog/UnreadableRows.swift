import EventLogModel

/// Finds what lies behind rows that the server cannot read.
enum UnreadableRows {
  /// What `ask` gives for the least key that it does not fail for, as nearly as that can be found: rows are unreadable page by page,
  /// and those of one page follow one another. Nil where it fails for every key.
  ///
  /// - Parameters:
  ///   - key: it fails for this one.
  ///   - ask: gives the first row behind a key, or that there is none. Throws `damaged` where it cannot be read.
  static func first<Value>(
    behind key: UInt64, _ ask: (UInt64) throws(LogError) -> Value
  ) throws(LogError) -> Value? {
    func attempt(_ key: UInt64) throws(LogError) -> Value? {
      do throws(LogError) { return try ask(key) } catch {
        guard case .damaged = error else { throw error }
        return nil
      }
    }
    let limit = UInt64(Int64.max)
    var (low, step, found) = (key, 1 as UInt64, nil as Value?)
    var high = low
    while found == nil {
      guard step < limit, low < limit - step else { return nil }
      high = low + step
      found = try attempt(high)
      if found == nil { (low, step) = (high, step * 2) }
    }
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if let nearer = try attempt(middle) { (high, found) = (middle, nearer) } else { low = middle }
    }
    return found
  }
}
