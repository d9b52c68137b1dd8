import BoardroomModel
import EventLogModel

/// What commands need in spaces without a board.
extension Room {
  /// The first event of such a space; nothing if it was made before.
  public func create(_ name: SpaceName) -> [Proposed] {
    state.created == nil ? [Proposed(actor: .server, event: .space(.created(name)))] : []
  }

  /// Events are written anew: what a client puts into a body beside the command, above all `by`, is not taken over.
  func space(_ command: SpaceCommand, by member: MemberID) throws(Refusal) -> Outcome {
    guard let space = state.space else { throw Refusal(.unknownKind) }
    switch command {
    case .setAttributes(let set): return try setAttributes(set, in: space)
    case .clearAttributes:
      return Outcome(event: .space(.attributesCleared(by: nil)), isVerbatim: false)
    case .say(let message):
      guard case .channel(let service, _) = space.name else { throw Refusal(.unknownKind) }
      try checkSize(message.text.utf8.count, SpaceLimits.of(service).text, LimitName.text)
      return Outcome(event: .space(.channelMessage(message)), isVerbatim: false)
    case .acknowledge(let version):
      guard case .account = space.name else { throw Refusal(.unknownKind) }
      return Outcome(event: .space(.inboxAcked(version)), isVerbatim: true)
    }
  }

  private func setAttributes(_ set: AttributesSet, in space: SpaceState) throws(Refusal) -> Outcome {
    let limits = SpaceLimits.of(space.name.service ?? .signaling)
    for field in set.fields {
      try checkSize(field.name.utf8.count, limits.name, LimitName.attributeName)
      try checkName(field.name, of: "attribute")
      try checkSize(field.value?.utf8.count ?? 0, limits.value, LimitName.attributeValue)
    }
    return Outcome(event: .space(.attributesSet(set)), isVerbatim: false)
  }

  /// What has a board has no attributes, and the other way round.
  func checkBoard(for command: Command) throws(Refusal) {
    switch command {
    case .space: guard state.space != nil else { throw Refusal(.unknownKind) }
    case .clientPhases: return
    case .stroke, .pointer, .camera, .setWritable, .globalState, .memberState, .viewMode, .putScenes,
      .switchScene, .erase, .putElement, .magix, .changeElements, .copyElements, .cleanScene, .removeScenes,
      .moveScene, .stepPPT, .setStore, .deleteStore, .keepHistory, .undo, .redo:
      guard state.space == nil else { throw Refusal(.unknownKind) }
    }
  }
}

extension SpaceName {
  public var service: Service? {
    switch self {
    case .account: nil
    case .channel(let service, _): service
    }
  }
}

/// Sizes in bytes that a service allows (spec 6.5, 7.10).
public struct SpaceLimits: Sendable, Hashable {
  /// Of an account or a channel.
  public var account: Int
  /// Of an attribute.
  public var name: Int
  public var value: Int
  /// Of a message, and of an invitation's extra.
  public var text: Int
  public var extra: Int

  public static func of(_ service: Service) -> SpaceLimits {
    switch service {
    case .signaling: SpaceLimits(account: 128, name: 128, value: 8_096, text: 8_192, extra: 8_192)
    case .rtm: SpaceLimits(account: 64, name: 32, value: 8 << 10, text: 32 << 10, extra: 8 << 10)
    case .rtc, .white: SpaceLimits(account: 64, name: 32, value: 8 << 10, text: 32 << 10, extra: 8 << 10)
    }
  }
}
