import NodeCore

// The sealer: blocks of what is in frames, then the frame tables that nothing needs. A model of `SealWriter`, `SealedHalf`
// and `FrameSegments`; which table may be emptied is `SegmentTurn`'s.

extension ClusterNode {
  /// A transaction behind a door: it begins with the check of its fence, and is done once more where its outcome is not
  /// known.
  ///
  /// - Parameters:
  ///   - reads: what it reads under its locks, at its beginning.
  ///   - writes: what it writes then, with the locks for it. Nil: it stops there.
  ///   - done: whether it was carried out.
  func transaction(
    _ door: Door, purpose: Int, tag: String, attempt: Int = 1,
    reads: @escaping (TablesModel) -> Void, locks: @escaping () -> [LockWish] = { [] },
    writes: @escaping (TablesModel) -> [TablesModel.Write]?, done: @escaping (Bool) -> Void
  ) {
    door.connected(isPatient: false) { [self] connection in
      guard let connection else { return done(false) }
      let (incarnation, link) = (incarnation, Int(door.link))
      var isOpen = false
      let begin = SessionRequest(
        tag: tag, wishes: [.share(.fence(incarnation, purpose: purpose))],
        body: { tables in
          guard let row = tables.incarnations[incarnation]?.fences[purpose], row.link == link, !row.isFenced
          else { return .writes([]) }
          isOpen = true
          reads(tables)
          return .writes([])
        }, ends: false)
      let again = { [self] in
        door.drop()
        guard attempt < 2 else { return done(false) }
        transaction(
          door, purpose: purpose, tag: tag, attempt: attempt + 1, reads: reads, locks: locks, writes: writes,
          done: done)
      }
      connection.ask(begin, limit: ClusterLife.patience) { [self] answer in
        switch meaning(answer) {
        case .carriedOut: break
        case .passes: return done(false)
        case .refused(let state): return end(.stopped("\(tag) was refused: \(state)"))
        case .unknown: return again()
        }
        guard isOpen else { return end(.fenced) }
        var isDone = false
        let finish = SessionRequest(
          tag: tag, wishes: locks(),
          body: { tables in
            guard let found = writes(tables) else { return .refused("stop") }
            isDone = true
            return .writes(found)
          })
        connection.ask(finish, limit: ClusterLife.patience) { [self] answer in
          switch meaning(answer) {
          case .carriedOut: done(isDone)
          case .passes: done(false)
          case .refused(let state):
            guard state != "stop" else { return done(false) }
            end(.stopped("\(tag) was refused: \(state)"))
          case .unknown: again()
          }
        }
      }
    }
  }

  /// Seals all that is committed now, or the logs that wait longest; `done` is told whether nothing of it is left.
  func seal(_ done: ((Bool) -> Void)? = nil) {
    if let done { sealWaiters.append(done) }
    guard isServing, !isSealing, !isDead else { return }
    isSealing = true
    let waiters = sealWaiters
    sealWaiters = []
    sealPortion(isWhole: !waiters.isEmpty) { [self] isDone in
      isSealing = false
      for waiter in waiters { waiter(isDone) }
      if !sealWaiters.isEmpty { seal() }
      commit()
    }
  }

  private func sealPortion(isWhole: Bool, _ done: @escaping (Bool) -> Void) {
    // Now and then a log stays unsealed for longer than others, and its segment is kept for it.
    let late = isWhole || life.dice.isLucky(2, in: 3) ? nil : life.dice.pick(held.keys.sorted())
    let portion = unsealed.map(\.part).filter { $0.log != late }
    guard !portion.isEmpty else {
      return retire(upTo: unsealed.map(\.segment).min() ?? segment) { done(true) }
    }
    let write = { [self] (next: @escaping () -> Void) in
      writeBlocks(portion) { [self] isDone in
        guard isDone else { return done(false) }
        let keys = Set(portion.map { [$0.log, $0.first] })
        unsealed.removeAll { keys.contains([$0.part.log, $0.part.first]) }
        next()
      }
    }
    guard life.planted != .truncatedBeforeBlocks else {
      return retire(upTo: segment) { write { done(true) } }
    }
    write { [self] in retire(upTo: unsealed.map(\.segment).min() ?? segment) { done(true) } }
  }

  private func writeBlocks(_ portion: [FramePart], _ done: @escaping (Bool) -> Void) {
    let logs = Set(portion.map(\.log)).sorted()
    var ends: [Int: Int] = [:]
    transaction(
      seals, purpose: 1, tag: "seal",
      reads: { tables in for log in logs { ends[log] = tables.logs[log].events.count } },
      locks: { logs.map { .alone(.log($0)) } },
      writes: { [self] _ in
        var writes: [TablesModel.Write] = []
        for log in logs {
          guard let start = ends[log] else { continue }
          var fresh: [ClientEvent] = []
          for part in portion where part.log == log {
            let next = start + fresh.count + 1
            guard part.first <= next else {
              process.run { [self] in
                end(.stopped("log \(log) has a gap between blocks and frames at \(next)"))
              }
              return nil
            }
            fresh += part.events.dropFirst(next - part.first)
          }
          if !fresh.isEmpty { writes.append(.blocks(log: log, after: start, fresh)) }
        }
        return writes
      }, done: done)
  }

  /// Empties the tables of all segments before one.
  private func retire(upTo end: Int, _ done: @escaping () -> Void) {
    let next = Int(turn.oldestInUse)
    guard next < end else { return done() }
    let table = TablesModel.table(slot: slot, segment: next)
    turn.beginRetiring(UInt64(next))
    transaction(
      seals, purpose: 1, tag: "truncate", reads: { _ in }, locks: { [.alone(.table(table))] },
      writes: { [self] _ in
        if losesEmptying, framesInSegment == 0 {
          losesEmptying = false
          life.cutAll(self)
        }
        return [.truncate(table: table)]
      },
      done: { [self] isDone in
        guard isDone else { return done() }
        turn.retire(UInt64(next))
        retire(upTo: end, done)
      })
  }

  /// The sealer's clock.
  func sealOn() {
    process.after(life.dice.number(150...500) * 1_000) { [self] in
      if life.dice.isLucky(3, in: 4) { seal() }
      sealOn()
    }
  }
}
