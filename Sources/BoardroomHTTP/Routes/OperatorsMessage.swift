import BoardroomAccess
import BoardroomModel
import EventLogModel
import Foundation

/// What a node says to the one that owns the operators' log, as JSON. Instants are milliseconds since 1970.
package enum OperatorsMessage: Sendable, Hashable, Codable {
  case set(Fields)
  case end(UInt64, until: Int64)
  case lift(UInt64)
  /// All bans, unless the operators' log is still at this revision.
  case list(since: UInt64)
  /// Damage was found: where it is, in words that hold no content.
  case damage(String)

  /// A ban.
  package struct Fields: Sendable, Hashable, Codable {
    var number: UInt64
    var room: String?
    var uid: String?
    var address: String?
    var until: Int64?
    var token: String?
    var since: Int64?
    var member: UInt64?
    var name: String?
  }

  package struct List: Sendable, Hashable, Codable {
    var revision: UInt64
    var bans: [Fields]
  }

  package enum NodeAnswer: Sendable, Hashable, Codable {
    /// Nil for a ban that was lifted.
    case done(Fields?)
    case refused(Refusal)
    case list(List)
    case unchanged
  }
}

extension OperatorsMessage {
  package init(_ decision: BanDecision) {
    switch decision {
    case .set(let ban): self = .set(Fields(ban))
    case .end(let number, let until): self = .end(number, until: until.milliseconds)
    case .lift(let number): self = .lift(number)
    }
  }

  /// Nil for bytes that are none.
  init?(_ bytes: [UInt8]) {
    guard let message = try? JSONDecoder().decode(OperatorsMessage.self, from: Data(bytes)) else {
      return nil
    }
    self = message
  }

  package var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map { [UInt8]($0) } ?? [] }

  /// Nil for what is no decision about a ban.
  var decision: BanDecision? {
    switch self {
    case .set(let fields): .set(fields.ban)
    case .end(let number, let until): .end(number, until: Timestamp(milliseconds: until))
    case .lift(let number): .lift(number)
    case .list, .damage: nil
    }
  }
}

extension OperatorsMessage.Fields {
  package init(_ ban: Ban) {
    self.init(
      number: ban.number, room: ban.room?.description, uid: ban.uid, address: ban.address,
      until: ban.until?.milliseconds, token: ban.token, since: ban.since?.milliseconds,
      member: ban.member?.rawValue, name: ban.name)
  }

  package var ban: Ban {
    Ban(
      number: number, room: room.flatMap { RoomID($0) }, uid: uid, address: address,
      until: until.map { Timestamp(milliseconds: $0) }, token: token,
      since: since.map { Timestamp(milliseconds: $0) }, member: member.map { MemberID($0) }, name: name)
  }
}

extension OperatorsMessage.List {
  init(_ list: BanList) {
    self.init(revision: list.revision.rawValue, bans: list.bans.map(OperatorsMessage.Fields.init))
  }

  package var list: BanList { BanList(revision: Revision(revision), bans: bans.map(\.ban)) }
}

extension OperatorsMessage.NodeAnswer {
  /// Nil for bytes that are none.
  package init?(_ bytes: [UInt8]) {
    guard let answer = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
    self = answer
  }

  var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map { [UInt8]($0) } ?? [] }
}
