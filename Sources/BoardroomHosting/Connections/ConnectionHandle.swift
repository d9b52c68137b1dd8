import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// The server's side of one connection, whatever carries it. The transport calls it on the link's loop, and
/// it speaks to the room, which may live on another.
public final class ConnectionHandle: @unchecked Sendable {
  private enum State {
    case greeting(until: Timestamp)
    /// The hello came, and the gatekeeper has not decided yet. What comes meanwhile is held.
    case deciding(until: Timestamp, held: [[UInt8]])
    /// The client may enter, and the node that owns its room is looked for or being joined.
    case locating(until: Timestamp, held: [[UInt8]])
    case bound(Confined<any ConnectionReceiver>, RoomID, isReplay: Bool)
    /// The client is at another node, in this room.
    case piped(NodeAddress, RoomID)
    case closed
  }

  /// A hello, and what it came as.
  private struct Greeting: Sendable {
    let hello: Hello
    let payload: [UInt8]
    /// A node does not own the room, or was not to be reached, and was looked for again.
    var wasElsewhere = false
    /// How long it waits for an owner that can be reached.
    var waitsUntil = Timestamp.zero
  }

  /// Messages, and bytes of messages, that are held for a client whose gatekeeper has not decided. 16 and 64 KiB:
  /// clients wait for the welcome, so that there is a heartbeat or two.
  package static let mostHeld = 16
  package static let mostHeldBytes = 64 << 10

  public let id: ConnectionID
  let link: any MemberLink
  let loop: any RoomLoop
  let subprotocol: Subprotocol
  let address: String?
  /// Another node has sent the client here: it is not sent on.
  private let isPiped: Bool
  private let engine: any ConnectionDirectory
  // Touched on `loop` only.
  private var state: State
  private var inbox: Inbox
  private var hasInbox = false
  /// Whether the read that is under way brought the hello.
  private var isGreeted = false

  init(
    id: ConnectionID, link: any MemberLink, loop: any RoomLoop, subprotocol: Subprotocol, address: String?,
    isPiped: Bool, engine: any ConnectionDirectory, at now: Timestamp
  ) {
    self.isPiped = isPiped
    self.id = id
    self.link = link
    self.loop = loop
    self.subprotocol = subprotocol
    self.address = address.map(ClientAddress.normal)
    self.engine = engine
    state = .greeting(until: now + engine.policy.helloWithin)
    inbox = Inbox(connection: id, at: now)
  }

  // MARK: What the transport tells

  /// One whole message came, and no more for the moment.
  public func receive(_ payload: [UInt8], at now: Timestamp) {
    gather(payload, at: now)
    submit(at: now)
  }

  /// One whole message came; others of the same read may follow. `submit` ends the read.
  public func gather(_ payload: [UInt8], at now: Timestamp) {
    switch state {
    case .closed: break
    case .greeting: greet(payload, at: now)
    case .deciding(let until, let held):
      if let all = hold(payload, behind: held, at: now) { state = .deciding(until: until, held: all) }
    case .locating(let until, let held):
      if let all = hold(payload, behind: held, at: now) { state = .locating(until: until, held: all) }
    case .piped: break
    case .bound:
      do throws(Refusal) { try read(payload) } catch { breach(error, at: now) }
      hasInbox = true
    }
  }

  /// The read is over: what it brought goes to the room in one piece. Nothing if it brought no whole message.
  public func submit(at now: Timestamp) {
    isGreeted = false
    guard case .bound(let loopRooms, let room, _) = state, hasInbox else { return }
    hasInbox = false
    inbox.at = now
    let load = inbox
    inbox.commands.removeAll()
    inbox.controls.removeAll()
    inbox.asks.removeAll()
    inbox.leaves = false
    inbox.hasMessage = false
    inbox.quiet = nil
    loopRooms.run { $0.receive(load, in: room) }
  }

  /// The read is over, and it brought bytes: a sign of life, also if they are no message, or not yet one. Those of
  /// the hello are none: they were on their way before its welcome, and must not confirm that (SES-12).
  public func heard(at now: Timestamp) {
    if case .bound = state, !isGreeted { hasInbox = true }
    submit(at: now)
  }

