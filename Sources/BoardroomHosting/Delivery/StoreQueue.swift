import EventLogModel

/// The way from a loop to the log store and back: a few calls at once, answers on the loop.
final class StoreQueue {
  let store: any LogStore
  private let loop: any RoomLoop
  private let executor: (any TaskExecutor)?
  private let limit: Int
  private var underWay = 0
  private var waiting: [() -> Void] = []
  private var idleCalls: [() -> Void] = []

  /// - Parameter executor: where the calls run; nil for the global one, which is the right place for a store
  ///   that blocks. Tests give one that they turn by hand.
  init(store: any LogStore, loop: any RoomLoop, executor: (any TaskExecutor)?, limit: Int) {
    self.store = store
    self.loop = loop
    self.executor = executor
    self.limit = limit
  }

  /// Asks the store; `answer` is called on the loop in a later turn. Questions are begun in order.
  func ask<Value: Sendable>(
    _ question: @escaping @Sendable (any LogStore) async throws(LogError) -> Value,
    then answer: @escaping (Result<Value, LogError>) -> Void
  ) {
    guard underWay < limit else {
      waiting.append { [unowned self] in begin(question, then: answer) }
      return
    }
    begin(question, then: answer)
  }

  private func begin<Value: Sendable>(
    _ question: @escaping @Sendable (any LogStore) async throws(LogError) -> Value,
    then answer: @escaping (Result<Value, LogError>) -> Void
  ) {
    underWay += 1
    let (store, loop) = (store, loop)
    let reply = Confined((storeQueue: self, answer: answer), to: loop)
    Task(executorPreference: executor) {
      let result: Result<Value, LogError>
      do throws(LogError) {
        result = .success(try await question(store))
      } catch {
        result = .failure(error)
      }
      loop.execute {
        reply.value.answer(result)
        reply.value.storeQueue.ended()
      }
    }
  }

  private func ended() {
    underWay -= 1
    if !waiting.isEmpty { waiting.removeFirst()() }
    guard underWay == 0 else { return }
    let calls = idleCalls
    idleCalls = []
    for call in calls { call() }
  }

  /// Calls back once no question is open: at once if none is.
  func whenIdle(_ call: @escaping () -> Void) {
    if underWay == 0 { call() } else { idleCalls.append(call) }
  }
}
