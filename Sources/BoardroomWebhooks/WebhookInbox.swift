import BoardroomHosting
import BoardroomModel
import EventLogModel
import Synchronization

/// What an endpoint's sender has not heard yet: at most one note for each room. Also what wakes it.
final class WebhookInbox: Sendable {
  fileprivate struct State {
    var notes: [RoomID: WebhookNote] = [:]
    /// Something happened that is worth waking up for.
    var isRung = false
    var isClosed = false
    var sleeper: CheckedContinuation<Void, Never>?
    /// When the timer that was started last goes off.
    var alarm: Timestamp?
  }

  private let state = Mutex(State())
  private let timer: any RoomLoop
  private let clock: @Sendable () -> Timestamp

  /// - Parameter timer: its delays wake the sender; nothing else runs there.
  init(timer: any RoomLoop, clock: @escaping @Sendable () -> Timestamp) {
    self.timer = timer
    self.clock = clock
  }

  /// Notes of which none is wanted wake nobody.
  func put(_ notes: [(RoomID, WebhookNote)]) {
    let sleeper = state.withLock { state -> CheckedContinuation<Void, Never>? in
      for (room, note) in notes {
        if state.notes[room] != nil { state.notes[room]!.join(note) } else { state.notes[room] = note }
      }
      return notes.contains { $0.1.isWanted } ? state.ring() : nil
    }
    sleeper?.resume()
  }

  func take() -> [(RoomID, WebhookNote)] {
    let notes = state.withLock { state in
      defer { state.notes = [:] }
      return state.notes
    }
    return notes.sorted { $0.key < $1.key }
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// The sender is to end.
  func close() {
    state.withLock { state in
      state.isClosed = true
      return state.ring()
    }?.resume()
  }

  /// Until something is heard, or until this time at the latest. May return early.
  func wait(until time: Timestamp?) async {
    if let time { setAlarm(time) }
    await withCheckedContinuation { continuation in
      let isRung = state.withLock { state -> Bool in
        if !state.isRung, !state.isClosed { state.sleeper = continuation }
        defer { state.isRung = false }
        return state.isRung || state.isClosed
      }
      if isRung { continuation.resume() }
    }
  }

  private func setAlarm(_ time: Timestamp) {
    let isNew = state.withLock { state -> Bool in
      if let alarm = state.alarm, alarm <= time { return false }
      state.alarm = time
      return true
    }
    guard isNew else { return }
    timer.execute(after: max(.zero, time - clock())) { [weak self] in self?.goOff(time) }
  }

  private func goOff(_ time: Timestamp) {
    state.withLock { state in
      if state.alarm == time { state.alarm = nil }
      return state.ring()
    }?.resume()
  }
}

extension WebhookInbox.State {
  fileprivate mutating func ring() -> CheckedContinuation<Void, Never>? {
    isRung = sleeper == nil
    defer { sleeper = nil }
    return sleeper
  }
}
