import BoardroomAccess
import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel
import HTTPTypes
import Hummingbird

/// Accounts and channels: what they are, and removing somebody from a channel (SIG-C11).
extension RestRoutes {
  /// SIG-C3.
  static let usualMembers = 200
  /// The most members in one answer: about a megabyte.
  static let mostMembers = 10_000

  static let spaceRoutes: [Route] = [
    Route(
      method: .get, path: "/v5/channels/{service}/{channel}",
      summary: "Show a channel: its newest members, newest last, its attributes, its joins so far.",
      action: .seeSpaces,
      parameters: [
        .init(
          name: "limit", meaning: "Members that are shown; 200 if left out.",
          schema: #"{"type":"integer","minimum":1,"maximum":\#(mostMembers)}"#)
      ],
      answer: .one("Channel", "The channel as the durable log has it.")
    ) { try await $0.channel($1) },
    Route(
      method: .post, path: "/v5/channels/{service}/{channel}/kick",
      summary: "Remove an account from a channel (SIG-C11).", action: .kickFromChannel,
      body: .object(#""account":{"type":"string","pattern":"^[!-~]{1,64}$"}"#, required: ["account"]),
      answer: .one("Kicked", "Who was removed, once the log holds it."), refusals: [503]
    ) { try await $0.kickFromChannel($1) },
    Route(
      method: .get, path: "/v5/accounts/{account}",
      summary: "Show an account: its logins, their attributes and channels; no messages.",
      action: .seeSpaces, answer: .one("Account", "The account as the durable log has it.")
    ) { try await $0.account($1) },
  ]

  private func channel(_ call: RestCall) async throws -> Response {
    let name = try call.channel()
    let limit = try call.number("limit", 1...UInt64(Self.mostMembers)) ?? UInt64(Self.usualMembers)
    return .json(RoomJSON.channel(name, try await space(name), newest: Int(limit)))
  }

  private func account(_ call: RestCall) async throws -> Response {
    let name = try call.account()
    var state = try await space(name)
    // It is not known whether the logins of a closed account are still there; opening it begins their grace.
    if !state.members.isEmpty, await engine.durableState(of: name.log) == nil {
      state = await engine.opened(name.log) ?? state
    }
    return .json(RoomJSON.account(name, state))
  }

  private func kickFromChannel(_ call: RestCall) async throws -> Response {
    let name = try call.channel()
    let account = try await call.body().needText("account", bytes: 128)
    guard let member = try await space(name).members.values.first(where: { $0.uid == account })?.id else {
      throw RestError(
        Refusal(
          .notMember, cause: "The account is not in the channel.", cure: "Check the name against its members."
        ))
    }
    try await engine.kick(member, from: name.log, reason: .kickByAdmin)
    return .json(.object([("kicked", .array([.number(String(member.rawValue))]))]))
  }

  /// A closed channel whose lifetime has ended is shown as it will be when it is opened.
  private func space(_ name: SpaceName) async throws -> RoomState {
    var state: RoomState
    do {
      state = try await self.state(of: name.log)
    } catch let error as LogError {
      guard case .noSuchLog = error else { throw error }
      throw RestError(
        Refusal(
          .notFound, cause: "There is no such account or channel.",
          cure: "Check the service and the name; somebody has to have been there."))
    }
    if ChannelClock(state)?.isExpired(at: now) == true { state.space = SpaceState(name) }
    return state
  }
}

extension RestCall {
  /// The space that the address names; nil if it names neither an account nor a channel.
  func space() throws(RestError) -> SpaceName? {
    if context.parameters.get("service") != nil { return try channel() }
    return context.parameters.get("account") == nil ? nil : try account()
  }

  fileprivate func channel() throws(RestError) -> SpaceName {
    guard let service = context.parameters.get("service").flatMap({ Service(rawValue: $0) }),
      service != .white
    else { throw RestBody.wrong("service", "is none of rtc, rtm, signaling") }
    return try checked(.channel(service, try name("channel")), in: service)
  }

  /// The longest names are those of Signaling.
  fileprivate func account() throws(RestError) -> SpaceName {
    try checked(.account(try name("account")), in: .signaling)
  }

  private func checked(_ name: SpaceName, in service: Service) throws(RestError) -> SpaceName {
    do throws(Refusal) {
      try SpaceNameRule.check(name, in: service)
      return name
    } catch {
      throw RestError(error)
    }
  }

  private func name(_ part: String) throws(RestError) -> String {
    guard let text = context.parameters.get(part).flatMap({ PercentText.decoded($0) }) else {
      throw RestError(
        .badName, "The name in the address is not percent-encoded UTF-8.", cure: "Encode its UTF-8 bytes.")
    }
    return text
  }
}

/// Names in paths of addresses.
enum PercentText {
  /// Nil where a percent sign is not followed by two hexadecimal digits, or the bytes are not UTF-8.
  static func decoded(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}

extension RoomJSON {
  fileprivate static func channel(_ name: SpaceName, _ state: RoomState, newest limit: Int) -> JSONValue {
    let members = state.roster.suffix(limit).map(stay)
    var fields: [(String, JSONValue)] = [
      ("service", .string(name.service?.rawValue ?? "")), ("name", .string(name.text)),
      ("total", JSONValue(state.members.count)), ("joins", JSONValue(state.space?.joins ?? 0)),
      ("members", .array(members)), ("attributes", texts(state.channelAttributes)),
    ]
    if let emptied = state.space?.emptied {
      fields.append(("emptyAt", .number(String(emptied.milliseconds))))
    }
    return .object(fields)
  }

  private static func stay(_ member: Member) -> JSONValue {
    .object([
      ("account", .string(member.uid ?? "")), ("memberId", .number(String(member.id.rawValue))),
      ("phase", .string(member.phase.rawValue)),
      ("joinedAt", .number(String(member.joined.milliseconds))),
    ])
  }

  fileprivate static func account(_ name: SpaceName, _ state: RoomState) -> JSONValue {
    let logins = Service.allCases.compactMap { service -> JSONValue? in
      let member = state.members.values.first { $0.uid == service.rawValue }
      let slot = state.space?.slots[service]
      return member == nil && slot == nil ? nil : login(service, member, slot ?? AccountSlot())
    }
    return .object([("name", .string(name.text)), ("logins", .array(logins))])
  }

  private static func login(_ service: Service, _ member: Member?, _ slot: AccountSlot) -> JSONValue {
    var fields: [(String, JSONValue)] = [
      ("service", .string(service.rawValue)), ("isOnline", .bool(member?.phase == .connected)),
    ]
    if let member {
      fields += [
        ("phase", .string(member.phase.rawValue)),
        ("since", .number(String(member.joined.milliseconds))),
      ]
    }
    return .object(
      fields + [
        ("attributes", texts(slot.attributes)), ("channels", .array(slot.channels.map { .string($0) })),
        ("held", JSONValue(slot.inbox.count)),
      ])
  }

  private static func texts(_ texts: [String: String]) -> JSONValue {
    .object(texts.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
  }
}
