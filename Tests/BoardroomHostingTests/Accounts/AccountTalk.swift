import BoardroomCodec
import BoardroomModel
import EventLogModel
import StorageTestKit
import TestKit

extension SimulatedServer {
  /// Signs in, and has received all that there is.
  func login(
    _ account: String, _ service: Service = .signaling, loop: Int = 0,
    change: (inout Hello) -> Void = { _ in }
  ) -> SimulatedPeer {
    visit(Place(service: service, account: account), loop: loop, change: change)
  }

  /// Enters a channel, and has received all that there is.
  func enter(
    _ channel: String, as account: String, _ service: Service = .signaling, loop: Int = 0,
    change: (inout Hello) -> Void = { _ in }
  ) -> SimulatedPeer {
    visit(Place(service: service, account: account, channel: channel), loop: loop, change: change)
  }

  private func visit(_ place: Place, loop: Int, change: (inout Hello) -> Void) -> SimulatedPeer {
    join(place.space.log, loop: loop) {
      $0.place = place
      change(&$0)
    }
  }

  /// Makes a log by hand: its first event, then these, all at the present time.
  func write(_ name: SpaceName, _ events: [(Actor, Event)]) {
    let (store, now) = (store, now)
    let records = ([(Actor.server, Event.space(.created(name)))] + events).map { actor, event in
      Record(
        kind: event.kind, time: now, actor: actor.code, body: EventCodec.encodeBody(event, counter: 0))
    }
    wait {
      guard let info = try? await store.create(name.log, at: now) else { return }
      _ = try? await store.append(records, to: name.log, expecting: .zero, epoch: info.epoch)
    }
  }

  /// What the log of a space holds.
  func events(of name: SpaceName) -> [Event] {
    let store = store
    let runs = wait { (try? await store.runs(of: name.log, after: .zero, limit: .max)) ?? [] }
    var events: [Event] = []
    for run in runs {
      run.forEach { view, _ in
        if let event = try? EventCodec.decode(view, in: run.records) { events.append(event.event) }
      }
    }
    return events
  }

  /// Time goes by, and these say that they are there.
  func advance(by duration: Duration, with peers: SimulatedPeer...) {
    advance(by: duration) {
      for peer in peers { peer.say(.heartbeat(1)) }
    }
    for peer in peers { peer.receive() }
  }
}

extension SimulatedPeer {
  /// Asks, takes in all that comes, and gives the one answer.
  func ask(_ question: Question) -> Result<Reply, Refusal>? {
    let number = UInt64(answers.count + 1_000)
    say(.ask(Ask(number: number, question: question)))
    receive()
    let mine = answers.filter { $0.number == number }
    return mine.count == 1 ? mine[0].result : nil
  }

  /// Why the question was refused; nil if it was not.
  func refusal(of question: Question) -> RefusalCode? {
    if case .failure(let refusal) = ask(question) { refusal.code } else { nil }
  }

  func reply(to question: Question) -> Reply? {
    if case .success(let reply) = ask(question) { reply } else { nil }
  }

  var answers: [Answer] {
    notices.compactMap { if case .answer(let answer) = $0 { answer } else { nil } }
  }

  /// What happened in the space, beside members.
  var spaceEvents: [SpaceEvent] {
    events.compactMap { if case .space(let event) = $0.event { event } else { nil } }
  }

  func slot(_ service: Service = .signaling) -> AccountSlot? { mirror.space?.slots[service] }

  /// Why members left, in order.
  var departures: [LeaveCause] {
    events.compactMap { if case .members(.left(let cause)) = $0.event { cause } else { nil } }
  }

  var leftChannels: [ChannelLeft] {
    spaceEvents.compactMap { if case .channelLeft(let left) = $0 { left } else { nil } }
  }

  /// The steps of invitations of this account, in order.
  var moves: [InviteMoved.Move] {
    spaceEvents.compactMap { if case .inviteMoved(let moved) = $0 { moved.move } else { nil } }
  }

  /// What this account heard of invitations, in order.
  var news: [InviteHeard.News] {
    spaceEvents.compactMap { if case .inviteHeard(let heard) = $0 { heard.news } else { nil } }
  }
}
