import BoardroomCodec
import BoardroomModel
import Crypto
import EventLogModel

/// One event in the form for endpoints: a CloudEvent of version 1.0 as JSON.
struct WebhookEvent: Sendable, Hashable {
  /// Made from room, epoch and revision, so that it is the same each time the event is sent.
  let id: String
  let revision: Revision
  let time: Timestamp
  let type: String
  let json: [UInt8]

  /// - Parameters:
  ///   - view: a record of `records`.
  ///   - names: who was in the room up to and with this record.
  init(_ type: WebhookType, _ view: RecordView, in records: [UInt8], of room: RoomID, _ names: RoomNames) {
    let isEmptied = type == .emptied
    revision = view.revision
    time = view.time
    self.type = type.name
    id = "\(room)-\(names.epoch)-\(view.revision)" + (isEmptied ? "-emptied" : "")
    let subject = isEmptied ? nil : names.subject
    var fields: [(String, JSONValue)] = [
      ("specversion", .string("1.0")), ("id", .string(id)), ("source", .string("/v5/rooms/\(room)")),
      ("type", .string(type.name)),
    ]
    if let subject { fields.append(("subject", .string("members/\(subject.member)"))) }
    fields += [
      ("time", .string(view.time.iso8601)), ("datacontenttype", .string("application/json")),
      ("sequence", .string(Self.padded(view.revision))), ("partitionkey", .string(room.description)),
      ("data", .object(Self.content(view, in: records, of: room, names, subject, isEmptied))),
    ]
    json = JSONValue.object(fields).compact
  }

  /// As many digits as the largest revision has, so that the texts sort as the numbers do.
  private static func padded(_ revision: Revision) -> String {
    let digits = revision.description
    return String(repeating: "0", count: 20 - digits.count) + digits
  }

  /// The record's JSON mirror (docs/PROTOCOL.md, section 6) without secret fields, and with the names of room
  /// and member.
  private static func content(
    _ view: RecordView, in records: [UInt8], of room: RoomID, _ names: RoomNames,
    _ subject: RoomNames.Person?, _ isEmptied: Bool
  ) -> [(String, JSONValue)] {
    var fields: [(String, JSONValue)] = [
      ("room", .string(room.description)), ("roomName", .string(names.roomName)),
      ("epoch", .string(names.epoch.description)),
    ]
    if isEmptied {
      return fields + [
        ("rev", .number(view.revision.description)), ("t", .number(view.time.description)),
      ]
    }
    if let subject {
      fields.append(("member", .number(subject.member.description)))
      fields.append(("uid", subject.uid.map { .string($0) } ?? .null))
    }
    let mirror = try? JSONValue.parse(RecordMirror.line(of: view, in: records))
    return fields + (mirror?.object ?? []).map { ($0.0, $0.0 == "body" ? open($0.1, view.kind) : $0.1) }
  }

  /// Removes the name of the session, which is a part of what a client needs to resume, and the hash of a
  /// token, by which links can be told apart. Receivers need neither.
  private static func open(_ body: JSONValue, _ kind: UInt8) -> JSONValue {
    guard let hidden = EventKind(rawValue: kind)?.traits.webhook.hidden, !hidden.isEmpty,
      let members = body.object
    else { return body }
    return .object(members.filter { !hidden.contains($0.0) })
  }

  // MARK: Requests

  static let contentType = "application/cloudevents+json; charset=utf-8"
  static let batchContentType = "application/cloudevents-batch+json; charset=utf-8"

  /// All in one JSON array.
  static func array(of events: [WebhookEvent]) -> [UInt8] {
    [UInt8(ascii: "[")] + events.map(\.json).joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
  }

  /// The id of a batch, the same for the same events: half of the hash of their ids.
  static func batchID(of events: [WebhookEvent]) -> String {
    let ids = events.map(\.id).joined(separator: " ")
    return "batch-" + Hexadecimal.text(SHA256.hash(data: Array(ids.utf8)).prefix(16))
  }
}

/// The names of a room and of its members, folded from the few kinds of records that have them.
struct RoomNames: Sendable, Hashable {
  struct Person: Sendable, Hashable {
    var member: MemberID
    var uid: String?
  }

  let epoch: Epoch
  /// The last record that was read.
  private(set) var revision: Revision
  private(set) var roomName: String
  private var members: [MemberID: Person]
  /// How many members are known.
  var count: Int { members.count }
  /// Whom the last record was about.
  private(set) var subject: Person?
  /// Whether the last record was the leave of the last member.
  private(set) var isJustEmptied = false

  init(epoch: Epoch, after revision: Revision = .zero, state: RoomState? = nil) {
    self.epoch = epoch
    self.revision = revision
    roomName = state?.created?.name ?? ""
    members = (state?.members ?? [:]).mapValues { Person(member: $0.id, uid: $0.uid) }
  }

  mutating func note(_ view: RecordView, in records: [UInt8]) {
    revision = view.revision
    isJustEmptied = false
    let member = Actor(code: view.actor).member
    subject = member.map { members[$0] ?? Person(member: $0) }
    guard Self.telling.contains(view.kind),
      let event = (try? EventCodec.decode(view, in: records))?.event
    else { return }
    if case .room(.created(let created)) = event { roomName = created.name }
    if case .members(.kicked(let kicked)) = event {
      subject = members[kicked.member] ?? Person(member: kicked.member)
    }
    if case .moderation(.writing(let member, _)) = event {
      subject = members[member] ?? Person(member: member)
    }
    guard let member else { return }
    if case .members(.joined(let joined)) = event {
      let person = Person(member: member, uid: joined.uid)
      members[member] = person
      subject = person
    }
    if case .members(.left) = event, members.removeValue(forKey: member) != nil {
      isJustEmptied = members.isEmpty
    }
  }

  private static let telling = Set(
    [EventKind.roomCreated, .memberJoined, .memberLeft, .memberKicked, .writingAllowed].map(\.rawValue))
}
