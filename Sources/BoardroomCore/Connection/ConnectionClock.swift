import BoardroomModel
import EventLogModel

// The clocks of the connection machine: silence, retries, limits.

extension ConnectionMachine {
  public enum TickAnswer: Sendable, Hashable {
    case nothing
    case open(LinkNumber)
    /// Too long a silence: give up the socket; a new outage begins.
    case reconnecting(EpisodeNumber)
    /// A socket that closed is not made up for in time: the outage is to be told, and its attempts go on.
    case suspected(EpisodeNumber)
    /// The attempt was silent for too long: give up its socket; the next one comes at the deadline.
    case retryLater
    /// Tell the app that the connection counts as lost (RTC's connectionDidLost); trying goes on.
    case lostNotice
    case over(ConnectionEnd)
  }

  /// Time has passed. Call it again until it answers `nothing`.
  public mutating func tick(chance: Double, at now: Timestamp) -> TickAnswer {
    switch state {
    case .idle, .over: return .nothing
    case .connecting(let episode):
      guard now < episode.began + policy.joinLimit else {
        return .over(finish(.joinLimit(after: policy.joinLimit, tries: episode.tries)))
      }
      return tickAttempt(episode, chance: chance, at: now)
    case .connected(_, let lastByte):
      guard now >= suspectTime(connected: lastByte) else { return .nothing }
      return .reconnecting(beginOutage(lastByte: lastByte, chance: chance, at: now))
    case .mending(let episode):
      guard now >= suspectTime(episode) else { return tickAttempt(episode, chance: chance, at: now) }
      state = .reconnecting(episode)
      return .suspected(episode.number)
    case .reconnecting(let episode): return tickOutage(episode, chance: chance, at: now)
    case .closing(_, let until): return now < until ? .nothing : .over(finish(.left))
    }
  }

  private mutating func tickOutage(_ episode: Episode, chance: Double, at now: Timestamp) -> TickAnswer {
    if let limit = policy.giveUpAfter, let time = giveUpTime(episode), now >= time {
      return .over(finish(.gaveUp(after: limit, tries: episode.tries)))
    }
    if let time = lostNoticeTime(episode), now >= time {
      var episode = episode
      episode.lostNoticeGiven = true
      state = .reconnecting(episode)
      return .lostNotice
    }
    return tickAttempt(episode, chance: chance, at: now)
  }

  private mutating func tickAttempt(_ episode: Episode, chance: Double, at now: Timestamp) -> TickAnswer {
    guard now >= attemptDeadline(episode) else { return .nothing }
    switch episode.attempt {
    case .waiting:
      var episode = episode
      let link = open(&episode, at: now)
      put(episode)
      return .open(link)
    case .opening:
      var episode = episode
      episode.unfit = 0
      switch retry(episode, chance: chance, at: now) {
      case .over(let end): return .over(end)
      case .ignore, .reconnecting, .retryLater: return .retryLater
      }
    }
  }

  func attemptDeadline(_ episode: Episode) -> Timestamp {
    switch episode.attempt {
    case .waiting(let until): until
    case .opening(_, let lastByte): lastByte + policy.suspectAfter
    }
  }

  func giveUpTime(_ episode: Episode) -> Timestamp? {
    guard let limit = policy.giveUpAfter else { return nil }
    switch policy.giveUpAnchor {
    case .reconnecting: return episode.began + limit
    case .lastByte: return episode.lastByte + limit
    }
  }

  func lostNoticeTime(_ episode: Episode) -> Timestamp? {
    guard let notice = policy.lostNotice, !episode.lostNoticeGiven else { return nil }
    return episode.lastByte + notice
  }

  /// A server that has announced its silence is suspected only when it lasts longer than that.
  func suspectTime(connected lastByte: Timestamp) -> Timestamp {
    max(lastByte, quietUntil) + policy.suspectAfter
  }

  func suspectTime(_ episode: Episode) -> Timestamp { episode.lastByte + policy.suspectAfter }

  mutating func beginMending(lastByte: Timestamp, chance: Double, at now: Timestamp) {
    episode += 1
    servers.advance()
    let wait = policy.retryDelay(after: 0, chance: chance)
    state = .mending(
      Episode(number: episode, began: now, lastByte: lastByte, attempt: .waiting(until: now + wait)))
  }

  mutating func beginOutage(lastByte: Timestamp, chance: Double, at now: Timestamp) -> EpisodeNumber {
    episode += 1
    servers.advance()
    let wait = policy.retryDelay(after: 0, chance: chance)
    state = .reconnecting(
      Episode(number: episode, began: now, lastByte: lastByte, attempt: .waiting(until: now + wait)))
    return episode
  }

  /// The outage that has begun just now is no fault: the server goes, or moves the room. Its first attempt comes soon.
  mutating func comeSoon(chance: Double, at now: Timestamp) {
    guard policy.sentOffWait > .zero else { return }
    switch state {
    case .mending(var episode), .reconnecting(var episode):
      episode.wasSentOff = true
      episode.attempt = .waiting(until: now + policy.sentOffDelay(chance: chance))
      put(episode)
    case .idle, .connecting, .connected, .closing, .over: break
    }
  }

  mutating func open(_ episode: inout Episode, at now: Timestamp) -> LinkNumber {
    lastLink += 1
    quietUntil = .zero
    episode.tries += 1
    episode.attempt = .opening(lastLink, lastByte: now)
    return lastLink
  }

  /// The attempt failed: waits for the next, for the next address, or ends where attempts are counted.
  mutating func retry(_ episode: Episode, chance: Double, at now: Timestamp) -> LossAnswer {
    let isEntry = episode.number == 0
    if let limit = isEntry ? policy.joinTries : policy.reconnectTries, episode.tries >= limit {
      let took = now - episode.began
      return .over(
        finish(isEntry ? .joinLimit(after: took, tries: limit) : .gaveUp(after: took, tries: limit)))
    }
    servers.advance()
    var episode = episode
    // The first entry has tried at once, and who was sent off has tried soon; their waits begin after that. Waits grow by rounds:
    // each server is asked as seldom as one alone would be.
    let waits = (isEntry || episode.wasSentOff ? episode.tries - 1 : episode.tries) / servers.count
    episode.attempt = .waiting(until: now + policy.retryDelay(after: waits, chance: chance))
    put(episode)
    return .retryLater
  }

  /// A server has named the address where the client is to go, before it was in: once in an episode that is the next attempt's,
  /// and at once.
  mutating func followAddress(to place: Int, at now: Timestamp) {
    switch state {
    case .connecting(var episode), .mending(var episode), .reconnecting(var episode):
      episode.wasSentOn = true
      episode.unfit = 0
      episode.attempt = .waiting(until: now)
      servers.go(to: place)
      put(episode)
    case .idle, .connected, .closing, .over: break
    }
  }

  private mutating func put(_ episode: Episode) {
    if isMending {
      state = .mending(episode)
    } else {
      state = episode.number == 0 ? .connecting(episode) : .reconnecting(episode)
    }
  }

  mutating func finish(_ end: ConnectionEnd) -> ConnectionEnd {
    state = .over(policy.phase(after: end))
    return end
  }
}
