import BoardroomModel
import EventLogModel

/// All that a client has to know to go on with a stay in an account or a channel, also after its program was killed and
/// started again. Whoever has it is that member: keep it as a token is kept.
public struct KeptStay: Sendable, Hashable {
  /// The session at the server.
  public var session: SessionID
  /// How often the session has had another connection.
  public var generation: Generation
  /// Proves to the server that the session is ours.
  public var ticket: String
  /// The life of the log. Cursors of another epoch do not count.
  public var epoch: Epoch
  /// The member's number in the account or channel.
  public var member: MemberID

  /// Makes a stay from its values, as they were kept.
  public init(
    session: SessionID, generation: Generation, ticket: String, epoch: Epoch, member: MemberID
  ) {
    self.session = session
    self.generation = generation
    self.ticket = ticket
    self.epoch = epoch
    self.member = member
  }
}

/// Where stays are kept beyond the end of a program. Called on the client's context, which waits for it.
public protocol StayKeeper: Sendable {
  /// What was kept last of this place; nil if nothing.
  func stay(at place: Place) -> KeptStay?
  /// A stay began or has another connection: until this returns nothing else is done. Nil: it is over.
  func keep(_ stay: KeptStay?, at place: Place)
}

extension RoomLink {
  /// At the first hello of a program that was not there when the stay began.
  func takeUpStay() {
    guard session == nil, !told.hasJoined, let place = settings.hello.place,
      let kept = settings.stays?.stay(at: place)
    else { return }
    session = Session(
      id: kept.session, generation: kept.generation, ticket: kept.ticket, epoch: kept.epoch,
      member: kept.member)
  }

  func keepStay() {
    guard let session, let place = settings.hello.place else { return }
    let stay = KeptStay(
      session: session.id, generation: session.generation, ticket: session.ticket, epoch: session.epoch,
      member: session.member)
    settings.stays?.keep(stay, at: place)
  }

  /// This client has said goodbye, or was removed. Where the server was only not reached, the stay may go on later.
  func forgetStay() {
    guard let session, let place = settings.hello.place, let stays = settings.stays,
      stays.stay(at: place)?.session == session.id
    else { return }
    stays.keep(nil, at: place)
  }
}
