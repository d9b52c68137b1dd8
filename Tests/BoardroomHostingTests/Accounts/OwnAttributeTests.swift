import BoardroomCore
import BoardroomModel
import EventLog
import EventLogModel
import TestKit
import Testing

@Suite struct OwnAttributeTests {
  private func set(_ name: String, _ value: String) -> Command {
    .space(.setAttributes(AttributesSet([.init(name: name, value: value)])))
  }

  @Test(
    "SPC-4: a Signaling login's attributes end at 256 KiB, and at 1,024; fewer and smaller ones are taken")
  func end() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    let value = String(repeating: "v", count: 8_096)
    for number in 0..<40 {
      anna.command(set("n\(number)", value))
      anna.receive()
    }
    #expect(anna.slot()?.attributes.count == 32)
    #expect(anna.refusals.map(\.refusal.code) == Array(repeating: .tooLarge, count: 8))
    #expect(anna.refusals.last?.refusal.allowed == 256 << 10)
    server.advance(by: .seconds(1), with: anna)
    anna.command(set("n0", "smaller"))
    anna.receive()
    #expect(anna.slot()?.attributes["n0"] == "smaller")
    let fields = (0..<1_025).map { AttributesSet.Field(name: "m\($0)", value: "") }
    anna.command(.space(.clearAttributes), .space(.setAttributes(AttributesSet(Array(fields.dropLast())))))
    anna.command(.space(.setAttributes(AttributesSet([fields[1_024]]))))
    anna.receive()
    #expect(anna.slot()?.attributes.count == 1_024)
    #expect(anna.refusals.last?.refusal.code == .tooMany)
  }

  @Test(
    "ASK-5: of changes of own attributes the 11th in 5 s is rateLimited in RTM, the 61st in 1 s in Signaling",
    arguments: [(Service.rtm, 10, 5_000), (.signaling, 60, 1_000)])
  func rate(_ service: Service, _ allowed: Int, _ milliseconds: Int) {
    let server = SimulatedServer()
    let anna = server.login("anna", service)
    for number in 0...allowed { anna.command(set("a", "\(number)")) }
    anna.receive()
    #expect(anna.refusals.map(\.refusal.code) == [.rateLimited])
    #expect(anna.refusals.first?.refusal.allowed == allowed)
    #expect(anna.slot(service)?.attributes == ["a": "\(allowed - 1)"])
    anna.command(set("a", "again"))
    anna.receive()
    #expect(anna.events.count { $0.kindName == "refused" } == 1, "DEC-4: of a flood the first")
    server.advance(by: .milliseconds(milliseconds - 250), with: anna)
    anna.command(set("a", "too early"))
    server.advance(by: .milliseconds(250), with: anna)
    anna.command(set("a", "in time"))
    anna.receive()
    #expect(anna.slot(service)?.attributes == ["a": "in time"])
  }
}
