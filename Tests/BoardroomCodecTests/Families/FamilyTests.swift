import BoardroomModel
import Testing

@Suite("Families of kinds")
struct FamilyTests {
  /// The name of the case.
  private static func name(of value: some Any) -> String? { Mirror(reflecting: value).children.first?.label }

  @Test(
    "KIND-1: an event and a command stand in the enum of the family that the table says",
    arguments: EventKind.allCases)
  func nesting(kind: EventKind) {
    var chance = Chance(1)
    let event = chance.event(kind)
    #expect(event.kind == kind.rawValue)
    #expect(Self.name(of: event) == kind.family.rawValue)
    let command = chance.command(kind)
    #expect((command != nil) == kind.isCommand)
    guard let command else { return }
    #expect(command.kind == kind)
    #expect(Self.name(of: command) == kind.family.rawValue)
  }

  @Test("Every family has kinds")
  func used() {
    #expect(Set(EventKind.allCases.map(\.family)) == Set(EventFamily.allCases))
  }
}
