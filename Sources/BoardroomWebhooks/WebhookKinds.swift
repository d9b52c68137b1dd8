import BoardroomHosting
import BoardroomModel
import EventLogModel

/// What an event is called outside, and whether endpoints get it without asking.
public struct WebhookType: Sendable, Hashable {
  /// Before every name, as CloudEvents asks for a reversed domain.
  static let prefix = "net.boardroom."
  /// The room's last member left: told beside that member's leave, not a record of its own.
  static let emptied = WebhookType("room.emptied", isStandard: true)

  /// The scrub has found damage: in the operators' log, which has no other custom events.
  static let damage = WebhookType("server.damage", isStandard: true)

  let name: String
  let isStandard: Bool

  init(_ name: String, isStandard: Bool = false) {
    self.name = Self.prefix + name
    self.isStandard = isStandard
  }

  /// All types as a Markdown table, for docs/WEBHOOKS.md.
  public static var markdown: String {
    let rows =
      EventKind.allCases.map { (WebhookType(of: $0), $0.name) } + [
        (emptied, WebhookKinds.emptiedName), (damage, WebhookKinds.damageName),
      ]
    let ordered = rows.filter(\.0.isStandard) + rows.filter { !$0.0.isStandard }
    let lines = ordered.map { type, kind in
      "| `\(type.name.dropFirst(prefix.count))` | `\(kind)` | \(type.isStandard ? "yes" : "no") |"
    }
    return lines.joined(separator: "\n")
  }

  /// As the table of kinds says it. Standard is what happens to rooms and members; what is drawn has to be asked for.
  init(of kind: EventKind) {
    let traits = kind.traits.webhook
    self.init(traits.type, isStandard: traits.isStandard)
  }
}

/// Which kinds are told (`webhooks.kinds`).
package struct WebhookKinds: Sendable, Hashable {
  /// Stands for all standard ones in the setting.
  static let standardName = "standard"
  static let emptiedName = "roomEmptied"
  static let damageName = "damageFound"

  /// By the number of the kind.
  private var wanted = [Bool](repeating: false, count: 256)
  private(set) var emptied = false
  private var damage = false

  static let standard = WebhookKinds(names: [standardName])!

  /// Nil if a name is not that of a kind.
  package init?(names: [String]) {
    for name in names {
      if name == Self.standardName {
        for kind in EventKind.allCases where WebhookType(of: kind).isStandard { add(kind) }
        emptied = true
        damage = true
      } else if name == Self.emptiedName {
        emptied = true
      } else if name == Self.damageName {
        damage = true
      } else if let kind = EventKind(named: name) {
        add(kind)
      } else {
        return nil
      }
    }
  }

  private mutating func add(_ kind: EventKind) { wanted[Int(kind.rawValue)] = true }

  /// The kind first: this is asked of every record of every commit, and hardly one is a custom event.
  private static func isDamage(_ kind: UInt8, in log: LogID) -> Bool {
    kind == EventKind.magix.rawValue && log == .operators
  }

  /// Whether a record of this kind is told, or may cause something that is.
  func concerns(_ kind: UInt8, in log: LogID) -> Bool {
    if Self.isDamage(kind, in: log) { return damage }
    return wanted[Int(kind)] || emptied && kind == EventKind.memberLeft.rawValue
  }

  /// The kind's type if it is told itself. A kind of a later version has no name yet and is not told.
  func type(of kind: UInt8, in log: LogID) -> WebhookType? {
    if Self.isDamage(kind, in: log) { return damage ? .damage : nil }
    return wanted[Int(kind)] ? EventKind(rawValue: kind).map(WebhookType.init(of:)) : nil
  }
}