  /// The link's outbox has room again.
  public func drained(at now: Timestamp) {
    guard case .bound(let loopRooms, let room, _) = state else { return }
    loopRooms.run { [id] in $0.drained(id, in: room, at: now) }
  }

  /// The connection is gone, which is no sign of life. What the same read brought before counts (SES-14).
  public func closed(at now: Timestamp) {
    submit(at: now)
    let before = state
    state = .closed
    switch before {
    case .closed: break
    case .greeting, .deciding, .locating: engine.connectionReceiver(of: loop).greeting[id] = nil
    case .piped: engine.connectionReceiver(of: loop).piped[id] = nil
    case .bound(let loopRooms, let room, _): loopRooms.run { [id] in $0.closed(id, in: room, at: now) }
    }
  }

  /// The other side broke the rules of the transport or of the protocol: it is told, and the connection ends.
  /// The member's stay goes on for its grace.
  public func breach(_ refusal: Refusal, code: UInt16 = CloseCode.refused, at now: Timestamp) {
    if case .closed = state { return }
    closed(at: now)
    sayFarewell(Farewell(refusal, comeBack: refusal.isPassing), code: code)
  }

  // MARK: What rooms tell

  /// The member has caught up. From any loop.
  func isLive() {
    guard loop.isCurrent else { return loop.execute { self.isLive() } }
    link.isLive()
  }

  /// The room parts from this connection. From any loop.
  func finish(_ farewell: Farewell, code: UInt16) {
    guard loop.isCurrent else {
      loop.execute { self.finish(farewell, code: code) }
      return
    }
    let before = state
    state = .closed
    switch before {
    case .closed: return
    case .greeting, .deciding, .locating: engine.connectionReceiver(of: loop).greeting[id] = nil
    case .bound: break
    case .piped(_, let room):
      engine.connectionReceiver(of: loop).piped[id] = nil
      engine.owners?.forget(room)
      guard (link as? any PipeLink)?.endPipe() ?? true else { return }
    }
    sayFarewell(farewell, code: code)
  }

  private func sayFarewell(_ farewell: Farewell, code: UInt16) {
    link.write(engine.wire.bytes(of: .farewell(farewell), in: subprotocol))
    link.flush()
    link.close(code: code, reason: farewell.refusal.code.rawValue)
  }

  /// Called by the loop's rooms now and then.
  func checkGreeting(at now: Timestamp) {
    switch state {
    case .greeting(let until): if now >= until { breach(Refusal(.tooSlowHello), at: now) }
    case .deciding(let until, _): if now >= until { breach(Self.undecided, at: now) }
    case .locating(let until, _): if now >= until { finish(.movingRoom, code: CloseCode.goingAway) }
    case .bound, .piped, .closed: break
    }
  }

  private static let undecided = Refusal(
    .timeout, cause: "It was not decided in time whether the client may enter.", cure: "Try again later.")

  // MARK: Reading

  private func greet(_ payload: [UInt8], at now: Timestamp) {
    do throws(Refusal) {
      guard case .notice(.hello(let hello)) = try reading(payload) else {
        throw Refusal(.outOfOrder, cause: "The first message was not hello.")
      }
      switch engine.decide(hello, from: address, at: now) {
      case .admitted(let admission):
        place(Greeting(hello: hello, payload: payload), admission, behind: [], at: now)
        isGreeted = true
      case .refused(let refusal): throw refusal
      case .pending(let work): wait(for: work, on: Greeting(hello: hello, payload: payload), at: now)
      }
    } catch {
      breach(error, at: now)
    }
  }

  // MARK: Waiting for a gatekeeper

  private func wait(
    for work: @escaping @Sendable () async throws(Refusal) -> Admission, on greeting: Greeting,
    at now: Timestamp
  ) {
    state = .deciding(until: now + engine.policy.helloWithin, held: [])
    if engine.owners != nil { (link as? any PipeLink)?.holdReading() }
    Task(executorPreference: engine.executor) { [loop] in
      let decided: Result<Admission, Refusal>
      do throws(Refusal) { decided = .success(try await work()) } catch { decided = .failure(error) }
      loop.execute { self.learn(decided, of: greeting) }
    }
  }

