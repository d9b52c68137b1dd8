import NodeCore

// The journal: one frame under way, and each frame once. The steps are those of `FrameWriting`.

extension ClusterNode {
  static let framesPerSegment = 3

  /// Begins the next group commit, if there is something to commit and none is under way.
  func commit() {
    guard isServing, !isCommitting, !isDead else { return }
    let logs = held.values.filter { $0.events.count > $0.taken }.sorted { $0.number < $1.number }
    guard !logs.isEmpty else { return }
    if framesInSegment >= Self.framesPerSegment {
      guard turn.isFree(UInt64(segment + 1)) else { return waitForRoom() }
      (segment, framesInSegment) = (segment + 1, 0)
      if losesEmptying {
        commits.open?.delaysNext = 300_000
        process.after(0) { [self] in seal { _ in } }
      }
    }
    var parts: [FramePart] = []
    for log in logs {
      parts.append(FramePart(log: log.number, first: log.taken + 1, events: Array(log.events[log.taken...])))
      log.taken = log.events.count
    }
    let frame = FrameRow(incarnation: incarnation, number: nextFrame, segment: segment, parts: parts)
    (isCommitting, committingSince) = (true, life.clock.now)
    writing.begin()
    write(frame)
  }

  /// The sealer commits again when it has made room.
  private func waitForRoom() {
    guard !isWaitingForRoom else { return }
    isWaitingForRoom = true
    process.after(20_000) { [self] in
      isWaitingForRoom = false
      seal { _ in }
    }
  }

  private func write(_ frame: FrameRow) {
    commits.connected(isPatient: true) { [self] connection in
      guard let connection else { return }
      switch writing.next(link: commits.link) {
      case .askForLast: askForLast(frame, connection)
      case .look: look(frame, connection)
      case .insert: insert(frame, connection)
      case .done: committed(frame)
      case .fenced: end(.fenced)
      case .setBack: end(.stopped("the database lacks frame \(frame.number - 1), which it had acknowledged"))
      }
    }
  }

  /// Asks, and goes on with the next step whatever comes of it.
  private func ask(
    _ request: SessionRequest, for frame: FrameRow, _ connection: Connection,
    _ carriedOut: @escaping () -> Void
  ) {
    connection.ask(request, limit: ClusterLife.silence) { [self] answer in
      switch meaning(answer) {
      case .carriedOut:
        carriedOut()
        write(frame)
      case .passes:
        writing.failed(.refused)
        process.after(100_000) { [self] in write(frame) }
      case .refused(let state): end(.stopped("frame \(frame.number) was refused: \(state)"))
      case .unknown:
        writing.failed(.unknown)
        commits.drop()
        write(frame)
      }
    }
  }

  private func askForLast(_ frame: FrameRow, _ connection: Connection) {
    let name = FrameName(incarnation: incarnation, number: frame.number - 1)
    let last = lastSegment
    let table = TablesModel.table(slot: slot, segment: last)
    let (slot, oldest) = (slot, turn.oldestInUse)
    var (isFound, hasReturned, isOpen) = (false, false, false)
    let request = SessionRequest(
      tag: "last",
      body: { tables in
        isFound = tables.frames[table]?[name] != nil
        let first = tables.frames(of: name.incarnation, slot: slot).first
        hasReturned = first.map { UInt64($0.segment) < oldest } ?? false
        isOpen = tables.incarnations[name.incarnation]?.fences.contains { $0.isFenced } == false
        return .writes([])
      })
    ask(request, for: frame, connection) { [self] in
      let isGone =
        life.planted == .emptyingUnseen ? turn.isRetired(UInt64(last)) : turn.mayBeEmpty(UInt64(last))
      let isThere = (isFound || isGone) && !hasReturned
      writing.askedForLast(isThere: isThere, isOpen: isOpen, link: commits.link)
    }
  }

  /// The segment of the frame before the present one.
  private var lastSegment: Int { framesInSegment == 0 ? segment - 1 : segment }

  private func look(_ frame: FrameRow, _ connection: Connection) {
    let table = TablesModel.table(slot: slot, segment: frame.segment)
    var isThere = false
    let request = SessionRequest(
      tag: "look",
      body: { tables in
        isThere = tables.frames[table]?[frame.name] != nil
        return .writes([])
      })
    ask(request, for: frame, connection) { [self] in writing.looked(isThere: isThere) }
  }

  private func insert(_ frame: FrameRow, _ connection: Connection) {
    let table = TablesModel.table(slot: slot, segment: frame.segment)
    let (incarnation, link, life, server) = (incarnation, Int(commits.link), life, connection.session.server)
    let slot = slot
    var hasRow = false
    var wishes: [LockWish] = [.share(.table(table))]
    if life.planted != .noShare { wishes.append(.share(.fence(incarnation, purpose: 0))) }
    wishes.append(.alone(.frame(incarnation, frame.number)))
    let request = SessionRequest(
      tag: "frame", wishes: wishes,
      body: { tables in
        guard let row = tables.incarnations[incarnation]?.fences[0] else { return .writes([]) }
        guard row.link == link || [.noLinkCompared, .noNewLink].contains(life.planted) else {
          return .writes([])
        }
        guard !row.isFenced || life.planted == .noFence else { return .writes([]) }
        guard tables.frames[table]?[frame.name] == nil else { return .refused("23505") }
        hasRow = true
        // What an old primary takes that goes on is answered by nobody.
        guard server === life.database.acting else { return .writes([.frame(table: table, frame)]) }
        let fold = FrameFold(tables.frames(of: incarnation, slot: slot) + [frame], over: tables)
        if let damage = fold.damage {
          life.fault("over: incarnation \(incarnation) writes over what is lost: \(damage)")
        }
        for part in frame.parts where tables.logs[part.log].owner != incarnation {
          life.fault(
            "writer: incarnation \(incarnation) writes log \(part.log), which is of \(tables.logs[part.log].owner.map(String.init) ?? "nobody")"
          )
        }
        return .writes([.frame(table: table, frame)])
      })
    ask(request, for: frame, connection) { [self] in writing.inserted(hasRow: hasRow) }
  }

  private func committed(_ frame: FrameRow) {
    isCommitting = false
    nextFrame += 1
    framesInSegment += 1
    for part in frame.parts {
      guard let log = held[part.log] else { continue }
      log.durable = part.first + part.events.count - 1
      unsealed.append((frame.segment, part))
      tell(log)
    }
    commitWaiters.forEach { $0() }
    commit()
  }
}
