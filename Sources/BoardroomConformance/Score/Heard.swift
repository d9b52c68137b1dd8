import BoardroomModel

/// What a party was told or has read: a callback, the end of a call, or a fact.
///
/// In an expectation a text may begin or end with `*`, which stands for any text.
public enum Heard: Sendable, Hashable {
  // White
  case phase(RoomPhase)
  /// `fireRoomStateChanged`: exactly these parts, each as `StatePart` writes it.
  case state([StatePart: String])
  case committable(Bool)
  case disconnect(String)
  case kicked(String)
  case misfit(of: String, String)
  case magix(name: String, payload: String)
  /// `fireHighFrequencyEvent`: the payloads in their order, with blanks between.
  case batch(name: String, payloads: String)
  case canUndo(Int)
  case canRedo(Int)

  // RTC: numbers as in PARITY rows RTC, RTCR
  case rtcState(Int, reason: Int)
  /// `rtcEngineConnectionDidLost`.
  case rtcLost
  case rtcJoined
  case rtcRejoined
  case rtcUserJoined(Party)
  case rtcUserOffline(Party, reason: Int)

  // RTM: numbers as in PARITY rows RTMR
  case rtmState(Int, reason: Int)
  /// `rtmKitTokenDidExpire`.
  case rtmTokenExpired
  case rtmMemberJoined(Party)
  case rtmMemberLeft(Party)
  case rtmText(String, from: Party)

  /// A callback of PARITY rows SCBK with its arguments in order, as text.
  case signaling(String, [String])

  /// The result of a call with a completion: the call's name, and `ok` or a code.
  case answer(to: String, String)
  case saw(Fact, String)
  /// A contract was broken while the callbacks object was called.
  case broken(contract: String, String)

  /// The kind, then its values.
  public var words: [String] {
    switch self {
    case .phase(let phase): ["firePhaseChanged", phase.name]
    case .state(let parts):
      ["fireRoomStateChanged"] + parts.map { "\($0.key.rawValue): \($0.value)" }.sorted()
    case .committable(let able): ["fireBeingAbleToCommitChange", "\(able)"]
    case .disconnect(let text): ["fireDisconnectWithError", text]
    case .kicked(let reason): ["fireKickedWithReason", reason]
    case .misfit(let author, let text): ["fireCatchErrorWhenAppendFrame", author, text]
    case .magix(let name, let payload): ["fireMagixEvent", name, payload]
    case .batch(let name, let payloads): ["fireHighFrequencyEvent", name, payloads]
    case .canUndo(let steps): ["fireCanUndoStepsUpdate", "\(steps)"]
    case .canRedo(let steps): ["fireCanRedoStepsUpdate", "\(steps)"]
    case .rtcState(let state, let reason): ["connectionChangedToState", "\(state)", "reason \(reason)"]
    case .rtcLost: ["rtcEngineConnectionDidLost"]
    case .rtcJoined: ["didJoinChannel"]
    case .rtcRejoined: ["didRejoinChannel"]
    case .rtcUserJoined(let who): ["didJoinedOfUid", who.account]
    case .rtcUserOffline(let who, let reason): ["didOfflineOfUid", who.account, "reason \(reason)"]
    case .rtmState(let state, let reason): ["connectionStateChanged", "\(state)", "reason \(reason)"]
    case .rtmTokenExpired: ["rtmKitTokenDidExpire"]
    case .rtmMemberJoined(let who): ["memberJoined", who.account]
    case .rtmMemberLeft(let who): ["memberLeft", who.account]
    case .rtmText(let text, let who): ["messageReceived", text, "from \(who.account)"]
    case .signaling(let name, let arguments): [name] + arguments
    case .answer(let call, let result): ["\(call) →", result]
    case .saw(let fact, let value): ["saw \(fact.rawValue)", value]
    case .broken(let contract, let how): ["broke \(contract)", how]
    }
  }

  /// Whether it fits `expected`.
  public func fits(_ expected: Heard) -> Bool {
    let (mine, theirs) = (words, expected.words)
    return mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.fits($1) }
  }
}

extension Heard: CustomStringConvertible {
  public var description: String { words.joined(separator: " ") }
}

/// Parts of a room's state, and how a timeline writes them.
public enum StatePart: String, Sendable, Hashable, CaseIterable {
  /// `key=value` for each key, sorted, with blanks between; values are JSON.
  case globalState
  /// The tool and the width, as `pencil 9`; `-` for what is not set.
  case memberState
  /// Accounts in the order in which they joined, with commas between.
  case roomMembers
  /// The path of the current page.
  case sceneState
  /// `index of length`.
  case pageState
  /// The party's own view mode.
  case broadcastState
  /// `x y scale`.
  case cameraState
}

extension String {
  /// Whether the text equals `pattern`, in which `*` at the beginning, at the end or after `: ` stands for
  /// any text.
  func fits(_ pattern: String) -> Bool {
    switch (pattern.hasPrefix("*"), pattern.hasSuffix("*")) {
    case (true, true) where pattern.count > 1: contains(pattern.dropFirst().dropLast())
    case (_, true): hasPrefix(String(pattern.dropLast()))
    case (true, false): hasSuffix(String(pattern.dropFirst()))
    case (false, false): self == pattern
    }
  }
}
