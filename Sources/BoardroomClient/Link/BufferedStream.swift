/// Values that come one after the other, such as events or phases. A reader who is slow has up to ``limit`` of them waiting; then the
/// oldest are dropped, and the stream tells how many: iterate ``markingDrops`` to hear of it in the place where they are missing.
///
///     for await part in room.events.markingDrops {
///       switch part {
///       case .element(let event): show(event)
///       case .dropped(let count): await reload()
///       }
///     }
///
/// Each access to a property such as ``WhiteRoom/events`` makes a stream of its own, which gets what comes from then on. A task that is
/// cancelled reads to the end at once.
public struct BufferedStream<Element: Sendable>: AsyncSequence, Sendable {
  /// It never fails.
  public typealias Failure = Never

  private let buffer: StreamBuffer<Element>
  /// How many values wait for a slow reader at most.
  public let limit: Int

  init(_ buffer: StreamBuffer<Element>, limit: Int) { (self.buffer, self.limit) = (buffer, limit) }

  /// How many values were dropped so far.
  public var droppedCount: Int { buffer.droppedCount }

  /// The same values, and between them how many are missing there.
  public var markingDrops: MarkedStream<Element> { MarkedStream(buffer: buffer) }

  /// Reads the values.
  public func makeAsyncIterator() -> ElementIterator { ElementIterator(buffer: buffer) }

  /// Reads the values of one stream, one after the other.
  public struct ElementIterator: AsyncIteratorProtocol {
    let buffer: StreamBuffer<Element>

    /// The next value, once there is one; nil at the end, and where the task is cancelled.
    public mutating func next() async -> Element? { await next(isolation: nil) }

    /// The same, on the actor of whoever asks.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      while let part = await buffer.next(isolation: actor) {
        if case .element(let element) = part { return element }
      }
      return nil
    }
  }
}

/// A value of a stream, or how many are missing in its place.
public enum StreamPart<Value: Sendable>: Sendable {
  /// A value.
  case element(Value)
  /// So many values were dropped here, because the reader was slow.
  case dropped(Int)
}

/// The values of a ``BufferedStream``, and between them how many are missing there.
public struct MarkedStream<Value: Sendable>: AsyncSequence, Sendable {
  /// It never fails.
  public typealias Failure = Never

  let buffer: StreamBuffer<Value>

  /// Reads the parts.
  public func makeAsyncIterator() -> PartIterator { PartIterator(buffer: buffer) }

  /// Reads the parts of one stream, one after the other.
  public struct PartIterator: AsyncIteratorProtocol {
    let buffer: StreamBuffer<Value>

    /// The next part, once there is one; nil at the end, and where the task is cancelled.
    public mutating func next() async -> StreamPart<Value>? { await next(isolation: nil) }

    /// The same, on the actor of whoever asks.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> StreamPart<Value>? {
      await buffer.next(isolation: actor)
    }
  }
}

/// What one stream has not read yet.
final class StreamBuffer<Element: Sendable>: Sendable {
  private struct State {
    /// The oldest is at `first`; what is before it was read.
    var values: [Element] = []
    var first = 0
    /// How many are missing before the oldest.
    var missing = 0
    var dropped = 0
    var isFinished = false
    var readers: [(number: UInt64, continuation: CheckedContinuation<StreamPart<Element>?, Never>)] = []
    var lastReader: UInt64 = 0
    var whenGone: @Sendable () -> Void = {}

    var count: Int { values.count - first }

    mutating func takeOldest() -> Element {
      let oldest = values[first]
      first += 1
      // The places of what was read are given back now and then, so that each is moved a bounded number of times.
      if first * 2 >= values.count {
        values.removeFirst(first)
        first = 0
      }
      return oldest
    }

    mutating func take() -> StreamPart<Element>? {
      if missing > 0 {
        defer { missing = 0 }
        return .dropped(missing)
      }
      return count > 0 ? .element(takeOldest()) : nil
    }
  }

  private let state = Guarded(State())
  private let limit: Int
  private let join: (@Sendable (Element, Element) -> Element)?

  init(limit: Int, join: (@Sendable (Element, Element) -> Element)?) {
    (self.limit, self.join) = (limit, join)
  }

  deinit { state.with { $0.whenGone }() }

  func whenGone(_ work: @escaping @Sendable () -> Void) { state.with { $0.whenGone = work } }

  var droppedCount: Int { state.with { $0.dropped } }

  /// True: this is the first time that one is dropped.
  func add(_ element: Element) -> Bool {
    let (reader, isFirstLoss) = state.with {
      state -> (CheckedContinuation<StreamPart<Element>?, Never>?, Bool) in
      guard !state.isFinished else { return (nil, false) }
      if !state.readers.isEmpty { return (state.readers.removeFirst().continuation, false) }
      state.values.append(element)
      guard state.count > limit else { return (nil, false) }
      let oldest = state.takeOldest()
      if let join {
        state.values[state.first] = join(oldest, state.values[state.first])
        return (nil, false)
      }
      state.missing += 1
      state.dropped += 1
      return (nil, state.dropped == 1)
    }
    reader?.resume(returning: .element(element))
    return isFirstLoss
  }

  func finish() {
    let readers = state.with { state in
      state.isFinished = true
      defer { state.readers = [] }
      return state.readers.map(\.continuation)
    }
    for reader in readers { reader.resume(returning: nil) }
  }

  /// The next part, once there is one; nil at the end, and where the task is cancelled.
  func next(isolation actor: isolated (any Actor)?) async -> StreamPart<Element>? {
    let number = state.with { state in
      state.lastReader += 1
      return state.lastReader
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.with { state -> StreamPart<Element>?? in
          if let part = state.take() { return part }
          if state.isFinished || Task.isCancelled { return .some(nil) }
          state.readers.append((number, continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let reader = state.with { state -> CheckedContinuation<StreamPart<Element>?, Never>? in
        guard let place = state.readers.firstIndex(where: { $0.number == number }) else { return nil }
        return state.readers.remove(at: place).continuation
      }
      reader?.resume(returning: nil)
    }
  }
}
