import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// A client that keeps to the protocol, with a network that does not: cut off, deaf, mute or slow, it comes back with
/// what it knows, says again what was not decided, and keeps a mirror over all its connections.
final class Person {
  enum Ears: Sendable, Hashable {
    case open, deaf
    /// Hears so many bytes at a time.
    case sips(Int)
  }

  let number: Int
  let part: SimulationPlan.Part
  /// Nil: into the room.
  private let place: Place?
  private(set) var peer: SimulatedPeer?
  private(set) var stay: Stay?
  /// All its stays and connections, for the reckoning at the end.
  private(set) var stays: [Stay] = []
  private(set) var peers: [SimulatedPeer] = []
  private(set) var farewell: Farewell?
  private(set) var faults: [String] = []
  /// No connection can be made.
  var isCut = false
  var ears = Ears.open
  /// What it says stays on the way, until `speak`.
  var isMute = false
  private var unsaid: [ClientNotice] = []
  /// Older connections that nobody closed, with what is still on its way over them.
  private var ghosts: [(peer: SimulatedPeer, unsaid: [ClientNotice])] = []
  /// Whether the present connection has said who we are: nothing may be said before.
  private(set) var isWelcome = false
  private var noticesSeen = 0
  private var eventsSeen = 0
  private var lastSaid = Timestamp.zero
  /// Of the newest element or stroke.
  private(set) var elements: UInt64 = 0
  var openStroke: UInt64?

  init(_ number: Int, _ part: SimulationPlan.Part, to place: Place? = nil) {
    self.number = number
    self.part = part
    self.place = place
  }

  var isLive: Bool { peer?.isLive ?? false }
  var mirror: RoomState { (peer ?? peers.last)?.mirror ?? RoomState() }
  var member: MemberID? { peer.flatMap { _ in stay?.member } }

  func nextElement() -> UInt64 {
    elements += 1
    return elements
  }

  /// New elements get numbers that no other ever had.
  func skipNumbers() { elements += 1_000 }

  // MARK: Connections

  enum Coming: Sendable, Hashable {
    case properly, withoutTicket, asNew
    case withRole(Role)
    case isWritable(Bool)
  }

  func come(to room: RoomID, of server: SimulatedServer, _ how: Coming) {
    guard !isCut else { return }
    abandon()
    let peer = server.connect(part.subprotocol, loop: part.loop, outbox: part.outbox)
    if let old = peers.last { peer.takeOver(old) }
    peers.append(peer)
    self.peer = peer
    (noticesSeen, eventsSeen, farewell, lastSaid, isWelcome) = (0, 0, nil, server.now, false)
    peer.say(.hello(hello(room, how)))
  }

  private func hello(_ room: RoomID, _ how: Coming) -> Hello {
    var hello = Hello(room: room, token: part.role.rawValue, uid: part.uid, acceptsBlocks: part.acceptsBlocks)
    hello.place = place
    if let stay {
      hello.resume = Hello.Resume(session: stay.session, generation: stay.generation, ticket: stay.ticket)
    }
    if let epoch = stays.last?.epoch, mirror.revision > .zero {
      hello.cursor = Cursor(epoch: epoch, revision: mirror.revision)
    }
    switch how {
    case .properly: break
    case .withoutTicket: hello.resume?.ticket = ""
    case .asNew: (hello.resume, hello.cursor) = (nil, nil)
    case .withRole(let role): hello.token = role.rawValue
    case .isWritable(let flag): hello.isWritable = flag
    }
    return hello
  }

  /// The present connection is given up without a word; the server's side of it stays as it is.
  private func abandon() {
    guard let peer else { return }
    ghosts.append((peer, unsaid))
    drop()
  }

  /// The connection breaks, for both sides.
  func lose() {
    peer?.cut()
    drop()
  }

  /// The server at the other end is gone.
  func drop() {
    if let peer { faults += peer.faults }
    peer = nil
    unsaid = []
    openStroke = nil
  }