  /// Nothing if the client is gone, or if it was refused meanwhile because of the time.
  private func learn(_ decided: Result<Admission, Refusal>, of greeting: Greeting) {
    guard case .deciding(_, let held) = state else { return }
    let now = engine.clock()
    switch decided {
    case .failure(let refusal): breach(refusal, at: now)
    case .success(let admission): place(greeting, admission, behind: held, at: now)
    }
  }

  /// What is held with this message; nil if that is too much, and the client was told so.
  private func hold(_ payload: [UInt8], behind held: [[UInt8]], at now: Timestamp) -> [[UInt8]]? {
    let bytes = held.reduce(payload.count) { $0 + $1.count }
    guard held.count < Self.mostHeld, bytes <= Self.mostHeldBytes else {
      breach(
        Refusal(.outOfOrder, cause: "Too much came before the welcome.", cure: "Wait for the welcome first."),
        at: now)
      return nil
    }
    return held + [payload]
  }

  // MARK: At which node

  /// The client may enter: here, or at the node that owns its room.
  private func place(
    _ greeting: Greeting, _ admission: Admission, behind held: [[UInt8]], at now: Timestamp
  ) {
    guard let owners = engine.owners, !isPiped, owners.kept(greeting.hello.room) != .here else {
      return enter(greeting.hello, admission, behind: held, at: now)
    }
    (link as? any PipeLink)?.holdReading()
    var greeting = greeting
    greeting.waitsUntil = now + OwnerBook.patience
    state = .locating(until: greeting.waitsUntil, held: held)
    locate(greeting, admission, owners)
  }

  private func enter(
    _ hello: Hello, _ admission: Admission, asSpectator isSpectator: Bool = false, behind held: [[UInt8]],
    at now: Timestamp
  ) {
    let loopRooms = engine.connectionReceiver(for: hello.room)
    engine.connectionReceiver(of: loop).greeting[id] = nil
    state = .bound(loopRooms, hello.room, isReplay: hello.replay != nil)
    let entry = JoinAttempt(
      hello: hello, admission: admission, connection: self, isSpectator: isSpectator)
    loopRooms.run { $0.enter(entry, at: now) }
    guard engine.owners != nil || !held.isEmpty else { return }
    for payload in held { gather(payload, at: now) }
    if !held.isEmpty { submit(at: now) }
    (link as? any PipeLink)?.goOn()
  }

  private func locate(_ greeting: Greeting, _ admission: Admission, _ owners: OwnerBook) {
    Task(executorPreference: engine.executor) { [loop] in
      let owner = await owners.owner(of: greeting.hello.room)
      loop.execute { self.learn(owner, of: greeting, admission, owners) }
    }
  }

  private func locateLater(_ greeting: Greeting, _ admission: Admission, _ owners: OwnerBook) {
    if case .locating(_, let held) = state { state = .locating(until: greeting.waitsUntil, held: held) }
    loop.execute(after: OwnerBook.askEvery) { [weak self] in
      guard let self, case .locating = state else { return }
      locate(greeting, admission, owners)
    }
  }

  /// Nothing if the client is gone, or has waited for too long.
  private func learn(
    _ owner: SpaceOwner, of greeting: Greeting, _ admission: Admission, _ owners: OwnerBook
  ) {
    guard case .locating(_, let held) = state else { return }
    switch owner {
    case .here: enter(greeting.hello, admission, behind: held, at: engine.clock())
    case .nobodyYet: locateLater(greeting, admission, owners)
    case .at(let node): spectate(node, greeting, admission, owners)
    }
  }

