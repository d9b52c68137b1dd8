import EventLogModel
import Testing

@testable import PostgresLog

extension PostgresTests {
  @Test(
    "NODE-13: nodes whose keys accept each other's run together, so that keys can be changed one node after the other; others are told"
  )
  func keys() async throws {
    let database = try TestDatabase()
    let node = try database.node("a")
    let address = database.address
    #expect(try NodeKeys.known(at: address) == nil)
    let (old, new) = (UInt32(7), UInt32.max)
    #expect(try NodeKeys(marks: [old]).note(at: address))
    #expect(try NodeKeys.known(at: address) == NodeKeys(marks: [old]))
    #expect(try !NodeKeys(marks: [new]).note(at: address), "another ring")
    #expect(try !NodeKeys(marks: [new, old]).note(at: address), "nobody else accepts yet what it signs")
    #expect(try NodeKeys.known(at: address) == NodeKeys(marks: [old]), "nothing was noted")
    // Accepted by all, then signing at all, then alone.
    for marks in [[old, new], [new, old], [new]] {
      #expect(try NodeKeys(marks: marks).note(at: address), "\(marks)")
      #expect(try NodeKeys(marks: marks).note(at: address), "a second node with the same")
      #expect(try NodeKeys.known(at: address) == NodeKeys(marks: marks), "in their order")
    }
    #expect(try !NodeKeys(marks: [old]).note(at: address), "a node that was not given the new one")
    await node.shutdown()
    // More than ten, so that their order is that of numbers.
    let many = NodeKeys(marks: [new] + (1...12).map { UInt32($0) })
    #expect(try many.note(at: address))
    #expect(try NodeKeys.known(at: address) == many)
  }
}
