import BoardroomModel
import EventLogModel

/// A room that decides. It runs ahead of the log: its state includes events that are decided and not yet
/// durable, so that one command can build on the one before it. Pure: no clock, no socket, no file.
///
/// The driver's round, for each input: ask (`decide`, `join`, `leave`, …), append the events proposed, then
/// `apply` each with the revision that it got, and only then ask again.
public struct Room: Sendable {
  public private(set) var state: RoomState
  /// The server's.
  public let policy: RoomPolicy
  /// The server's policy with the room's own limits in it: what holds here.
  public private(set) var inForce: RoomPolicy
  /// Kinds of `inForce` with a rate of their own.
  private(set) var ratedKinds: UInt64
  var roomBucket: TokenBucket?
  /// When a member last did something, as far as this server knows.
  private(set) var lastAct: Timestamp
  var ledgers: [MemberID: MemberLedger] = [:]
  var positions: [MemberID: PositionPacers] = [:]
  var channelRates = ChannelRates()
  /// Changes of an account's own attributes, by service.
  var ownChanges: [Service: SlidingWindow] = [:]
  /// Bytes of the whole globalState, kept so that a patch is judged without adding up all of it.
  private(set) var globalStateSize: Int
  /// The same of every store.
  private(set) var storeSizes: [String: Int]
  /// What histories and pages count for (BOUND-1); elements are counted where they are.
  private var historyBytes: Int
  private var sceneBytes: Int
  /// Of commands in the server's own name: REST has the rates of one member (BOUND-6).
  var serverLedger: MemberLedger

  /// A room at some revision of its log: empty before its first event, or folded from what there is.
  public init(state: RoomState = RoomState(), policy: RoomPolicy = RoomPolicy()) {
    self.state = state
    self.policy = policy
    inForce = policy.with(state.limits)
    ratedKinds = inForce.ratedKinds
    roomBucket = inForce.roomRate.map { TokenBucket($0, at: state.time) }
    lastAct = state.time
    globalStateSize = state.globalState.size
    storeSizes = state.stores.mapValues(\.size)
    historyBytes = Self.bytes(of: state.histories)
    sceneBytes = state.scenes.reduce(0) { $0 + $1.bytes }
    serverLedger = MemberLedger(decided: 0, rate: inForce.rate, at: state.time)
  }

  /// What the board counts for (BOUND-1). A function of the state: the same after a restart.
  public var boardBytes: Int { state.elements.bytes + historyBytes + sceneBytes }

  private static func bytes(of histories: [MemberID: History]) -> Int {
    histories.values.reduce(0) { $0 + $1.bytes }
  }

  /// Takes an event in that this room proposed and the appender has given a revision.
  /// The anomaly is nil unless the driver let something come between (DEC-1).
  @discardableResult
  public mutating func apply(_ proposed: Proposed, revision: Revision, at time: Timestamp) -> Anomaly? {
    prepare(for: proposed, at: time)
    var touched: RoomParts = []
    let histories = state.histories.count
    let anomaly = state.apply(
      RoomEvent(
        revision: revision, time: time, actor: proposed.actor, counter: proposed.counter,
        event: proposed.event), touching: &touched)
    if histories != state.histories.count || !touched.isDisjoint(with: [.history, .struck]) {
      historyBytes = Self.bytes(of: state.histories)
    }
    if touched.contains(.scenes) { sceneBytes = state.scenes.reduce(0) { $0 + $1.bytes } }
    if case .room(.limitsSet) = proposed.event { renewLimits(at: time) }
    return anomaly
  }

  /// What is kept beside the state follows the event.
  private mutating func prepare(for proposed: Proposed, at time: Timestamp) {
    if proposed.counter > 0 { lastAct = time }
    if case .state(.global(let patch)) = proposed.event { globalStateSize = size(after: patch) }
    if case .state(.storeSet(let set)) = proposed.event { storeSizes[set.store] = size(after: set) }
    if case .state(.storeDeleted(let name)) = proposed.event { storeSizes[name] = nil }
    if case .members(.joined) = proposed.event { lastAct = time }
    if case .members(.left) = proposed.event, let member = proposed.actor.member {
      ledgers[member] = nil
      positions[member] = nil
    }
  }

  private mutating func renewLimits(at now: Timestamp) {
    inForce = policy.with(state.limits)
    ratedKinds = inForce.ratedKinds
    roomBucket = inForce.roomRate.map { TokenBucket($0, at: now) }
    for member in ledgers.keys { ledgers[member]?.renew(inForce.rate, at: now) }
    serverLedger.renew(inForce.rate, at: now)
  }

  /// What every command is asked for, read in place: a member copied out of the dictionary costs a dozen
  /// reference counts.
  mutating func standing(of member: MemberID) -> Standing? {
    var standing: Standing?
    state.change(member) {
      standing = Standing(isWritable: $0.writable, role: $0.role, lastCounter: $0.lastCounter)
    }
    return standing
  }

  /// Bytes of the globalState once the patch is applied.
  func size(after patch: JSONPatch) -> Int { state.globalState.size(globalStateSize, after: patch) }

  /// Bytes of a store once it is set.
  func size(after set: StoreSet) -> Int {
    guard !set.resets, let store = state.stores[set.store] else { return [:].size(2, after: set.patch) }
    return store.size(storeSizes[set.store] ?? store.size, after: set.patch)
  }
}

struct Standing {
  var isWritable: Bool
  var role: Role
  var lastCounter: CommandCounter
}

extension JSONText {
  /// Bytes of a field in an object: the key in its quotes, colon, value and comma.
  func size(under key: String) -> Int { key.utf8.count + bytes.count + 4 }
}

extension [String: JSONText] {
  /// Bytes of the object.
  var size: Int { reduce(2) { $0 + $1.value.size(under: $1.key) } }

  /// Bytes of the object, which are `size` now, once the patch is applied.
  func size(_ size: Int, after patch: JSONPatch) -> Int {
    var sizes: [String: Int] = [:]
    for (key, value) in patch.fields { sizes[key] = value?.size(under: key) ?? 0 }
    return sizes.reduce(size) { $0 + $1.value - (self[$1.key]?.size(under: $1.key) ?? 0) }
  }
}