  func loseGhosts() { ghosts = [] }

  /// What was on its way over an older connection arrives, and then that ends.
  func raiseGhost() {
    guard !ghosts.isEmpty else { return }
    let ghost = ghosts.removeFirst()
    for notice in ghost.unsaid { ghost.peer.say(notice) }
    ghost.peer.cut()
  }

  func endGhosts() { while !ghosts.isEmpty { raiseGhost() } }

  // MARK: Saying

  func say(_ notice: ClientNotice, at now: Timestamp) {
    lastSaid = now
    if isMute { unsaid.append(notice) } else { peer?.say(notice) }
  }

  func say(_ commands: [Command], at now: Timestamp) {
    guard let stay, isWelcome, !commands.isEmpty else { return }
    say(.commands(commands.map { stay.number($0) }), at: now)
  }

  func speak() {
    isMute = false
    let notices = unsaid
    unsaid = []
    for notice in notices { peer?.say(notice) }
  }

  func beat(every interval: Duration, at now: Timestamp) {
    guard peer != nil, isWelcome, now >= lastSaid + interval else { return }
    say(.heartbeat(mirror.revision), at: now)
  }

  // MARK: Hearing

  /// Takes in what has come, as far as its listeners allow; true if anything did.
  func hear(at now: Timestamp) -> Bool {
    guard let peer else { return false }
    var heard = false
    switch ears {
    case .deaf: return false
    case .sips(let bytes): if !peer.link.isQuiet { heard = peer.receive(upTo: bytes) }
    case .open: while self.peer === peer, !peer.link.isQuiet { heard = peer.receive(upTo: .max) || heard }
    }
    if heard { think(peer, at: now) }
    if self.peer === peer, peer.link.isQuiet, peer.link.closeCode != nil {
      peer.cut()
      drop()
    }
    return heard
  }

  private func think(_ peer: SimulatedPeer, at now: Timestamp) {
    while noticesSeen < peer.notices.count {
      let notice = peer.notices[noticesSeen]
      noticesSeen += 1
      think(notice, at: now)
    }
    while eventsSeen < peer.events.count {
      let event = peer.events[eventsSeen]
      eventsSeen += 1
      if let stay, event.actor.member == stay.member, event.counter > 0 { stay.see(event) }
    }
  }

  private func think(_ notice: Notice, at now: Timestamp) {
    switch notice {
    case .welcome(let welcome): begin(welcome, at: now)
    case .receipts(let receipts): for receipt in receipts { stay?.hear(receipt) }
    case .refused(let counter, let refusal, let revision):
      let again = stay?.hear(refusal, of: counter, at: revision) ?? []
      if !again.isEmpty { say(.commands(again), at: now) }
    case .farewell(let farewell):
      self.farewell = farewell
      if !farewell.comeBack { stay = nil }
    case .catchUp, .snapshotRoot, .snapshotPart, .run, .block, .live, .heartbeat, .quiet, .answer, .replayed:
      break
    }
  }

  private func begin(_ welcome: Welcome, at now: Timestamp) {
    isWelcome = true
    guard welcome.resumed else {
      let stay = Stay(welcome)
      self.stay = stay
      stays.append(stay)
      elements = 0
      return
    }
    guard let stay, stay.session == welcome.session, stay.member == welcome.member else {
      return faults.append("stay: a session was resumed that nobody asked for")
    }
    stay.generation = welcome.generation
    stay.ticket = welcome.ticket
    if welcome.lastCounter > stay.last {
      faults.append("stay: the server decided commands that were never said")
    }
    let again = stay.resume(decidedThrough: welcome.lastCounter)
    if !again.isEmpty { say(.commands(again), at: now) }
  }

  /// The person means to go.
  func leave(at now: Timestamp) {
    guard isWelcome else { return }
    say(.leave, at: now)
  }
}
