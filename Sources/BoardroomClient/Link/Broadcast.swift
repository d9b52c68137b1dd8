/// Hands values to any number of `AsyncStream`s. Each keeps at most `limit` that were not read yet; then the
/// oldest go, so that a reader who stopped costs a bounded amount of memory.
final class Broadcast<Element: Sendable>: Sendable {
  private struct Listeners {
    var open: [UInt64: AsyncStream<Element>.Continuation] = [:]
    var last: UInt64 = 0
    var isFinished = false
  }

  private let listeners = Guarded(Listeners())
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  var stream: AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: .bufferingNewest(limit))
    let number: UInt64? = listeners.with { listeners in
      guard !listeners.isFinished else { return nil }
      listeners.last += 1
      listeners.open[listeners.last] = continuation
      return listeners.last
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.listeners.with { _ = $0.open.removeValue(forKey: number) }
    }
    return stream
  }

  func send(_ element: Element) {
    let open = listeners.with { Array($0.open.values) }
    for continuation in open { continuation.yield(element) }
  }

  func finish() {
    let open = listeners.with { listeners in
      listeners.isFinished = true
      let open = Array(listeners.open.values)
      listeners.open = [:]
      return open
    }
    for continuation in open { continuation.finish() }
  }
}
