import BoardroomHosting
import BoardroomModel
import EventLogModel

/// The type name of an event for endpoints, and whether endpoints get it by default.
public struct WebhookType: Sendable, Hashable {
  /// The prefix of every name, because CloudEvents asks for a reversed domain.
  static let prefix = "net.boardroom."
  /// The room's last member left. Sent in addition to that member's leave; there is no record of its own.
  static let emptied = WebhookType("room.emptied", isStandard: true)

  /// The scrub has found damage. It is a custom event of the operators' log, which has no others.
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

  /// From the table of kinds. Events about rooms and members are standard; drawing has to be chosen.
  init(of kind: EventKind) {
    let traits = kind.traits.webhook
    self.init(traits.type, isStandard: traits.isStandard)
  }
}

/// Which kinds are told (`webhooks.kinds`).
package struct WebhookKinds: Sendable, Hashable {
  /// The name for all standard types in the setting.
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

  /// Compares the kind first, because this is called for every record of every commit, and few are custom
  /// events.
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
