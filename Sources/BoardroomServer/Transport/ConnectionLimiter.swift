import BoardroomHosting
import BoardroomModel
import NIOCore
import NIOHTTP1
import Synchronization

/// All connections of the port, counted by address. It enforces the limits of connections, and a shutdown
/// closes the connections through it.
final class ConnectionLimiter: Sendable {
  struct Limits: Sendable {
    /// Connections of one address.
    var address: Int
    /// Connections in all.
    var all: Int
    /// Connections from this machine itself: those of a proxy that is not in the list, or the operator's own.
    /// There may be more of them than of another address, but never all.
    var thisMachine = Int.max
    /// Whether this machine counts as any other address.
    var countsThisMachine = false

    /// Connections that are kept free for requests of this machine itself over HTTP: health, readiness,
    /// metrics. 8: one monitor and one person.
    static let reserve = 8

    /// Sockets of the port, including those that are only told that there are too many.
    var sockets: Int { all + ConnectionLimiter.turnaways(besides: all) + Self.reserve }
  }

  struct Counts: Sendable, Equatable {
    var open = 0
    var refusedByAddress = 0
    var refusedInAll = 0
  }

  enum Verdict {
    case welcome
    /// Over the total limit, and from this machine: only HTTP is served. A room's socket is refused.
    case reserved(Refusal)
    case refused(Refusal, HTTPResponseStatus)
    /// Over a limit, while too many connections are being told so already: it is closed without an answer.
    case cut
  }

  /// How many connections may be kept only to be told that there are too many. An eighth of the others, at
  /// most 256: enough to answer a burst of honest clients, too few to help a flood.
  static func turnaways(besides others: Int) -> Int { min(256, max(8, others / 8)) }

  private struct State {
    var counts = Counts()
    var turnedAway = 0
    var reserved = 0
    var places: [ClientAddress: Int] = [:]
    var channels: [ObjectIdentifier: any Channel] = [:]
    /// Connections of other nodes, which are counted to the places of their clients.
    var passedOn: Set<ObjectIdentifier> = []
  }

  private let limits: Limits
  private let proxies: ProxyList
  private let state = Mutex(State())

  init(_ limits: Limits, proxies: ProxyList = ProxyList()) {
    self.limits = limits
    self.proxies = proxies
  }

  var counts: Counts { state.withLock { $0.counts } }

  // MARK: Coming and going

