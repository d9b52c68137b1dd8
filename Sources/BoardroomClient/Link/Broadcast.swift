import Logging

/// Hands values to any number of `BufferedStream`s. Each keeps at most `limit` that were not read yet; then the
/// oldest go, so that a reader who stopped costs a bounded amount of memory, and the reader is told how many.
package final class Broadcast<Element: Sendable>: Sendable {
  private struct Listeners {
    var open: [UInt64: WeakBuffer<Element>] = [:]
    var last: UInt64 = 0
    var isFinished = false
    /// What a new stream begins with; nil: with what comes.
    var present: Element?
  }

  private let listeners: Guarded<Listeners>
  private let limit: Int
  private let name: String
  private let log: Logger
  private let join: (@Sendable (_ older: Element, _ newer: Element) -> Element)?

  /// - Parameters:
  ///   - limit: How many unread values one stream keeps.
  ///   - name: What the log calls the streams.
  ///   - present: What a stream begins with until another value is sent. Nil: streams begin with what comes.
  ///   - logger: Is told when a stream drops something for the first time.
  ///   - join: Makes one value of the two oldest, so that none is dropped; nil: the oldest is dropped.
  package init(
    limit: Int, name: String = "events", present: Element? = nil, logger: Logger = ClientLog.silent,
    join: (@Sendable (_ older: Element, _ newer: Element) -> Element)? = nil
  ) {
    (self.limit, self.name, log, self.join) = (limit, name, logger, join)
    listeners = Guarded(Listeners(present: present))
  }

  /// Nothing more comes.
  deinit { finish() }

  package var stream: BufferedStream<Element> {
    let buffer = StreamBuffer(limit: limit, join: join)
    listeners.with { listeners in
      if let present = listeners.present { _ = buffer.add(present) }
      guard !listeners.isFinished else { return buffer.finish() }
      listeners.last += 1
      let number = listeners.last
      listeners.open[number] = WeakBuffer(buffer: buffer)
      buffer.whenGone { [weak self] in self?.listeners.with { _ = $0.open.removeValue(forKey: number) } }
    }
    return BufferedStream(buffer, limit: limit)
  }

  /// `present`: what a stream begins with from here on, where this is kept; nil: with `element`.
  package func send(_ element: Element, present: Element? = nil) {
    // Under the lock, so that whoever begins to listen meanwhile gets each value once. The streams are let go of after it: the
    // last owner of one takes it off the list.
    let (open, isFirstLoss) = listeners.with { listeners in
      if listeners.present != nil { listeners.present = present ?? element }
      let open = listeners.open.values.compactMap(\.buffer)
      var isFirstLoss = false
      for buffer in open {
        if buffer.add(element) { isFirstLoss = true }
      }
      return (open, isFirstLoss)
    }
    withExtendedLifetime(open) {}
    guard isFirstLoss else { return }
    log.warning(
      "A reader is too slow: the oldest values that it has not read are dropped.",
      metadata: [
        ClientLog.Key.stream: "\(name)", ClientLog.Key.limit: "\(limit)",
      ])
  }

  /// What a stream begins with from here on; nobody is told.
  package func note(present: Element) { listeners.with { $0.present = present } }

  package func finish() {
    let open = listeners.with { listeners in
      listeners.isFinished = true
      let open = listeners.open.values.compactMap(\.buffer)
      listeners.open = [:]
      return open
    }
    for buffer in open { buffer.finish() }
  }
}

private struct WeakBuffer<Element: Sendable>: Sendable {
  weak var buffer: StreamBuffer<Element>?
}
