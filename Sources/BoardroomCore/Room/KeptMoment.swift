import BoardroomModel
import EventLogModel

/// A moment of a room that is to be kept (LOG-33): retention removes nothing at or behind it. In the log and in the state it is one
/// of the room's limits, by the name `keep.at.` and what it is called; the number is its revision (ADR 0040).
public struct KeptMoment: Sendable, Hashable {
  static let prefix = "keep.at."
  /// How many a room may have. 100: each is told with the room and in its state.
  public static let most = 100
  /// Bytes of a name.
  public static let longestName = 64
  /// The limit that a refusal for too many names.
  public static let limit = "keep.at"

  public var name: String
  public var revision: Revision

  public init(name: String, revision: Revision) { (self.name, self.revision) = (name, revision) }

  /// Those of a room's own limits, the oldest first.
  public static func all(in limits: [String: Int]) -> [KeptMoment] {
    limits.compactMap { name, value in
      guard name.hasPrefix(prefix), value > 0 else { return nil }
      return KeptMoment(name: String(name.dropFirst(prefix.count)), revision: Revision(UInt64(value)))
    }.sorted { ($0.revision, $0.name) < ($1.revision, $1.name) }
  }
}

extension Room {
  /// Marks a moment as to be kept, or gives the one of this name another revision. Nothing if it is so already.
  public func keep(_ moment: KeptMoment) throws(Refusal) -> [Proposed] {
    try checkThere()
    guard !moment.name.isEmpty, moment.name.utf8.count <= KeptMoment.longestName,
      moment.name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else {
      throw Refusal(
        .badName, cause: "A kept moment's name is empty, has control characters, or is too long.",
        cure: "Use 1 to \(KeptMoment.longestName) bytes.")
    }
    guard moment.revision >= 1, moment.revision <= state.revision else {
      throw Refusal(
        .badParameter, cause: "The room has no event of this revision.",
        cure: "Name one from 1 to \(state.revision).")
    }
    let kept = KeptMoment.all(in: state.limits)
    guard !kept.contains(moment) else { return [] }
    if !kept.contains(where: { $0.name == moment.name }), kept.count >= KeptMoment.most {
      throw Refusal(
        .tooMany, cause: "The room has as many kept moments as it may have.", actual: kept.count + 1,
        allowed: KeptMoment.most, limit: KeptMoment.limit)
    }
    return [Self.limit(moment.name, Int(moment.revision.rawValue))]
  }

  /// Takes the mark of this name away.
  public func releaseMoment(_ name: String) throws(Refusal) -> [Proposed] {
    try checkThere()
    guard KeptMoment.all(in: state.limits).contains(where: { $0.name == name }) else {
      throw Refusal(.notFound, cause: "The room has no kept moment of this name.")
    }
    return [Self.limit(name, nil)]
  }

  private static func limit(_ name: String, _ value: Int?) -> Proposed {
    let field = LimitsPatch.Field(name: KeptMoment.prefix + name, value: value)
    return Proposed(actor: .server, event: .room(.limitsSet(LimitsPatch([field]))))
  }
}
