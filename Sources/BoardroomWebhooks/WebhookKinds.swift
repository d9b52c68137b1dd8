import BoardroomHosting
import BoardroomModel
import EventLogModel

/// What an event is called outside, and whether endpoints get it without asking.
struct WebhookType: Sendable, Hashable {
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
  static var markdown: String {
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

  /// One line for each kind. Standard is what happens to rooms and members; what is drawn has to be asked for.
  init(of kind: EventKind) {
    self =
      switch kind {
      case .roomCreated: WebhookType("room.created", isStandard: true)
      case .memberJoined: WebhookType("member.joined", isStandard: true)
      case .memberLeft: WebhookType("member.left", isStandard: true)
      case .memberKicked: WebhookType("member.kicked", isStandard: true)
      case .memberReplaced: WebhookType("member.replaced", isStandard: true)
      case .memberWritable: WebhookType("member.writable", isStandard: true)
      case .memberPhase: WebhookType("member.phase")
      case .memberState: WebhookType("member.state")
      case .viewMode: WebhookType("member.viewMode")
      case .clientPhases: WebhookType("member.clientPhases")
      case .refused: WebhookType("member.refused")
      case .nothingChanged: WebhookType("member.nothingChanged")
      case .contentErased: WebhookType("member.contentErased")
      case .globalState: WebhookType("room.globalState")
      case .magix: WebhookType("room.magix")
      case .scenesPut: WebhookType("scene.put")
      case .sceneSwitched: WebhookType("scene.switched")
      case .elementPut: WebhookType("element.put")
      case .erased: WebhookType("element.erased")
      case .stroke: WebhookType("element.stroke")
      case .pointer: WebhookType("member.pointer")
      case .camera: WebhookType("member.camera")
      case .roomBanned: WebhookType("room.banned", isStandard: true)
      case .roomDeleted: WebhookType("room.deleted", isStandard: true)
      case .limitsSet: WebhookType("room.limits")
      case .banSet: WebhookType("ban.set")
      case .banLifted: WebhookType("ban.lifted")
      case .elementsChanged: WebhookType("element.changed")
      case .elementsCopied: WebhookType("element.copied")
      case .sceneCleaned: WebhookType("scene.cleaned")
      case .scenesRemoved: WebhookType("scene.removed")
      case .sceneMoved: WebhookType("scene.moved")
      case .pptStepped: WebhookType("scene.pptStepped")
      case .storeSet: WebhookType("store.set")
      case .storeDeleted: WebhookType("store.deleted")
      case .historySet: WebhookType("member.history")
      case .undone: WebhookType("member.undone")
      case .redone: WebhookType("member.redone")
      case .spaceCreated: WebhookType("space.created")
      case .attributesSet: WebhookType("space.attributes")
      case .attributesCleared: WebhookType("space.cleared")
      case .channelMessage: WebhookType("channel.message")
      case .numbersTold: WebhookType("channel.numbers")
      case .spaceExpired: WebhookType("space.expired")
      case .inboxMessage: WebhookType("account.message")
      case .inboxAcked: WebhookType("account.acknowledged")
      case .inboxExpired: WebhookType("account.forgotten")
      case .channelEntered: WebhookType("account.entered")
      case .channelLeft: WebhookType("account.left")
      case .inviteMoved: WebhookType("invite.moved")
      case .inviteHeard: WebhookType("invite.heard")
      case .presence: WebhookType("account.presence")
      case .handRaised: WebhookType("member.hand")
      case .writingAllowed: WebhookType("member.writing", isStandard: true)
      case .roomLocked: WebhookType("room.locked", isStandard: true)
      }
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
      } else if let kind = EventKind.allCases.first(where: { $0.name == name }) {
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
