import BoardroomCodec
import BoardroomModel
import BoardroomReplay
import EventLogModel
import StorageTestKit
import Testing

@Suite("Lives of elements")
struct ElementLifeTests {
  @Test(
    "Each event that made, changed, erased or restored an element, as a comparison of all states finds it",
    arguments: [1, 2, 3] as [UInt64])
  func lives(_ seed: UInt64) async throws {
    let session = RecordedSession(seed: seed, events: 300)
    let replay = try await Replay(session.stored(snapshotEvery: 50))
    let last = try session.state(after: 300)
    var ids: Set<ElementID> = []
    for event in try session.events {
      guard case .drawing(.stroke(let stroke)) = event.event, let member = event.actor.member else {
        continue
      }
      ids.insert(ElementID(member: member, number: stroke.number))
    }
    #expect(ids.count > 10)
    for id in ids.sorted().prefix(20) {
      var expected: [(Revision, Element?)] = []
      var before: Element?
      for target in 0...300 {
        let now = try session.state(after: target).elements[id]
        if now != before { expected.append((Revision(UInt64(target)), now)) }
        before = now
      }
      let life = try await replay.changes(of: id)
      #expect(life.map(\.event.revision) == expected.map(\.0))
      #expect(life.map(\.element) == expected.map(\.1))
      #expect(life.first?.change == .made)
      #expect(life.allSatisfy { ($0.change == .erased) == ($0.element == nil) })
      #expect((last.elements[id] == nil) == (life.last?.change == .erased))
    }
    #expect(replay.revision == .zero)
    #expect(try await replay.changes(of: ElementID(member: 77, number: 1)).isEmpty)
  }

  @Test("A summary says what happened: no character of it moves a cursor, and no payload stands in it")
  func summaries() {
    func summary(_ event: Event) -> String {
      RoomEvent(revision: 1, time: .zero, actor: .server, counter: 0, event: event).summary
    }
    #expect(summary(.members(.left(.timeout))) == "left (timeout)")
    #expect(
      summary(.elements(.erased([ElementID(member: 1, number: 2), ElementID(member: 1, number: 3)])))
        == "erased 2 elements")
    let magix = MagixEvent(name: "a\u{1b}[2Jb", payload: JSONText(unchecked: #""secret""#))
    let said = summary(.custom(.magix(magix)))
    #expect(!said.contains("\u{1b}"))
    #expect(!said.contains("secret"))
    #expect(summary(.unknown(kind: 200, payload: [1, 2])) == "kind 200, 2 bytes")
  }
}
