import BoardroomModel

/// One limit that can be set for a server, and for a room over it. A refusal for it bears its name.
public struct RoomLimit: Sendable {
  public let name: String
  public let range: ClosedRange<Int>
  let set: @Sendable (inout RoomPolicy, Int) -> Void
  let read: @Sendable (RoomPolicy) -> Int

  /// What it is under this policy; 0 stands for none where there may be none.
  public func value(in policy: RoomPolicy) -> Int { read(policy) }

  /// Every limit there is. Later ones are set after earlier ones: a burst after its rate.
  public static let all: [RoomLimit] = sizes + counts + rates

  public static func named(_ name: String) -> RoomLimit? { byName[name] }
  private static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  // Bodies stay below the largest record of a log, 1 MiB, with room for what stands around them.
  private static let body = 1 << 10...1_000 << 10

  private static let sizes: [RoomLimit] = [
    number(LimitName.stroke, body, \.limits.stroke),
    number(LimitName.magix, body, \.limits.magix),
    number(LimitName.statePatch, body, \.limits.statePatch),
    number(LimitName.globalState, 4 << 10...64 << 20, \.limits.globalState),
    number(LimitName.element, body, \.limits.element),
    number(LimitName.uid, 16...64 << 10, \.limits.uid),
    number(LimitName.payload, 256...1_000 << 10, \.limits.payload),
    number(LimitName.memberState, 1 << 10...16 << 20, \.memberState),
    number(LimitName.magixName, 16...1_024, \.magixName),
    number(LimitName.sceneName, 16...1_024, \.sceneName),
    number(LimitName.scenePath, 64...16 << 10, \.scenePath),
    number(LimitName.clientPhases, 1...288, \.clientPhases),
    number(LimitName.storePatch, body, \.storePatch),
    number(LimitName.store, 4 << 10...64 << 20, \.store),
    number(LimitName.board, 64 << 10...16 << 30, \.board),
  ]

  private static let counts: [RoomLimit] = [
    number(LimitName.scenes, 1...1_000_000, \.limits.scenes),
    number(LimitName.members, 0...1_000_000, \.members),
    number(LimitName.elements, 1...10_000_000, \.elements),
    number(LimitName.points, 100...10_000_000, \.points),
    number(LimitName.stores, 0...10_000, \.stores),
    number(LimitName.historyScenes, 0...1_000, \.history.scenes),
    number(LimitName.historyDepth, 1...10_000, \.history.depth),
    number(LimitName.keptDays, HistoryKeeping.mostDays, \.keeping.days),
    number(LimitName.keptEvents, HistoryKeeping.mostEvents, \.keeping.events),
    number(LimitName.keptBytes, HistoryKeeping.mostBytes, \.keeping.bytes),
  ]

  private static let rates: [RoomLimit] =
    rate(LimitName.rate, \.rate) + rate(LimitName.roomRate, \.roomRate)
    + EventKind.allCases.filter(\.isCommand).flatMap { kind in
      let name = LimitName.rate(of: kind)
      return [
        RoomLimit(name: name, range: perSecond) { policy, value in
          policy.rates[kind] = RoomPolicy.Rate(aSecond: value)
        } read: {
          $0.rates[kind]?.sustained ?? 0
        },
        RoomLimit(name: name + LimitName.burst, range: atOnce) { policy, value in
          policy.rates[kind]?.burst = value
        } read: {
          $0.rates[kind]?.burst ?? 0
        },
      ]
    }

  private static let perSecond = 0...1_000_000
  private static let atOnce = 1...10_000_000

  private typealias Path<Value> = any WritableKeyPath<RoomPolicy, Value> & Sendable

  private static func number(_ name: String, _ range: ClosedRange<Int>, _ path: Path<Int>) -> RoomLimit {
    RoomLimit(name: name, range: range) {
      $0[keyPath: path] = $1
    } read: {
      $0[keyPath: path]
    }
  }

  private static func rate(_ name: String, _ path: Path<RoomPolicy.Rate?>) -> [RoomLimit] {
    [
      RoomLimit(name: name, range: perSecond) { policy, value in
        policy[keyPath: path] = RoomPolicy.Rate(aSecond: value)
      } read: {
        $0[keyPath: path]?.sustained ?? 0
      },
      RoomLimit(name: name + LimitName.burst, range: atOnce) { policy, value in
        policy[keyPath: path]?.burst = value
      } read: {
        $0[keyPath: path]?.burst ?? 0
      },
    ]
  }
}

/// Names of limits, as operators set them and refusals bear them.
public enum LimitName {
  public static let message = "limits.message"
  public static let stroke = "limits.stroke"
  public static let magix = "limits.magix"
  public static let statePatch = "limits.statePatch"
  public static let globalState = "limits.globalState"
  public static let element = "limits.element"
  public static let uid = "limits.uid"
  public static let payload = "limits.payload"
  public static let memberState = "limits.memberState"
  public static let magixName = "limits.magixName"
  public static let sceneName = "limits.sceneName"
  public static let scenePath = "limits.scenePath"
  public static let clientPhases = "limits.clientPhases"
  public static let storePatch = "limits.storePatch"
  public static let store = "limits.store"
  public static let board = "limits.board"
  public static let scenes = "limits.scenes"
  public static let members = "members"
  /// Of the room itself, set when it is created (W-5).
  public static let writers = "limit"
  public static let elements = "elements"
  public static let points = "points"
  public static let stores = "stores"
  public static let historyScenes = "history.scenes"
  public static let historyDepth = "history.depth"
  public static let keptDays = "keep.days"
  public static let keptEvents = "keep.events"
  public static let keptBytes = "keep.bytes"
  public static let rate = "rate"
  public static let roomRate = "rate.room"
  public static let text = "limits.text"
  /// What a sender calls a message.
  public static let messageName = "limits.messageName"
  public static let attributeName = "limits.attributeName"
  public static let attributeValue = "limits.attributeValue"
  /// All attributes of a channel: their bytes and their count.
  public static let attributeTotal = "limits.attributes"
  public static let attributeCount = "attributes"
  public static let account = "limits.account"
  public static let channelName = "limits.channelName"
  public static let burst = ".burst"
  public static func rate(of kind: EventKind) -> String { "rate.\(kind.name)" }
}

extension RoomPolicy.Rate {
  /// Nil for 0: no limit. At once four times as many, as with the usual rate.
  init?(aSecond: Int) {
    guard aSecond > 0 else { return nil }
    self.init(sustained: aSecond, burst: aSecond * 4)
  }
}

extension RoomPolicy {
  /// The policy with a room's own limits in it. Names that are not known, as of a later version, and values out
  /// of range are passed over.
  public func with(_ own: [String: Int]) -> RoomPolicy {
    guard !own.isEmpty else { return self }
    var policy = self
    for limit in RoomLimit.all {
      if let value = own[limit.name], limit.range.contains(value) { limit.set(&policy, value) }
    }
    return policy
  }

  /// Kinds with a rate of their own, a bit for each: asked for every command.
  var ratedKinds: UInt64 { rates.keys.reduce(0) { $0 | $1.bit } }
}

extension EventKind {
  /// Each kind that clients can send has its own, and none has 0 or 63, which mean others (MemberLedger). Those from
  /// 63 on have the bits of 44 to 46, which only the server records.
  var bit: UInt64 { 1 << UInt64(rawValue < 63 ? rawValue : rawValue - 19) }
}