  /// A connection was accepted.
  func enter(_ channel: any Channel) -> Verdict {
    let peer = channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }
    let place = peer.flatMap { proxies.contains($0) ? nil : $0.place }
    let answer = state.withLock { admit(place, to: &$0) }
    keep(channel, as: answer, from: place)
    return answer
  }

  private func admit(_ place: ClientAddress?, to state: inout State) -> Verdict {
    if state.counts.open - state.turnedAway - state.reserved >= limits.all {
      if let place, place.isThisMachine, !limits.countsThisMachine, state.reserved < Limits.reserve {
        state.reserved += 1
        return .reserved(.allConnections(limits.all))
      }
      state.counts.refusedInAll += 1
      return turnAway(.allConnections(limits.all), .serviceUnavailable, &state)
    }
    if let refusal = countAttempt(from: place, of: &state) {
      return turnAway(refusal, .tooManyRequests, &state)
    }
    return .welcome
  }

  private func turnAway(_ refusal: Refusal, _ status: HTTPResponseStatus, _ state: inout State) -> Verdict {
    guard state.turnedAway < Self.turnaways(besides: limits.all) else { return .cut }
    state.turnedAway += 1
    return .refused(refusal, status)
  }

  /// Counts a connection to its place, unless that is full.
  private func countAttempt(from place: ClientAddress?, of state: inout State) -> Refusal? {
    guard let place else { return nil }
    let open = state.places[place, default: 0]
    let limit = place.isThisMachine && !limits.countsThisMachine ? limits.thisMachine : limits.address
    guard open < limit else {
      state.counts.refusedByAddress += 1
      return .addressConnections(limit)
    }
    state.places[place] = open + 1
    return nil
  }

  private func keep(_ channel: any Channel, as answer: Verdict, from place: ClientAddress?) {
    let key = ObjectIdentifier(channel)
    state.withLock {
      $0.counts.open += 1
      $0.channels[key] = channel
    }
    channel.closeFuture.whenComplete { [weak self] _ in self?.left(key, answer, place) }
  }

  private func left(_ key: ObjectIdentifier, _ answer: Verdict, _ place: ClientAddress?) {
    state.withLock { state in
      state.counts.open -= 1
      state.channels[key] = nil
      if state.passedOn.remove(key) != nil { return }
      switch answer {
      case .welcome: Self.release(place, &state)
      case .reserved: state.reserved -= 1
      case .refused: state.turnedAway -= 1
      case .cut: break
      }
    }
  }

  private static func release(_ place: ClientAddress?, _ state: inout State) {
    guard let place, let open = state.places[place] else { return }
    state.places[place] = open > 1 ? open - 1 : nil
  }

  // MARK: Rooms behind proxies

  /// Returns who asks for a room, and the refusal if there are too many. Connections through a proxy are
  /// counted here, by the client that the proxy names; all others were counted when they connected.
  func ask(_ headers: HTTPHeaders, on channel: any Channel) -> (address: String?, refusal: Refusal?) {
    guard let peer = channel.remoteAddress?.ipAddress.flatMap({ ClientAddress($0) }) else {
      return (nil, nil)
    }
    let client = proxies.client(of: peer, forwarded: headers["x-forwarded-for"])
    guard client != peer else { return (client.text, nil) }
    let place = client.place
    if let refusal = state.withLock({ countAttempt(from: place, of: &$0) }) { return (client.text, refusal) }
    channel.closeFuture.whenComplete { [weak self] _ in
      self?.state.withLock { Self.release(place, &$0) }
    }
    return (client.text, nil)
  }

  // MARK: Clients of other nodes

  /// Another node has proved that it sends a client on this connection: it is counted to the client's place, and not to
  /// the node's any more. Returns the refusal if the client's place, or the port, has too many.
  ///
  /// - Parameters:
  ///   - wasOver: the connection was over the limit of the node's own address, and only waited for this.
  ///   - client: nil: nobody knows.
  func passOn(_ channel: any Channel, wasOver: Bool, to client: String?) -> Refusal? {
    let peer = channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }
    let place = client.flatMap { ClientAddress($0)?.place }
    let refusal = state.withLock { state -> Refusal? in
      if wasOver, state.counts.open - state.turnedAway - state.reserved >= limits.all {
        state.counts.refusedInAll += 1
        return .allConnections(limits.all)
      }
      guard state.passedOn.insert(ObjectIdentifier(channel)).inserted else { return nil }
      if wasOver {
        state.turnedAway -= 1
      } else {
        Self.release(peer.flatMap { proxies.contains($0) ? nil : $0.place }, &state)
      }
      return countAttempt(from: place, of: &state)
    }
    guard refusal == nil else { return refusal }
    channel.closeFuture.whenComplete { [weak self] _ in
      self?.state.withLock { Self.release(place, &$0) }
    }
    return nil
  }

  // MARK: The end

  private var open: [any Channel] { state.withLock { Array($0.channels.values) } }

  /// Bytes that wait to go out, over all connections.
  func waitingBytes() async -> Int {
    let byLoop = Dictionary(grouping: open) { ObjectIdentifier($0.eventLoop) }
    var sum = 0
    for channels in byLoop.values {
      guard let loop = channels.first?.eventLoop else { continue }
      sum += (try? await loop.submit { channels.reduce(0) { $0 + $1.waiting } }.get()) ?? 0
    }
    return sum
  }

  /// Returns when no connection is open. Call it after accepting has ended.
  func untilEmpty() async {
    while case let open = open, !open.isEmpty {
      for channel in open { try? await channel.closeFuture.get() }
    }
  }

  /// Closes what is still open, and returns when all of it is closed.
  func closeAll() async {
    for channel in open { channel.close(promise: nil) }
    await untilEmpty()
  }
}

extension Channel {
  fileprivate var waiting: Int { (try? syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }
}

extension Refusal {
  static func addressConnections(_ limit: Int) -> Refusal {
    Refusal(
      .connectionLimit, cause: "Your address has as many connections as the server allows to one.",
      actual: limit + 1, allowed: limit)
  }

  static func allConnections(_ limit: Int) -> Refusal {
    Refusal(
      .connectionLimit, cause: "The server has as many connections as it can hold.", actual: limit + 1,
      allowed: limit)
  }
}
