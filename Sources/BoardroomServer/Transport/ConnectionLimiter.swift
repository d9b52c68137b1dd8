import BoardroomHosting
import BoardroomModel
import NIOCore
import NIOHTTP1
import Synchronization

/// Who is connected, from where: what the server's own limits are kept by, and what a stop closes. Every
/// connection of the port is in it, whatever it is for.
final class ConnectionLimiter: Sendable {
  struct Limits: Sendable {
    /// Connections of one address.
    var address: Int
    /// Connections in all.
    var all: Int
    /// Connections from this machine itself: a proxy's that is not in the list, or the operator's own. They may be
    /// more than those of another address, and never all.
    var thisMachine = Int.max
    /// Whether this machine counts as any other address.
    var countsThisMachine = false

    /// Connections beyond all others for what this machine asks over HTTP: is it alive, is it ready, what does it
    /// measure. 8: a monitor, and a person who looks.
    static let reserve = 8

    /// Sockets of the port, with those that are told that they are too many.
    var sockets: Int { all + ConnectionLimiter.turnaways(besides: all) + Self.reserve }
  }

  struct Counts: Sendable, Equatable {
    var open = 0
    var refusedByAddress = 0
    var refusedInAll = 0
  }

  enum Verdict {
    case welcome
    /// Over the limit in all, and from this machine: for HTTP alone. A room's socket is refused.
    case reserved(Refusal)
    case refused(Refusal, HTTPResponseStatus)
    /// Over a limit, and too many are being told so already.
    case cut
  }

  /// Connections that may be kept for the answer that they are too many. An eighth of the others and at most 256: a
  /// burst of honest clients hears why, a flood does not get in by another way.
  static func turnaways(besides others: Int) -> Int { min(256, max(8, others / 8)) }

  private struct State {
    var counts = Counts()
    var turnedAway = 0
    var reserved = 0
    var places: [ClientAddress: Int] = [:]
    var channels: [ObjectIdentifier: any Channel] = [:]
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
    if let refusal = take(place, of: &state) { return turnAway(refusal, .tooManyRequests, &state) }
    return .welcome
  }

  private func turnAway(_ refusal: Refusal, _ status: HTTPResponseStatus, _ state: inout State) -> Verdict {
    guard state.turnedAway < Self.turnaways(besides: limits.all) else { return .cut }
    state.turnedAway += 1
    return .refused(refusal, status)
  }

  /// Counts a connection to its place, unless that is full.
  private func take(_ place: ClientAddress?, of state: inout State) -> Refusal? {
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

  /// Who asks for a room, and why it is too much, if so. What a proxy carries is counted here, by the client
  /// that it names; everything else was counted when it connected.
  func ask(_ headers: HTTPHeaders, on channel: any Channel) -> (address: String?, refusal: Refusal?) {
    guard let peer = channel.remoteAddress?.ipAddress.flatMap({ ClientAddress($0) }) else {
      return (nil, nil)
    }
    let client = proxies.client(of: peer, forwarded: headers["x-forwarded-for"])
    guard client != peer else { return (client.text, nil) }
    let place = client.place
    if let refusal = state.withLock({ take(place, of: &$0) }) { return (client.text, refusal) }
    channel.closeFuture.whenComplete { [weak self] _ in
      self?.state.withLock { Self.release(place, &$0) }
    }
    return (client.text, nil)
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

  /// Returns when no connection is open. To be asked when none is accepted any more.
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