  /// A room with very many members is seen from here; into others the client comes as usual.
  private func spectate(
    _ node: NodeAddress, _ greeting: Greeting, _ admission: Admission, _ owners: OwnerBook
  ) {
    guard JoinAttempt.maySpectate(greeting.hello, admission), !greeting.wasElsewhere else {
      return join(node, greeting, admission, owners)
    }
    Task(executorPreference: engine.executor) { [loop, engine] in
      let takesSpectators = await engine.spectatedLog.takesSpectators(greeting.hello.room, at: node)
      loop.execute {
        guard case .locating(_, let held) = self.state else { return }
        guard takesSpectators else { return self.join(node, greeting, admission, owners) }
        self.enter(greeting.hello, admission, asSpectator: true, behind: held, at: self.engine.clock())
      }
    }
  }

  private func join(
    _ node: NodeAddress, _ greeting: Greeting, _ admission: Admission, _ owners: OwnerBook
  ) {
    if owners.isReachedByClients, greeting.hello.acceptsAddress {
      return finish(.sendingOn(to: node), code: CloseCode.goingAway)
    }
    guard let link = link as? any PipeLink else { return finish(.movingRoom, code: CloseCode.goingAway) }
    if case .locating(_, let held) = state {
      let until = max(greeting.waitsUntil, engine.clock() + OwnerBook.joinsWithin)
      state = .locating(until: until, held: held)
    }
    let request = PipeRequest(
      owner: node, log: greeting.hello.room, hello: greeting.payload, subprotocol: subprotocol,
      address: address)
    link.openPipe(request) { [self] opening in
      guard case .locating = state else { return false }
      switch opening {
      case .joined:
        engine.connectionReceiver(of: loop).greeting[id] = nil
        engine.connectionReceiver(of: loop).piped[id] = self
        state = .piped(node, greeting.hello.room)
      case .notHere where !greeting.wasElsewhere, .unreachable where !greeting.wasElsewhere:
        owners.forget(greeting.hello.room)
        var again = greeting
        again.wasElsewhere = true
        locate(again, admission, owners)
      case .unreachable where engine.clock() < greeting.waitsUntil:
        // It is gone, or going: whoever comes after it is soon known.
        owners.forget(greeting.hello.room)
        locateLater(greeting, admission, owners)
      case .notHere, .unreachable, .failed:
        owners.forget(greeting.hello.room)
        finish(.movingRoom, code: CloseCode.goingAway)
      }
      return true
    }
  }

  /// The node that has the client is gone.
  package func lostOwner() { finish(.movingRoom, code: CloseCode.goingAway) }

  /// The node that had the client has parted from it, perhaps because it gives the room up.
  package func ownerHasParted() {
    if case .piped(_, let room) = state { engine.owners?.forget(room) }
  }

  /// Whether the client is at this other node.
  func isPiped(to other: NodeAddress) -> Bool {
    if case .piped(let node, _) = state { node == other } else { false }
  }

  private func reading(_ payload: [UInt8]) throws(Refusal) -> ClientReading {
    do throws(CodecError) {
      return try engine.wire.codec(for: subprotocol).readClient(payload)
    } catch {
      throw error.refusal
    }
  }

  private func read(_ payload: [UInt8]) throws(Refusal) {
    let reading = try reading(payload)
    inbox.hasMessage = true
    inbox.quiet = nil
    switch reading {
    case .commands(let commands):
      // What comes after a leave was said by nobody.
      if !inbox.leaves { inbox.commands.append(contentsOf: commands) }
    case .notice(.hello): throw Refusal(.outOfOrder, cause: "A second hello came on one connection.")
    case .notice(.heartbeat): break
    case .notice(.quiet(_, let interval)): inbox.quiet = interval
    case .notice(.leave): inbox.leaves = true
    case .notice(.replay(let control)):
      guard case .bound(_, _, isReplay: true) = state else {
        throw Refusal(
          .badParameter, cause: "The connection watches no replay.", cure: "Ask for one in the hello.")
      }
      if !inbox.leaves { inbox.controls.append(control) }
    case .notice(.ask(let ask)): if !inbox.leaves { inbox.asks.append(ask) }
    case .notice(.commands): preconditionFailure("commands are read one by one")
    }
  }
}
