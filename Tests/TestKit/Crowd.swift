import BoardroomCodec
import BoardroomConformance
import BoardroomHosting
import BoardroomModel
import EventLogModel

/// A connection whose other side listens to nothing, so that many of them cost little.
private final class DeafLink: MemberLink {
  let isFull = false
  func write(_ bytes: SharedBytes) {}
  func flush() {}
  func close(code: UInt16, reason: String) {}
}

extension World {
  /// Accounts that sign in and enter a channel, and then neither say nor hear anything: for as long as a grace lasts.
  /// Takes two seconds of the world's time.
  public func crowd(_ accounts: [String], _ service: Service = .signaling, in channel: String) {
    loop.execute { [self] in
      for account in accounts { say(hello: Place(service: service, account: account)) }
    }
    run(for: 1)
    loop.execute { [self] in
      for account in accounts { say(hello: Place(service: service, account: account, channel: channel)) }
    }
    run(for: 1)
  }

  /// The same for one, whose login a tenth of a second comes before. To be called on the loop.
  public func enter(_ place: Place) {
    say(hello: Place(service: place.service, account: place.account))
    loop.execute(after: .milliseconds(100)) { [self] in say(hello: place) }
  }

  private func say(hello place: Place) {
    let handle = engine.connect(DeafLink(), on: loop, subprotocol: .binary, from: nil, at: loop.now)
    let hello = Hello(room: place.space.log, place: place, token: "token")
    handle.receive(WireCodec(.binary).encode(client: .hello(hello)), at: loop.now)
  }
}
