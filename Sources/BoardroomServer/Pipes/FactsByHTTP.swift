import BoardroomHTTP
import BoardroomHosting
import BoardroomModel
import EventLogModel
import NIOCore

/// Asks all other nodes for the facts of rooms (FWD-9). A list has rooms of several, and each node knows its own.
struct FactsByHTTP: OtherNodesRooms {
  let seen: @Sendable () -> SeenNodes
  let forwarder: HTTPForwarder

  func facts(of rooms: [RoomID]) async -> [RoomID: RoomRegistry.RoomFacts] {
    let (nodes, question) = (seen().others, RoomsQuestion.bytes(of: rooms))
    let deadline = NIODeadline.now() + RoomsByHTTP.answersWithin
    return await withTaskGroup(of: [RoomID: RoomRegistry.RoomFacts].self) { [forwarder] tasks in
      for node in nodes {
        tasks.addTask {
          let answer = try? await forwarder.answer(
            to: question, on: RestRoutes.listQuestions, by: node, upTo: RoomsByHTTP.longest, until: deadline)
          return RoomsQuestion.facts(in: (answer ?? nil) ?? [])
        }
      }
      var facts: [RoomID: RoomRegistry.RoomFacts] = [:]
      for await told in tasks { facts.merge(told) { first, _ in first } }
      return facts
    }
  }
}
