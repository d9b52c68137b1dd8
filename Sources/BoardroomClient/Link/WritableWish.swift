/// Whether the app wants to write. It outlives the session. While answers to `setWritable` are still to come, only the
/// server knows who may.
struct WritableWish {
  private(set) var wantsToWrite: Bool
  private var answersToCome = 0

  init(_ wantsToWrite: Bool) { self.wantsToWrite = wantsToWrite }

  var isSettled: Bool { answersToCome == 0 }

  mutating func ask(_ wantsToWrite: Bool) {
    self.wantsToWrite = wantsToWrite
    answersToCome += 1
  }

  mutating func noteAnswer() { answersToCome -= 1 }
}
