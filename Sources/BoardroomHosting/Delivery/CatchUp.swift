import BoardroomCodec
import BoardroomModel
import EventLogModel

/// A cursor on its way to the present, of a member or of somebody who watches a replay: what it sends next, and why it
/// stops. When it goes on, and what is read from the log, is its host's.
struct CatchUp {
  /// Everything up to here has been sent.
  var cursor: Revision
  /// Where the catch-up that was announced ends, until `live` has been said there; nil afterwards, and for a
  /// member that was live already and has only fallen behind.
  var announcedEnd: Revision?
  var snapshot: SnapshotSending?
  /// A piece is on its way out, or a read of the log under way.
  var isBusy = false

  /// Why it does not go on by itself.
  enum Halt {
    /// A piece is on its way out.
    case sent
    /// The loop has sent enough for this turn.
    case turnSpent
    /// What comes next is in the log only.
    case needsLog
    /// All was sent: from here on events are delivered as they come.
    case arrived
  }

  /// What went out.
  struct Sent {
    /// Parts of a snapshot, or events.
    var pieces = false
    /// That the announced end is reached.
    var live = false
  }

  /// Sends one piece, as far as it need not be read from the log. What fits into one goes out at once, up to live.
  /// - Parameters:
  ///   - present: there is nothing to be sent after it yet.
  ///   - tail: the events after a revision, up to another, from memory; nil: they are not all there any more.
  mutating func advance(
    over line: ConnectionOutput, upTo present: Revision, piece: Int, _ wire: WireMessages, _ turns: Turns,
    tail: (_ after: Revision, _ through: Revision) -> (last: Revision, bytes: SharedBytes)?
  ) -> (halt: Halt, sent: Sent) {
    var (budget, sent) = (piece, Sent())
    isBusy = true
    while budget > 0 {
      guard !turns.isSpent else { return (.turnSpent, sent) }
      if var sending = snapshot {
        budget -= send(sending.messages.message(sending.sent, in: line.subprotocol), over: line, turns)
        sending.sent += 1
        snapshot = sending.sent < sending.messages.count ? sending : nil
        sent.pieces = true
      } else if let end = announcedEnd, cursor >= end {
        line.send(wire.bytes(of: .live(end), in: line.subprotocol))
        announcedEnd = nil
        sent.live = true
      } else if announcedEnd == nil, cursor >= present {
        isBusy = false
        return (.arrived, sent)
      } else if let next = tail(cursor, announcedEnd ?? present) {
        budget -= send(next.bytes, over: line, turns)
        cursor = next.last
        sent.pieces = true
      } else {
        return (.needsLog, sent)
      }
    }
    return (.sent, sent)
  }

  /// Sends what was read from the log after its cursor. False: nothing of it could be sent.
  mutating func send(
    _ messages: inout [(StoredPiece, EncodedOnce)], of room: RoomID, over line: ConnectionOutput,
    upTo present: Revision, _ wire: WireMessages, _ turns: Turns, store: any LogStore
  ) -> Bool {
    let (first, through) = (cursor, announcedEnd ?? present)
    for index in messages.indices {
      let piece = messages[index].0
      guard piece.last > through else {
        _ = send(messages[index].1.bytes(in: line.subprotocol), over: line, turns)
        cursor = piece.last
        continue
      }
      // It reaches beyond where this catch-up was said to end, or what has been shown: the rest is news.
      if let run = piece.run(of: room, through: through, in: store) {
        _ = send(wire.run(run, in: line.subprotocol), over: line, turns)
        cursor = through
      }
      break
    }
    return cursor > first
  }

  private func send(_ bytes: SharedBytes, over line: ConnectionOutput, _ turns: Turns) -> Int {
    line.send(bytes)
    turns.spend(bytes.count)
    return bytes.count
  }
}

/// A snapshot and how many of its messages have been sent; message 0 is the root.
struct SnapshotSending {
  let messages: SnapshotMessages
  var sent = 0
}
