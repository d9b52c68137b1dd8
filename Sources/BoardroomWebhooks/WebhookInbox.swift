import BoardroomHosting
import BoardroomModel
import EventLogModel
import Synchronization

/// Notes that an endpoint's sender has not read yet, at most one for each room. It also wakes the sender.
final class WebhookInbox: Sendable {
  fileprivate struct State {
    var notes: [RoomID: WebhookNote] = [:]
    /// Whether the sender has to be woken.
    var isRung = false
    var isClosed = false
    var sleeper: CheckedContinuation<Void, Never>?
    /// When the timer that was started last fires.
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

  /// Adds notes. If none of them is wanted, the sender is not woken.
  func put(_ notes: [(RoomID, WebhookNote)]) {
    let sleeper = state.withLock { state -> CheckedContinuation<Void, Never>? in
      for (room, note) in notes {
        if state.notes[room] != nil { state.notes[room]!.join(note) } else { state.notes[room] = note }
      }
      return notes.contains { $0.1.isWanted } ? state.ring() : nil
    }
    sleeper?.resume()
  }

  func takeNotes() -> [(RoomID, WebhookNote)] {
    let notes = state.withLock { state in
      defer { state.notes = [:] }
      return state.notes
    }
    return notes.sorted { $0.key < $1.key }
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Tells the sender to end.
  func close() {
    state.withLock { state in
      state.isClosed = true
      return state.ring()
    }?.resume()
  }

  /// Waits for a note, at the latest until `time`. May return early.
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
